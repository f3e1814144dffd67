// SPDX-License-Identifier: MIT
//
// ElementwiseKernel: an element-by-element computation defined by strings.
#pragma once

#include <kgen/export.hpp>
#include <kgen/generated_kernel.hpp>
#include <kgen/reduce_dims.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kgen {

// What a kernel's definition may hold beside its parameters and body. Text is C++ for the device.
struct ElementwiseOptions {
    std::string preamble = {};              // before the kernel: functions, macros, types
    std::vector<std::string> options = {};  // for the compiler: "-DNAME=1", "--use_fast_math"
    std::string loop_prep = {};             // once per thread, before its elements
    std::string after_loop = {};            // once per thread, after its elements
    ReduceDims reduce_dims = ReduceDims::yes;
};

// Computes each element of its outputs from the matching elements of its inputs, which broadcast
// against each other.
//
//     ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
//     Array z = axpy(2.0, x, y);
//     axpy(2.0, x, y, out(z));
//
// Parameters are written `[raw] [const|_non_const] TYPE NAME`. TYPE is a dtype name or one letter, a
// placeholder that takes the dtype of its argument. `raw` parameters are indexed by hand. The body
// sees `i` (the C-order index of the element), `n` (their number) and `_ind` (the indices).
//
// How it is called, bound and explained is said in GeneratedKernel. New outputs have the shape to
// which the inputs broadcast, and follow their memory order.
class KGEN_EXPORT ElementwiseKernel : public GeneratedKernel {
public:
    // Throws SignatureError if the strings do not read, or if no text names an output; nothing is compiled yet.
    ElementwiseKernel(std::string_view inputs,
                      std::string_view outputs,
                      std::string_view operation,
                      std::string_view name = "kernel",
                      ElementwiseOptions options = {});

private:
    friend struct KernelAccess;
    explicit ElementwiseKernel(std::shared_ptr<const PipelineChoice> choice)
        : GeneratedKernel(std::move(choice)) {}
};

}  // namespace kgen
