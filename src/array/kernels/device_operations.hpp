// SPDX-License-Identifier: MIT
//
// Element work on CUDA arrays that takes a kernel. The array code calls these where all arrays are
// on one CUDA device; the kernels are elementwise kernels of kgen itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/scalar.hpp>
#include <span>

namespace kgen {

// Writes each element of `source`, converted, to `destination`: same shape, same device, no overlap
// but an exact one, not empty. `destination` may have any strides, `source` also stride 0.
void assign_on_device(const Array& destination, const Array& source);
// More are joined in groups first, which takes as much memory again.
inline constexpr std::size_t most_joined_at_once = 8;
// Whether join_rows_on_device() has its kernels: they are in no pack, so not where nothing may be compiled.
bool can_join_rows_on_device(Device device);
// Writes the rows of dense matrices, one row of each after the other, to rows of a dense matrix. All have one
// dtype of 1, 2, 4, 8 or 16 bytes, of which the bytes are copied, and as many rows; `result`, on the same device,
// is aligned to 16 bytes, not empty and overlaps none of them. No matrix is empty, and there are two at least.
void join_rows_on_device(const Array& result, std::span<const Array> matrices);
// Writes `value`, which has been converted to the array's dtype, to all elements.
void fill_on_device(const Array& destination, const Scalar& value);
// Writes start + i * step (istart + i * istep for integer dtypes) to element i of a rank 1 array.
void arange_on_device(const Array& destination,
                      double start,
                      double step,
                      std::int64_t integer_start,
                      std::int64_t integer_step);

}  // namespace kgen
