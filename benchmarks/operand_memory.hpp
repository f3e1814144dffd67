// SPDX-License-Identifier: MIT
//
// OperandMemory: the memory of one operand on the current device. The host keeps a copy of an input's values,
// so that no kernel is needed to read them.
#pragma once

#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

class OperandMemory {
public:
    // Fills the memory with random values: floating-point values with random mantissas between -2 and 2, and
    // integers with random low 8 bits, both other than 0, and bools. The values repeat after 2^20 - 3 elements,
    // an odd number.
    static OperandMemory random(const Operand& operand, Scale scale, unsigned seed);
    // Sets all bits, without a kernel, so that floating-point values are NaN. The allocation has a margin
    // behind the operand.
    static OperandMemory poisoned(const Operand& operand, Scale scale);
    void poison() const;
    // Wraps an array that the library returned. There is no margin.
    static OperandMemory made(const Array& array);

    // Returns the array that is passed to the kernel.
    const Array& view() const noexcept { return view_; }

    // Replaces the view. `view` must be a view of the same memory.
    void show(const Array& view) { view_ = view; }

    // Returns the input's value for an index of the result. The input broadcasts to the result's shape.
    Number value_at(const Dims& index) const;

    // Writes the real parts of `count` values of the input, from `index` on along an axis of the loop, to
    // `real`, and the imaginary ones to `imaginary` unless it is null.
    void gather(
        const Dims& index, int axis, std::int64_t count, double* real, double* imaginary) const;

    // Returns `count` elements along the last axis from `index` on, copied from the device without a kernel.
    std::vector<Number> read(const Dims& index, std::int64_t count) const;
    // Whether the memory of a poisoned operand that holds no element of the view is unchanged: before it, behind
    // it, and in its gaps, of which runs of 64 elements are compared, spread over the memory.
    bool is_intact_outside() const;
    // Returns all bytes of the view in C order.
    std::vector<std::byte> bytes() const;

private:
    OperandMemory() = default;
    OperandMemory(const Operand& operand, Scale scale, std::int64_t margin);
    std::int64_t byte_offset(const Dims& index) const;
    bool is_intact(std::int64_t begin, std::int64_t end) const;

    Array allocation_;
    Array view_;
    std::vector<Number> values_;  // one period of the allocation's values, from its begin
    std::int64_t before_ = 0;     // elements of the allocation before the operand
    std::int64_t margin_ = 0;     // elements of the allocation behind the operand
};

// Returns the shape to which the operands broadcast. Their shapes must broadcast.
Dims broadcast_shape(const std::vector<OperandMemory>& operands);

}  // namespace kgen::bench
