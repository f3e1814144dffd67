// SPDX-License-Identifier: MIT
//
// PreparedCase: a case with its memory on the current device. It can be called, checked and timed.
#pragma once

#include "benchmarks/operand_memory.hpp"

namespace kgen::bench {

// The least traffic of a case: each operand once. Broadcast operands do not count, because they are small
// compared with the others.
struct Traffic {
    double read_bytes = 0;
    double written_bytes = 0;

    double bytes() const { return read_bytes + written_bytes; }
};

class PreparedCase {
public:
    PreparedCase(const Case& row, Scale scale);

    void call() const;
    // Makes the kernel of the case again, which then reads KGEN_LOOP again. Its memory stays.
    void make_kernel_again(const Case& row);
    // Calls once and returns the error of the outputs, see result_error.hpp. NaN if memory outside them was
    // written.
    double largest_error() const;
    // The same for other work that writes the outputs, after they are poisoned again. Not for a function on
    // arrays.
    double error_of(const std::function<void()>& work) const;

    // Explains the kernel's call. The case must not be a function on arrays.
    Explanation explain() const;

    Traffic traffic() const;
    const std::vector<OperandMemory>& inputs() const noexcept { return inputs_; }
    const std::vector<OperandMemory>& outputs() const noexcept { return outputs_; }
    const Array& output() const noexcept { return outputs_.front().view(); }

    Dims loop_shape() const;

private:
    double error_of_outputs() const;
    double kernel_error(const Kernel& kernel) const;

    // Calls the function on arrays and returns its result.
    Array call_function() const;
    double function_error(const ArrayFunction& function, const OperandMemory& output) const;

    std::variant<Kernel, Reduction, ArrayFunction> definition_;
    std::optional<GeneratedKernel> kernel_;  // empty for a function on arrays
    std::vector<OperandMemory> inputs_;
    std::vector<int> reduced_axes_;  // empty unless the case is a Reduction
    std::vector<OperandMemory> outputs_;
    std::vector<Argument> arguments_;
    std::vector<Array> arrays_;  // inputs of a function on arrays
    CallOptions options_;
};

}  // namespace kgen::bench
