// SPDX-License-Identifier: MIT
//
// ShardedTrials: random work on sharded arrays, whose results are compared with those of one array. All ranks must use the
// same seed and number of trials. Values are small integers, so that sums are exact in every order.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <vector>

namespace kgen::test {

class ShardedTrials {
public:
    ShardedTrials(Communicator communicator, std::uint64_t seed)
        : communicator_(std::move(communicator)), random_(seed) {}

    // Returns the first difference, or "good". `file` is a path that all ranks see.
    std::string run(int count, const std::string& file) {
        for (int trial = 0; trial < count; ++trial) {
            what_ = "";
            const bool is_good = [&] {
                switch (pick(0, 7)) {
                    case 0:
                        return elementwise();
                    case 1:
                        return statement();
                    case 2:
                        return moves();
                    case 3:
                        return halo();
                    case 4:
                        return saved(file);
                    case 5:
                        return views();
                    default:
                        return reduction();
                }
            }();
            if (!is_good) return fmt::format("trial {}: {}", trial, what_);
        }
        return "good";
    }

private:
    std::int64_t pick(std::int64_t least, std::int64_t most) {
        return least +
               static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
    }
    DType some_dtype() {
        constexpr DType dtypes[] = {int32, float64, int64, float32, int16};
        return dtypes[pick(0, 4)];
    }
    Dims some_shape() {
        Dims shape;
        const std::int64_t rank = pick(1, 4);
        for (std::int64_t axis = 0; axis < rank; ++axis)
            shape.push_back(pick(0, 9) == 0 ? pick(0, 1) : pick(1, rank > 2 ? 9 : 70));
        return shape;
    }
    Array some_array(const Dims& shape, DType dtype) {
        std::int64_t size = 1;
        for (const std::int64_t extent : shape) size *= extent;
        std::vector<double> values(static_cast<std::size_t>(size));
        for (double& each : values) each = static_cast<double>(pick(-9, 9));
        return from_vector(values, {.device = Device::host()}).reshape(shape).astype(dtype);
    }
    // Even blocks, or blocks of any extents.
    Sharding some_split(const Dims& shape) {
        const int axis = static_cast<int>(pick(0, shape.rank() - 1));
        if (pick(0, 1) == 0) return Sharding::split(axis - (pick(0, 1) == 0 ? shape.rank() : 0));
        std::vector<std::int64_t> ends = {shape[axis]};
        for (int rank = 1; rank < communicator_.size(); ++rank)
            ends.push_back(pick(0, shape[axis]));
        std::sort(ends.begin(), ends.end());
        for (std::size_t k = ends.size() - 1; k > 0; --k) ends[k] -= ends[k - 1];
        return Sharding::split(axis, ends);
    }
    ShardedArray sharded(const Array& whole, const Sharding& sharding) {
        what_ += fmt::format(
            "{} {} {}; ", to_text(whole.dtype()), to_text(whole.shape()), to_text(sharding));
        return shard(whole, sharding, communicator_);
    }
    bool equals(const ShardedArray& got, const Array& expected) {
        const Array all = gather(got).to(Device::host());
        if (all.dtype() == expected.dtype() && array_equal(all, expected)) return true;
        what_ += fmt::format("got {} {}, expected {} {}",
                             to_text(all.dtype()),
                             to_text(all),
                             to_text(expected.dtype()),
                             to_text(expected));
        return false;
    }

    // A second operand that broadcasts to the shape: with fewer axes, or with extents of 1 where x is not split.
    Dims beside(const Dims& shape, int split) {
        const int first = static_cast<int>(pick(0, shape.rank() - 1));
        Dims other;
        for (int axis = first; axis < shape.rank(); ++axis)
            other.push_back(axis != split && pick(0, 2) == 0 ? 1 : shape[axis]);
        return other;
    }

    bool elementwise() {
        static const ElementwiseKernel kernels[] = {
            {"T x, T y", "T z", "z = x * 2 - y", "trial_plain"},
            {"T x, U y", "T z, int64 w", "z = x; w = i * 3 + n", "trial_places"},
            {"T x, T y",
             "int64 z",
             "z = x + y; for (auto k : _ind.get()) z = z * 5 + k",
             "trial_indexer"},
            {"T x, raw T y", "T z", "z = x + y[i % 3]", "trial_raw"},
        };
        const std::int64_t which = pick(0, 3);
        what_ += fmt::format("elementwise {}: ", which);
        const ElementwiseKernel& kernel = kernels[which];
        const DType dtype = some_dtype();
        const Dims shape = some_shape();
        const Array a = some_array(shape, dtype);
        const ShardedArray x = sharded(a, some_split(shape));
        const bool is_raw = which == 3;
        const Array b = some_array(is_raw ? Dims{3} : beside(shape, x.sharding().axis()), dtype);
        const int own = x.sharding().axis() - (shape.rank() - b.rank());
        Sharding of_y = Sharding::replicated();
        if (!is_raw && own >= 0 && b.shape()[own] == shape[x.sharding().axis()] && pick(0, 1) == 0)
            of_y =
                Sharding::split(own, {x.sharding().blocks().begin(), x.sharding().blocks().end()});
        const ShardedArray y = sharded(b, of_y);
        if (which == 1) {
            const auto [z, w] = kernel.call<2>(x, y);
            const auto [c, d] = kernel.call<2>(a, b);
            return equals(z, c) && equals(w, d);
        }
        if (pick(0, 1) == 0) return equals(kernel(x, y), kernel(a, b));
        const ShardedArray z = empty_sharded(
            shape, which == 2 ? int64 : dtype, x.sharding(), communicator_, pick(0, 1));
        kernel(x, y, out(z));
        return equals(z, kernel(a, b));
    }

    bool reduction() {
        static const ReductionKernel kernels[] = {
            {"T x", "T y", "x", "a + b", "y = a", "0", "trial_sum"},
            {"T x",
             "int64 y",
             "(long long)x * (i + 1) + _J * 7",
             "a + b",
             "y = a + _i * 100 + _in_ind.size()",
             "0",
             "trial_weighted",
             {.reduce_type = "long long"}},
            {"T x",
             "int64 y",
             "trial_best(x, _J)",
             "trial_better(a, b)",
             "y = a.at",
             "",
             "trial_argmax",
             {.reduce_type = "trial_best",
              .preamble =
                  "struct trial_best { double value; long long at; __device__ trial_best() {} "
                  "__device__ trial_best(double v, long long k) : value(v), at(k) {} };\n"
                  "__device__ trial_best trial_better(const trial_best& a, const trial_best& b) {\n"
                  "    if (a.value != b.value) return a.value > b.value ? a : b;\n"
                  "    return a.at < b.at ? a : b;\n}"}},
            {"T x, T p",
             "T low, T high, int64 count",
             "trial_range(x)",
             "trial_both(a, b)",
             "low = a.low - p; high = a.high; count = a.count",
             "trial_range()",
             "trial_extremes",
             {.reduce_type = "trial_range",
              .preamble = "struct trial_range { double low, high; int count; "
                          "__device__ trial_range() : low(99), high(-99), count(0) {} "
                          "__device__ trial_range(double v) : low(v), high(v), count(1) {} };\n"
                          "__device__ trial_range trial_both(const trial_range& a, const "
                          "trial_range& b) {\n"
                          "    trial_range c; c.low = a.low < b.low ? a.low : b.low;\n"
                          "    c.high = a.high > b.high ? a.high : b.high; c.count = a.count + "
                          "b.count; return c;\n}"}},
        };
        const std::int64_t which = pick(0, 3);
        what_ += fmt::format("reduction {}: ", which);
        const ReductionKernel& kernel = kernels[which];
        Dims shape = some_shape();
        if (which == 2) std::replace(shape.begin(), shape.end(), std::int64_t{0}, std::int64_t{2});
        const Array a = some_array(shape, some_dtype());
        const ShardedArray x =
            sharded(a, pick(0, 4) == 0 ? Sharding::replicated() : some_split(shape));
        std::vector<int> axes;
        for (int axis = 0; axis < shape.rank(); ++axis)
            if (pick(0, 1) == 0) axes.push_back(axis - (pick(0, 1) == 0 ? shape.rank() : 0));
        what_ += fmt::format("axes {}; ", fmt::join(axes, ", "));
        const AxesArgument along = axis(axes);
        if (which == 3) {
            const auto got = kernel.call<3>(x, 2, along, keepdims);
            const auto expected = kernel.call<3>(a, 2, along, keepdims);
            return equals(got[0], expected[0]) && equals(got[1], expected[1]) &&
                   equals(got[2], expected[2]);
        }
        const Array expected = kernel(a, along);
        const ShardedArray got = kernel(x, along);
        if (pick(0, 1) == 0) return equals(got, expected);
        const ShardedArray given =
            empty_sharded(expected.shape(), expected.dtype(), got.sharding(), communicator_);
        kernel(x, along, out(given));
        return equals(given, expected);
    }

    bool statement() {
        what_ += "statement: ";
        const Dims shape = some_shape();
        if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
        const Array a = some_array(shape, float64);
        const Array b = some_array(shape, float64);
        const ShardedArray x = sharded(a, some_split(shape));
        const ShardedArray y = sharded(b, pick(0, 1) == 0 ? x.sharding() : Sharding::replicated());
        const int along = static_cast<int>(pick(0, shape.rank() - 1));
        const ShardedArray z = (x * 2 + y) - max(x, axis(along), keepdims) + sum(y);
        if (!equals(z, (a * 2 + b) - max(a, axis(along), keepdims) + sum(b))) return false;
        z += x * 3;
        const Array expected = (a * 2 + b) - max(a, axis(along), keepdims) + sum(b) + a * 3;
        if (!equals(z, expected) || !equals(sum(z * z), sum(expected * expected))) return false;
        const auto [low, lowest] = compute_sharded(minimum(x, z), min(z, axis(along)));
        if (!equals(low, minimum(a, expected)) || !equals(lowest, min(expected, axis(along))))
            return false;
        compute(z - x, x * 2, out(z), out(low));
        return equals(z, expected - a) && equals(low, a * 2);
    }

    // An index that selects all along the split axis, and a part along the others.
    bool views() {
        what_ += "views: ";
        const Array a = some_array(some_shape(), some_dtype()).copy();
        const ShardedArray x = sharded(a, some_split(a.shape()));
        std::vector<Index> indices;
        for (int axis = 0; axis < a.rank(); ++axis) {
            const std::int64_t extent = a.shape()[axis];
            const std::int64_t kind = axis == x.sharding().axis() ? 2 : pick(0, 3);
            if (pick(0, 4) == 0) indices.emplace_back(indexing::newaxis);
            if (kind == 0 && extent > 0) {
                indices.emplace_back(pick(-extent, extent - 1));
            } else if (kind == 1) {
                const std::int64_t step = pick(1, 3);
                indices.emplace_back(
                    Range{pick(-extent, extent), {}, pick(0, 1) == 0 ? step : -step});
            } else {
                indices.emplace_back(all);
            }
        }
        const Array part = a[indices];
        what_ += fmt::format("a view of shape {}; ", to_text(part.shape()));
        if (!equals(x[indices], part)) return false;
        x[indices] += 3;
        part += 3;
        return equals(x, a);
    }

    bool moves() {
        what_ += "moves: ";
        const Array a = some_array(some_shape(), some_dtype());
        const Sharding of_x = pick(0, 5) == 0 ? Sharding::replicated() : some_split(a.shape());
        const ShardedArray x = sharded(a, of_x);
        const Sharding next = pick(0, 5) == 0 ? Sharding::replicated() : some_split(a.shape());
        what_ += to_text(next) + "; ";
        const ShardedArray moved = reshard(x, next);
        if (!equals(moved, a)) return false;
        std::vector<Array> blocks;
        for (const int rank : communicator_.local_ranks()) blocks.push_back(moved.local(rank));
        if (!next.is_replicated() && !equals(join_blocks(blocks, next.axis(), communicator_), a))
            return false;
        const int root = static_cast<int>(pick(0, communicator_.size() - 1));
        const Array at_root = gather(x, root);
        const auto ranks = communicator_.local_ranks();
        const bool is_here = std::find(ranks.begin(), ranks.end(), root) != ranks.end();
        if (at_root.has_value() != is_here) return false;
        return !is_here || array_equal(at_root.to(Device::host()), a);
    }

    bool halo() {
        what_ += "halo: ";
        const std::int64_t width = pick(1, 3);
        Dims shape = some_shape();
        const int along = static_cast<int>(pick(0, shape.rank() - 1));
        shape[along] = communicator_.size() * pick(width, 6) + pick(0, communicator_.size() - 1);
        const Array a = some_array(shape, some_dtype());
        const ShardedArray x =
            empty_sharded(shape, a.dtype(), Sharding::split(along), communicator_, width);
        const ShardedArray from = sharded(a, Sharding::split(along));
        for (const int rank : communicator_.local_ranks()) {
            x.local_with_halo(rank).assign(Scalar(50));
            x.local(rank).assign(from.local(rank));
        }
        const HaloEnds ends = pick(0, 1) == 0 ? HaloEnds::open : HaloEnds::periodic;
        exchange_halo(x, ends);
        // The whole array with what belongs before and behind it.
        const std::int64_t extent = shape[along];
        const auto part = [&](const Array& whole, std::int64_t begin, std::int64_t end) {
            std::vector<Range> ranges(static_cast<std::size_t>(shape.rank()), Range{});
            ranges[static_cast<std::size_t>(along)] = {begin, end};
            return whole.slice(ranges);
        };
        Dims edge = shape;
        edge[along] = width;
        const Array fifty = full(edge, 50, a.dtype(), {.device = Device::host()});
        const bool is_open = ends == HaloEnds::open;
        const Array padded = concatenate({is_open ? fifty : part(a, extent - width, extent),
                                          a,
                                          is_open ? fifty : part(a, 0, width)},
                                         along);
        for (const int rank : communicator_.local_ranks()) {
            const std::int64_t begin = x.block_start(rank);
            const Array expected = part(padded, begin, begin + x.block_extent(rank) + 2 * width);
            if (!array_equal(x.local_with_halo(rank).to(Device::host()), expected)) {
                what_ += fmt::format("rank {}: got {}, expected {}",
                                     rank,
                                     to_text(x.local_with_halo(rank)),
                                     to_text(expected));
                return false;
            }
        }
        return true;
    }

    bool saved(const std::string& file) {
        what_ += "saved: ";
        const Array a = some_array(some_shape(), some_dtype());
        const ShardedArray x = sharded(a, some_split(a.shape()));
        save_npy(file, x);
        const Array whole = load_npy(file, {.device = Device::host()});
        const bool is_good = array_equal(whole, a) && !std::filesystem::exists(file + ".partial") &&
                             equals(load_npy(file, some_split(a.shape()), communicator_), a);
        communicator_.barrier();  // until all have read the file
        return is_good;
    }

    Communicator communicator_;
    std::mt19937_64 random_;
    std::string what_;
};

}  // namespace kgen::test
