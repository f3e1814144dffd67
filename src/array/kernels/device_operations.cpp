// SPDX-License-Identifier: MIT
//
// Element operations on CUDA arrays for the array code, done by kgen's own kernels.
#include "array/kernels/device_operations.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <kgen/elementwise_kernel.hpp>
#include <mutex>
#include <utility>
#include <vector>

#include "array/kernels/array_kernels.hpp"
#include "array/kernels/join_kernel.hpp"
#include "array/kernels/ragged_rows.hpp"
#include "call/kernel_access.hpp"
#include "device/registry.hpp"
#include "image/compile_settings.hpp"
#include "memory/array_access.hpp"

namespace kgen {

using array_kernels::is_complex;

namespace {

// Never destroyed, because the user's static destructors may still copy.
const ElementwiseKernel* make_kernel(Definition definition) {
    return new ElementwiseKernel(KernelAccess::make<ElementwiseKernel>(std::move(definition)));
}

// Whether all elements lie at multiples of their size. Elements of foreign memory may not.
bool is_naturally_aligned(const Array& array) {
    const auto size = static_cast<std::int64_t>(item_size(array.dtype()));
    const bool strides = std::all_of(array.strides().begin(),
                                     array.strides().end(),
                                     [size](std::int64_t stride) { return stride % size == 0; });
    return strides &&
           reinterpret_cast<std::uintptr_t>(array.data()) % item_size(array.dtype()) == 0;
}

// Returns the array as one access moves it: aligned complex64 as uint64, other dtypes unchanged.
Array bits_of(const Array& array) {
    if (array.dtype() != complex64) return array;
    return ArrayAccess::make(array.storage(), uint64, array.shape(), array.strides(), array.data());
}

// Returns complex numbers as pairs of their parts. The parts are aligned at any address of the numbers.
Array parts_of(const Array& array) {
    const DType part = array.dtype() == complex64 ? float32 : float64;
    Dims shape = array.shape();
    Dims strides = array.strides();
    shape.push_back(2);
    strides.push_back(static_cast<std::int64_t>(item_size(part)));
    return ArrayAccess::make(array.storage(), part, shape, strides, array.data());
}

// Returns a kernel of array_kernels::join() or weave(), which is made when it is first needed. Never destroyed.
const ElementwiseKernel& joining_kernel(bool weaves, int count) {
    static std::mutex mutex;
    static std::array<std::array<const ElementwiseKernel*, most_joined_at_once + 1>, 2> kernels{};
    const std::lock_guard lock(mutex);
    const ElementwiseKernel*& kernel = kernels[weaves ? 1 : 0][static_cast<std::size_t>(count)];
    if (kernel == nullptr)
        kernel = make_kernel(weaves ? array_kernels::weave(count) : array_kernels::join(count));
    return *kernel;
}

// Whether weave() can join the matrices, and is faster than join().
bool is_woven(std::span<const Array> matrices) {
    const std::size_t item = item_size(matrices.front().dtype());
    const std::size_t chunk = array_kernels::chunk_bytes(static_cast<int>(matrices.size()), item);
    // If elements have more than 2 bytes, only rows of up to 16 bytes are faster.
    if (item > 2 && matrices.size() * item > 16) return false;
    return matrices.front().shape()[0] > 1 &&
           std::all_of(matrices.begin(), matrices.end(), [chunk](const Array& matrix) {
               return matrix.shape()[1] == 1 &&
                      reinterpret_cast<std::uintptr_t>(matrix.data()) % chunk == 0;
           });
}

std::int64_t ceil_divide(std::int64_t value, std::size_t divisor) {
    return (value + static_cast<std::int64_t>(divisor) - 1) / static_cast<std::int64_t>(divisor);
}

void weave_at_once(const Array& result, std::span<const Array> matrices) {
    const auto count = static_cast<int>(matrices.size());
    std::vector<Argument> arguments;
    for (const Array& matrix : matrices) arguments.emplace_back(matrix.reshape({-1}));
    arguments.emplace_back(static_cast<std::uint64_t>(result.shape()[0]));
    const std::size_t item = item_size(result.dtype());
    const std::int64_t threads =
        ceil_divide(result.shape()[0], array_kernels::chunk_bytes(count, item) / item);
    joining_kernel(true, count)
        .call(arguments, {.outputs = {result.reshape({-1})}, .size = threads});
}

void join_at_once(const Array& result, std::span<const Array> matrices) {
    if (is_woven(matrices)) return weave_at_once(result, matrices);
    const int count =
        *std::ranges::lower_bound(array_kernels::join_counts, static_cast<int>(matrices.size()));
    const auto width = static_cast<std::uint32_t>(result.shape()[1]);
    std::vector<Argument> arguments;
    std::vector<Argument> begins;
    std::uint32_t begin = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        const bool is_given = k < matrices.size();
        arguments.emplace_back((is_given ? matrices[k] : matrices.front()).reshape({-1}));
        if (k > 0) begins.emplace_back(is_given ? begin : width);
        if (is_given) begin += static_cast<std::uint32_t>(matrices[k].shape()[1]);
    }
    arguments.insert(arguments.end(), begins.begin(), begins.end());
    arguments.emplace_back(width);
    arguments.emplace_back(static_cast<std::uint64_t>(result.size()));
    arguments.emplace_back(array_kernels::inverse_of(width));
    constexpr std::size_t piece_bytes = 16;
    const std::size_t skipped = reinterpret_cast<std::uintptr_t>(result.data()) % piece_bytes;
    arguments.emplace_back(static_cast<std::uint32_t>(skipped / item_size(result.dtype())));
    joining_kernel(false, count)
        .call(arguments,
              {.outputs = {result.reshape({-1})},
               .size = ceil_divide(result.size_bytes() + static_cast<std::int64_t>(skipped),
                                   piece_bytes)});
}

// Returns a new matrix whose rows are the joined rows.
Array joined_rows(std::span<const Array> matrices) {
    const Array& first = matrices.front();
    if (matrices.size() == 1) return first;
    std::int64_t width = 0;
    for (const Array& matrix : matrices) width += matrix.shape()[1];
    const Array result =
        empty({first.shape()[0], width}, first.dtype(), {.device = first.device()});
    join_at_once(result, matrices);
    return result;
}

}  // namespace

void assign_on_device(const Array& destination, const Array& source) {
    if (destination.dtype() == source.dtype()) {
        static const ElementwiseKernel* const copy = make_kernel(array_kernels::copy());
        const bool is_whole = !is_complex(source.dtype()) ||
                              (is_naturally_aligned(source) && is_naturally_aligned(destination));
        if (is_whole && destination.size_bytes() < least_ragged_bytes) {
            (*copy)(bits_of(source), out(bits_of(destination)));
        } else if (is_whole) {
            write_in_vectors(
                {bits_of(destination), bits_of(source)},
                [](std::span<const Array> to_from) { (*copy)(to_from[1], out(to_from[0])); });
        } else if (source.rank() == max_rank) {
            // No axis is left for the parts, so each index of the first axis is assigned separately.
            for (std::int64_t index = 0; index < source.shape()[0]; ++index) {
                assign_on_device(destination[index], source[index]);
            }
        } else {
            (*copy)(parts_of(source), out(parts_of(destination)));
        }
        return;
    }
    static const ElementwiseKernel* const plain = make_kernel(array_kernels::convert());
    static const ElementwiseKernel* const any = make_kernel(array_kernels::convert_complex());
    const bool with_complex = is_complex(destination.dtype()) || is_complex(source.dtype());
    (with_complex ? *any : *plain)(source, out(destination));
}

bool can_join_rows_on_device(Device device) {
    return can_compile(compiler(device.kind()));
}

// If there are more matrices than one kernel takes, groups of them are joined. If there is only one row, each group is a part of it. Other
// groups are joined into matrices with longer rows, and these again.
void join_rows_on_device(const Array& result, std::span<const Array> matrices) {
    constexpr std::size_t most = most_joined_at_once;
    static_assert(array_kernels::join_counts.back() == most);
    if (matrices.size() <= most) return join_at_once(result, matrices);
    const bool is_one_row = result.shape()[0] == 1;
    std::vector<Array> groups;
    std::int64_t begin = 0;
    for (std::size_t k = 0; k < matrices.size(); k += most) {
        const auto group = matrices.subspan(k, std::min(most, matrices.size() - k));
        if (!is_one_row) {
            groups.push_back(joined_rows(group));
            continue;
        }
        std::int64_t end = begin;
        for (const Array& matrix : group) end += matrix.shape()[1];
        const std::vector<Range> part{Range{}, Range{.start = begin, .stop = end}};
        join_at_once(result.slice(part), group);
        begin = end;
    }
    if (!is_one_row) join_rows_on_device(result, groups);
}

void fill_on_device(const Array& destination, const Scalar& value) {
    static const ElementwiseKernel* const fill = make_kernel(array_kernels::fill());
    if (destination.size_bytes() < least_ragged_bytes) {
        (*fill)(value, out(destination));
        return;
    }
    write_in_vectors({destination},
                     [&](std::span<const Array> parts) { (*fill)(value, out(parts[0])); });
}

void arange_on_device(const Array& destination,
                      double start,
                      double step,
                      std::int64_t integer_start,
                      std::int64_t integer_step) {
    const DTypeKind kind = kind_of(destination.dtype());
    if (kind == DTypeKind::signed_integer || kind == DTypeKind::unsigned_integer) {
        static const ElementwiseKernel* const integers = make_kernel(array_kernels::arange());
        (*integers)(integer_start, integer_step, out(destination));
        return;
    }
    static const ElementwiseKernel* const reals = make_kernel(array_kernels::arange_real());
    (*reals)(start, step, out(destination));
}

}  // namespace kgen
