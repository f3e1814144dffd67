// SPDX-License-Identifier: MIT
//
// OperandMemory: the memory of one operand on the current device. The host keeps the values that an
// input was filled with, so that no kernel is needed to know them.
#pragma once

#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

class OperandMemory {
public:
    // Random values, not 0: reals of all mantissa bits between -2 and 2, integers of all bits. They
    // repeat after about a million elements, an odd number.
    static OperandMemory random(const Operand& operand, Scale scale, unsigned seed);
    // All bits set, NaN for reals, without any kernel; with some elements more behind the end.
    static OperandMemory poisoned(const Operand& operand, Scale scale);
    void poison() const;
    // An array that the library made: nothing of its memory is outside of it.
    static OperandMemory made(const Array& array);

    // What the kernel is given.
    const Array& view() const noexcept { return view_; }

    // Shows another part of the memory instead, of which `view` is a view.
    void show(const Array& view) { view_ = view; }

    // The value of an input that belongs to an index of the result, to whose shape it broadcasts.
    Number value_at(const Dims& index) const;

    // The real parts of `count` values of an input along an axis of the loop from an index on.
    void gather(const Dims& index, int axis, std::int64_t count, double* values) const;

    // Elements along the last axis from an index on, read from the device by plain copies.
    std::vector<Number> read(const Dims& index, std::int64_t count) const;
    // Whether what is before and behind a poisoned operand still is as it was.
    bool is_intact_outside() const;
    // All bytes of what the kernel is given, in C order.
    std::vector<std::byte> bytes() const;

private:
    OperandMemory() = default;
    OperandMemory(const Operand& operand, Scale scale, std::int64_t margin);
    std::int64_t byte_offset(const Dims& index) const;

    Array allocation_;
    Array view_;
    std::vector<Number> values_;  // of the allocation, from its start, again and again
    std::int64_t before_ = 0;     // elements of the allocation before the operand
    std::int64_t margin_ = 0;     // and behind it
};

// The shape that the operands broadcast to; their shapes do broadcast.
Dims broadcast_shape(const std::vector<OperandMemory>& operands);

}  // namespace kgen::bench
