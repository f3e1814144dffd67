// SPDX-License-Identifier: MIT
//
// Element operations on CUDA arrays that need a kernel. The array code calls them if all arrays are on one
// CUDA device. The kernels are elementwise kernels of kgen itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/scalar.hpp>
#include <span>

namespace kgen {

// Converts each element of `source` and writes it to `destination`. Both have the same shape, are on the same
// device and not empty, and do not overlap unless they are the same elements. `destination` may have any
// strides; those of `source` may also be 0.
void assign_on_device(const Array& destination, const Array& source);
// Number of matrices that one kernel joins. More are joined in groups first, which needs as much memory
// again, unless there is only one row.
inline constexpr std::size_t most_joined_at_once = 16;
// Returns whether join_rows_on_device() can get its kernels. No pack contains them, so they must be compiled.
bool can_join_rows_on_device(Device device);
// Concatenates matrices along their columns: row i of `result` consists of row i of each matrix, in order.
// Copies bytes without converting them. Requires at least two matrices. All matrices and `result` are dense,
// not empty, on one device, and have the same number of rows and the same dtype of 1, 2, 4, 8 or 16 bytes. The
// result has at most 2^32 - 1 columns, is aligned to 16 bytes and overlaps none of the matrices.
void join_rows_on_device(const Array& result, std::span<const Array> matrices);
// Writes `value`, already converted to the array's dtype, to all elements.
void fill_on_device(const Array& destination, const Scalar& value);
// Writes start + i * step to element i of a rank 1 array; integer_start + i * integer_step for integer
// dtypes.
void arange_on_device(const Array& destination,
                      double start,
                      double step,
                      std::int64_t integer_start,
                      std::int64_t integer_step);

}  // namespace kgen
