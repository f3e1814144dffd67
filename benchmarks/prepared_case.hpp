// SPDX-License-Identifier: MIT
//
// PreparedCase: a case with its memory on the current device, ready to be called, checked and timed.
#pragma once

#include "benchmarks/operand_memory.hpp"

namespace kgen::bench {

// The least that a case must move: each operand once, without those that are repeated along an axis
// and so are small beside the others.
struct Traffic {
    double read_bytes = 0;
    double written_bytes = 0;

    double bytes() const { return read_bytes + written_bytes; }
};

class PreparedCase {
public:
    PreparedCase(const Case& row, Scale scale);

    void call() const;
    // Calls once and compares at least 4096 places of the output with the reference, the first and
    // the last elements among them; all if there are fewer. Returns the greatest error, relative
    // where the reference is above 1; NaN if an element was not written or memory outside was.
    double largest_error() const;

    Traffic traffic() const;
    const std::vector<OperandMemory>& inputs() const noexcept { return inputs_; }
    const Array& output() const noexcept { return output_.view(); }

private:
    double error_along(Dims index, std::int64_t count) const;

    Reference reference_;
    ElementwiseKernel kernel_;
    std::vector<OperandMemory> inputs_;
    OperandMemory output_;
    std::vector<Argument> arguments_;
    CallOptions options_;
};

}  // namespace kgen::bench
