// SPDX-License-Identifier: MIT
//
// Repeated calls: a call that differs from an earlier one in anything that matters must not
// reuse the earlier call's values, and a call like an earlier one allocates nothing. The
// expected values come from plain loops over host memory that read everything before they write.
#include <array>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "call/pipeline.hpp"
#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/placed.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

template <typename T>
std::vector<T> counted(std::int64_t count, T first) {
    std::vector<T> values;
    for (std::int64_t k = 0; k < count; ++k) values.push_back(static_cast<T>(first + T(k)));
    return values;
}

template <typename T>
std::vector<T> sum(const std::vector<T>& x, const std::vector<T>& y) {
    std::vector<T> values;
    for (std::size_t k = 0; k < x.size(); ++k) values.push_back(static_cast<T>(x[k] + y[k]));
    return values;
}

// An int32 buffer on a device, with its values on the host, and views of it.
struct Buffer {
    static constexpr std::int64_t length = 96;
    Array memory;
    std::vector<std::int32_t> values;

    explicit Buffer(Device device)
        : memory(from_vector(counted<std::int32_t>(length, 0), {device})),
          values(counted<std::int32_t>(length, 0)) {}
};

struct BufferView {
    std::int64_t begin;
    std::int64_t step;  // in elements
    static constexpr std::int64_t count = 12;

    Array of(const Buffer& buffer) const {
        auto* first = static_cast<std::byte*>(buffer.memory.data()) + 4 * begin;
        return Array::view(first,
                           int32,
                           {count},
                           {.device = buffer.memory.device(),
                            .strides = Dims{4 * step},
                            .owner = std::make_shared<Array>(buffer.memory)});
    }
    std::int32_t& element(std::vector<std::int32_t>& values, std::int64_t k) const {
        return values[static_cast<std::size_t>(begin + k * step)];
    }
};

}  // namespace

TEST_CASE("a call like an earlier one allocates nothing") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
        const ElementwiseKernel split("T x", "T lo, T hi", "lo = x - 1; hi = x + 1", "split");
        const ElementwiseKernel gather("raw T x", "T y", "y = x[i]", "gather");
        const Array x = from_vector(counted<float>(12, 1), {3, 4}, {device});
        const Array row = from_vector(counted<float>(4, 1), {device});
        const Array z = empty({3, 4}, float32, {device});
        const Array w = empty({3, 4}, float32, {device});
        const Stream stream = Stream::create(device);
        const std::vector<Array> more = {x.slice({{0, 2}}), x.slice({{0, 1}}), x[0]};
        const std::vector<Array> places = {z.slice({{0, 2}}), z.slice({{0, 1}}), z[0]};
        const auto calls = [&] {
            axpy(2.0, x, x, out(z));
            axpy(3, x, row, out(z));
            axpy(row, 1.5f, x, out(w), on(stream));
            split.call<2>(x, out(z), out(w));
            gather(x, out(places[2]));
        };
        calls();
        CHECK(allocations_of(calls) == 0);

        // Four layouts in turn.
        const auto alternate = [&] {
            axpy(2.0, x, row, out(z));
            for (std::size_t k = 0; k < more.size(); ++k) axpy(2.0, more[k], row, out(places[k]));
        };
        alternate();
        CHECK(allocations_of(alternate) == 0);

        // New outputs use memory that was freed before.
        const auto create = [&] { static_cast<void>(axpy(2.0, x, row)); };
        create();
        create();
        CHECK(allocations_of(create) == 0);
    }
}

TEST_CASE("equal layouts that share memory differently from call to call give right results") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel add(
            "T x, T y", "T z", "z = (x + 2 * y) % 1000003", "add_in_buffer");
        Buffer buffer(device);
        Random random(7);
        const std::vector<std::int64_t> begins = {0, 1, 12, 24, 25, 36, 48};
        for (int round = 0; round < 600; ++round) {
            const auto pick_view = [&](bool written) {
                BufferView view{begins[static_cast<std::size_t>(pick(random, 0, 6))], 1};
                switch (pick(random, 0, 5)) {
                    case 0:
                        view.step = 2;
                        break;
                    case 1:
                        view.step = -1;
                        view.begin += BufferView::count - 1;
                        break;
                    case 2:
                        if (!written) view.step = 0;
                        break;
                    default:
                        break;
                }
                return view;
            };
            const BufferView x = pick_view(false);
            const BufferView y = pick_view(false);
            const BufferView z = pick_view(true);
            CAPTURE(to_text(device), round, x.begin, x.step, y.begin, y.step, z.begin, z.step);
            std::vector<std::int32_t> results;
            for (std::int64_t k = 0; k < BufferView::count; ++k) {
                results.push_back((x.element(buffer.values, k) + 2 * y.element(buffer.values, k)) %
                                  1000003);
            }
            for (std::int64_t k = 0; k < BufferView::count; ++k)
                z.element(buffer.values, k) = results[static_cast<std::size_t>(k)];
            add(x.of(buffer), y.of(buffer), out(z.of(buffer)));
            REQUIRE(elements<std::int32_t>(buffer.memory) == buffer.values);
        }
    }
}

TEST_CASE("an output that comes to overlap an input is refused or copied as on a first call") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel two("T x", "T y, T z", "y = x; z = x + 1", "two_outputs");
        const Array block = from_vector(counted<float>(64, 0), {device});
        const auto part = [&](std::int64_t begin) { return block.slice({{begin, begin + 8}}); };
        for (int round = 0; round < 2; ++round) {
            two.call<2>(part(0), out(part(16)), out(part(32)));
            CHECK(elements<float>(part(32)) == counted<float>(8, 1));
            CHECK(
                KGEN_MESSAGE_OF(ShapeError, two.call<2>(part(0), out(part(16)), out(part(20)))) ==
                "kernel 'two_outputs': output 1 ('y') and output 2 ('z') overlap; pass arrays that "
                "share no memory");
            // The two outputs are adjacent, in either order.
            two.call<2>(part(0), out(part(16)), out(part(24)));
            CHECK(elements<float>(part(24)) == counted<float>(8, 1));
            two.call<2>(part(0), out(part(24)), out(part(16)));
            CHECK(elements<float>(part(16)) == counted<float>(8, 1));
        }
        // Input and output are every third element. Some outputs lie between the elements that
        // are read, others overlap them.
        const ElementwiseKernel bump("T x", "T y", "y = x + 1", "bump");
        const auto thirds = [&](std::int64_t begin) {
            return block.slice({{begin, begin + 36, 3}});
        };
        for (int round = 0; round < 3; ++round) {
            for (const std::int64_t begin : {4, 12, 8, 0}) {
                block.assign(from_vector(counted<float>(64, 0), {device}));
                bump(thirds(0), out(thirds(begin)));
                std::vector<float> expected;
                for (int k = 0; k < 12; ++k) expected.push_back(static_cast<float>(3 * k + 1));
                CHECK(elements<float>(thirds(begin)) == expected);
            }
        }
    }
}

TEST_CASE("each part of a layout tells calls apart") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add_layouts");
        const auto values = counted<float>(16, 1);
        const std::vector<std::pair<Dims, Dims>> layouts = {
            {{4, 4}, {16, 4}},
            {{4, 4}, {4, 16}},
            {{4, 4}, {32, 8}},
            {{4, 4}, {-16, 4}},
            {{16}, {4}},
            {{2, 8}, {32, 4}},
            {{1, 16}, {0, 4}},
            {{16, 1}, {4, 4}},
        };
        for (int round = 0; round < 3; ++round) {
            for (const auto& [shape, strides] : layouts) {
                for (const std::int64_t shift : {0, 4, 8}) {
                    INFO(to_text(device)
                         << ' ' << to_text(shape) << ' ' << to_text(strides) << ' ' << shift);
                    const Placed x = place<float>(device, values, shape, strides, shift);
                    const Placed z = place<float>(device, values, shape, strides, shift);
                    add(x.array, x.array, out(z.array));
                    CHECK(z.values<float>() == sum(values, values));
                    CHECK(z.is_clean_around());
                    CHECK(elements<float>(add(x.array, z.array)) ==
                          sum(values, sum(values, values)));
                }
            }
        }
    }
}

TEST_CASE("dtypes and numbers tell calls apart, values of numbers do not") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel scale("T a, T x", "U y", "y = a * x", "scale");
        const Array ints = from_vector(counted<std::int32_t>(5, 1), {device});
        const Array floats = from_vector(counted<float>(5, 1), {device});
        const Array wide = from_vector(counted<std::int64_t>(5, 1), {device});
        const Array y32 = empty({5}, int32, {device});
        const Array y64 = empty({5}, float64, {device});
        for (int round = 1; round < 4; ++round) {
            for (int factor = 1; factor < 4; ++factor) {
                const auto expected = [&](auto one) {
                    std::vector<decltype(one)> list;
                    for (int k = 1; k <= 5; ++k)
                        list.push_back(static_cast<decltype(one)>(factor * k));
                    return list;
                };
                CHECK(elements<std::int32_t>(scale(factor, ints, out(y32))) ==
                      expected(std::int32_t{}));
                CHECK(elements<double>(scale(factor, ints, out(y64))) == expected(double{}));
                CHECK(elements<double>(scale(factor * 1.0, ints, out(y64))) == expected(double{}));
                CHECK(elements<double>(scale(static_cast<float>(factor), floats, out(y64))) ==
                      expected(double{}));
                CHECK(elements<std::int32_t>(scale(std::uint8_t(factor), wide, out(y32))) ==
                      expected(std::int32_t{}));
            }
            // A number that does not fit is rejected in every round and changes nothing.
            CHECK(KGEN_MESSAGE_OF(TypeError, scale(round + 0.5, ints, out(y64))) ==
                  "kernel 'scale': argument 1 ('a'): " + std::to_string(round) +
                      ".5 does not fit int32 (it is not an integer)");
            CHECK(KGEN_MESSAGE_OF(TypeError, scale(std::int64_t{1} << 40, ints, out(y64))) ==
                  "kernel 'scale': argument 1 ('a'): 1099511627776 does not fit int32 (-2147483648 "
                  "to 2147483647)");
            CHECK(elements<double>(y64)[4] == 15);
        }
        // Dtypes of equal size, and therefore equal strides.
        const ElementwiseKernel half("T x", "T y", "y = x / 2", "half");
        const Array bits = from_vector(counted<std::uint32_t>(5, 1), {device});
        for (int round = 0; round < 3; ++round) {
            CHECK(elements<std::int32_t>(half(ints)) == std::vector<std::int32_t>{0, 1, 1, 2, 2});
            CHECK(elements<float>(half(floats)) == std::vector<float>{0.5f, 1, 1.5f, 2, 2.5f});
            CHECK(elements<std::uint32_t>(half(bits)) == std::vector<std::uint32_t>{0, 1, 1, 2, 2});
        }
        // If all arguments are numbers, their own dtype decides the placeholder and thus the result's dtype.
        const ElementwiseKernel fill("T a", "T y", "y = a", "fill_alone");
        for (int round = 0; round < 2; ++round) {
            CHECK(KGEN_MESSAGE_OF(ShapeError, fill(1)) ==
                  "kernel 'fill_alone': no argument is an array, so the loop size is unknown; pass "
                  "size(n)");
            CHECK(fill(1, size(2), on(Stream::legacy(device))).dtype() == int32);
            CHECK(fill(1.5, size(2), on(Stream::legacy(device))).dtype() == float64);
            CHECK(fill(1.5f, size(3), on(Stream::legacy(device))).shape() == Dims{3});
            CHECK(elements<float>(fill(2.5f, size(2), on(Stream::legacy(device)))) ==
                  std::vector<float>{2.5f, 2.5f});
        }
    }
}

TEST_CASE("an array that has become read-only is refused, again and again") {
    const ElementwiseKernel add("T x", "T z", "z = x + 1", "add_to_read_only");
    const Array x = from_vector(counted<float>(4, 0), {Device::host()});
    const Array z = empty({4}, float32, {Device::host()});
    for (int round = 0; round < 3; ++round) {
        add(x, out(z));
        CHECK(elements<float>(z) == counted<float>(4, 1));
        CHECK(KGEN_MESSAGE_OF(ShapeError, add(x, out(z.as_read_only()))) ==
              "kernel 'add_to_read_only': output 1 ('z') is read-only; pass a writable array");
        CHECK(elements<float>(add(x.as_read_only(), out(z))) == counted<float>(4, 1));
        CHECK(KGEN_MESSAGE_OF(TypeError, add(x, out(Array()))) ==
              "kernel 'add_to_read_only': output 1 ('z') is an empty Array; pass one that has "
              "memory");
    }
}

TEST_CASE("outputs may be given, be arguments or be new from call to call") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add_outputs");
        const Array x = from_vector(counted<float>(6, 0), {2, 3}, {device});
        const Array z = empty({2, 3}, float32, {device});
        const auto expected = sum(elements<float>(x), elements<float>(x));
        for (int round = 0; round < 3; ++round) {
            z.assign(zeros({2, 3}, float32, {device}));
            CHECK(add(x, x, out(z)).data() == z.data());
            CHECK(elements<float>(z) == expected);
            z.assign(zeros({2, 3}, float32, {device}));
            CHECK(add(x, x, z).data() == z.data());
            CHECK(elements<float>(z) == expected);
            const Array first = add(x, x);
            const Array second = add(x, x);
            CHECK(first.data() != second.data());
            CHECK(elements<float>(first) == expected);
            CHECK(elements<float>(second) == expected);
            // New outputs have the same order of axes in memory as the inputs.
            const Array turned = add(x.transpose(), x.transpose());
            CHECK(turned.strides() == Dims{4, 12});
            CHECK(elements<float>(turned.transpose()) == expected);
            CHECK(add(x.ascontiguous(), 1).strides() == Dims{12, 4});
        }
    }
}

TEST_CASE("a repeated call finds its number of arguments wrong as the first did") {
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add_count");
    const Array x = from_vector(counted<float>(4, 0), {Device::host()});
    for (int round = 0; round < 3; ++round) {
        CHECK(elements<float>(add(x, x)) == sum(counted<float>(4, 0), counted<float>(4, 0)));
        CHECK(KGEN_MESSAGE_OF(TypeError, add(x)) ==
              "kernel 'add_count': expected 2 arguments (x, y) or, with outputs, 3 (x, y, z), but "
              "got 1");
        CHECK(KGEN_MESSAGE_OF(TypeError, add(x, x, x, out(x))) ==
              "kernel 'add_count': expected 2 arguments (x, y), but got 3");
        CHECK(KGEN_MESSAGE_OF(TypeError, add(x, ArraySpec{float32, {4}, {}})) ==
              "kernel 'add_count': argument 2 ('y') is an ArraySpec, which has no memory; pass an "
              "Array");
    }
}

TEST_CASE("raw arrays are seen where they are now, with their extents now") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel last(
            "raw T x, int32 k", "T y", "y = x[x.size() - 1 - k - i]", "last_elements");
        const Array y = empty({2}, float32, {device});
        for (int round = 0; round < 3; ++round) {
            for (const std::int64_t length : {8, 9, 8, 12}) {
                const auto values = counted<float>(length, static_cast<float>(round));
                const Array x = from_vector(values, {device});
                last(x, round, out(y));
                const auto end = static_cast<std::size_t>(length - 1 - round);
                CHECK(elements<float>(y) == std::vector<float>{values[end], values[end - 1]});
            }
        }
        // The raw array is in turn the output's own memory and another array.
        const ElementwiseKernel bump("raw T x", "T y", "y = x[i] + 1", "bump");
        const Array own = from_vector(counted<float>(4, 0), {device});
        const Array other = from_vector(counted<float>(4, 0), {device});
        for (int round = 1; round < 4; ++round) {
            bump(own, out(own));
            CHECK(elements<float>(own) == counted<float>(4, static_cast<float>(round)));
            bump(other, out(y.slice({{0, 2}})));
            CHECK(elements<float>(y) == counted<float>(2, 1));
        }
    }
}

TEST_CASE("block size, loop size and stream tell calls apart") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel count("raw T x", "raw T y", "y[i] = x[i] + n", "count_loop");
        const Array x = from_vector(counted<float>(6, 0), {device});
        const Stream stream = Stream::create(device);
        for (int round = 0; round < 3; ++round) {
            for (const std::int64_t length : {6, 3, 4}) {
                const Array y = zeros({6}, float32, {device});
                synchronize(device);  // `stream` does not wait for the zeros
                count(x, y, size(length), block_size(32 << round), on(stream));
                stream.synchronize();
                std::vector<float> expected(6, 0.0f);
                for (std::int64_t k = 0; k < length; ++k)
                    expected[static_cast<std::size_t>(k)] = static_cast<float>(k + length);
                CHECK(elements<float>(y) == expected);
            }
            CHECK(KGEN_MESSAGE_OF(ShapeError, count(x, x, size(-1))) ==
                  "kernel 'count_loop': size is -1, expected 0 or more");
            CHECK(KGEN_MESSAGE_OF(ShapeError, count(x, x, size(6), block_size(1025))) ==
                  "kernel 'count_loop': block_size is 1025, expected 1 to 1024");
            const Stream foreign =
                Stream::legacy(device == Device::host() ? Device::cuda(3) : Device::host());
            const Array y = zeros({6}, float32, {device});
            count(x, y, size(6));
            const std::string elsewhere = "kernel 'count_loop': argument 1 ('x') is on " +
                                          to_text(device) + ", but the call is for " +
                                          to_text(foreign.device());
            CHECK(KGEN_MESSAGE_OF(ShapeError, count(x, y, size(6), on(foreign))) == elsewhere);
            const std::vector<Argument> arguments = {x, y};
            const CallOptions options{.size = 6, .device = foreign.device()};
            CHECK(KGEN_MESSAGE_OF(ShapeError, count.call(arguments, options)) == elsewhere);
        }
    }
}

TEST_CASE("complex arrays that lose their alignment are copied as on a first call") {
    for (const Device device : present_devices()) {
        using Complex = std::complex<float>;
        const ElementwiseKernel twice("T x", "T z", "z = x + x", "twice_complex");
        std::vector<Complex> values;
        std::vector<Complex> expected;
        for (int k = 0; k < 6; ++k) {
            values.emplace_back(static_cast<float>(k), 1.0f);
            expected.push_back(values.back() + values.back());
        }
        for (int round = 0; round < 3; ++round) {
            for (const std::int64_t shift : {0, 4, 8, 12}) {
                const Placed x = place<Complex>(device, values, {6}, {8}, shift);
                const Placed z = place<Complex>(device, values, {6}, {8}, shift);
                twice(x.array, out(z.array));
                CHECK(z.values<Complex>() == expected);
                CHECK(z.is_clean_around());
            }
        }
    }
}

TEST_CASE("kernels with one definition, copies and successors do not mix") {
    for (const Device device : present_devices()) {
        const Array x = from_vector(counted<float>(5, 0), {device});
        const Array z = empty({5}, float32, {device});
        const ElementwiseKernel first("T x", "T z", "z = x + 1", "mixed");
        const ElementwiseKernel second("T x", "T z", "z = x + 2", "mixed");
        const ElementwiseKernel copy = first;
        for (int round = 0; round < 3; ++round) {
            CHECK(elements<float>(first(x, out(z))) == counted<float>(5, 1));
            CHECK(elements<float>(second(x, out(z))) == counted<float>(5, 2));
            CHECK(elements<float>(copy(x, out(z))) == counted<float>(5, 1));
            std::thread([&, inner = copy] {
                inner(x, out(z));
                inner(x, out(z));
                synchronize(device);
            }).join();
            CHECK(elements<float>(z) == counted<float>(5, 1));
            // A kernel object that may get the same address in every round.
            auto passing = std::make_optional<ElementwiseKernel>(
                "T x", "T z", "z = x + " + std::to_string(round + 3), "mixed");
            (*passing)(x, out(z));
            (*passing)(x, out(z));
            CHECK(elements<float>(z) == counted<float>(5, static_cast<float>(round + 3)));
            std::thread([gone = std::move(passing)]() mutable { gone.reset(); }).join();
        }
    }
}

TEST_CASE("kernels with many parameters or none work again and again") {
    std::string inputs;
    std::string total = "z = 0";
    for (int k = 0; k < 40; ++k) {
        inputs += (k == 0 ? "" : ", ") + std::string("int32 x") + std::to_string(k);
        total += " + x" + std::to_string(k);
    }
    const ElementwiseKernel many(inputs, "int32 z", total, "many_parameters");
    const ElementwiseKernel none("", "float32 z", "z = i", "no_inputs");
    const Array x = from_vector(counted<std::int32_t>(3, 1), {Device::host()});
    const Array z = empty({4}, float32, {Device::host()});
    for (int round = 0; round < 3; ++round) {
        const std::vector<Argument> arguments(40, Argument(x));
        CHECK(elements<std::int32_t>(many.call(arguments).front()) ==
              std::vector<std::int32_t>{40, 80, 120});
        CHECK(elements<float>(none(out(z))) == counted<float>(4, 0));
        CHECK(elements<float>(none(out(z.slice({{1, 3}})))) == counted<float>(2, 0));
    }
}

TEST_CASE("a million shapes leave no trace but one compiled variant") {
    const Definition definition{.name = "shapes",
                                .inputs = "T x, T y",
                                .outputs = "T z",
                                .operation = "z = x + y",
                                .preamble = "",
                                .loop_prep = "",
                                .after_loop = "",
                                .options = {}};
    const Pipeline pipeline(definition, Merging::yes);
    // A stride along an axis of extent 1 reaches no other element, but it makes a different layout.
    const Array x = from_vector(counted<float>(1001, 0), {Device::host()});
    const Array z = empty({1001}, float32, {Device::host()});
    std::array<Array, 1> results;
    const auto run = [&](std::int64_t gap, std::int64_t count) {
        const auto view = [&](const Array& array, std::int64_t step) {
            return Array::view(array.data(),
                               float32,
                               {1, count},
                               {.device = Device::host(), .strides = Dims{gap * 4, step * 4}});
        };
        const Array source = view(x, 2);
        const Array target = view(z, 2);
        const std::array<CallPart, 3> parts = {source, source, out(target)};
        pipeline.run(CallView(parts), results);
    };
    // Every call has a different layout, because `gap` or `count` differs.
    constexpr std::int64_t call_count = rounds(1000000);
    for (std::int64_t call = 0; call < 8; ++call) run(call / 8, 2 + call % 8);
    const std::int64_t live = live_allocation_count();
    for (std::int64_t call = 8; call < call_count; ++call) run(call / 8, 2 + call % 8);
    CHECK(live_allocation_count() == live);
    CHECK(pipeline.variant_count() == 1);
    CHECK(elements<float>(z)[2] == 4);
    run(5, 400);
    CHECK(elements<float>(z)[798] == 2 * 798);
    CHECK(pipeline.variant_count() == 1);
}
