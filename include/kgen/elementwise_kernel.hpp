// SPDX-License-Identifier: MIT
//
// ElementwiseKernel: a kernel that computes its outputs element by element, defined by strings.
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

// Optional parts of a kernel's definition. The code strings are C++ for the device.
struct ElementwiseOptions {
    std::string preamble = {};              // code before the kernel: functions, macros, types
    std::vector<std::string> options = {};  // compiler options: "-DNAME=1", "--use_fast_math"
    // Directories that are searched for #include, in this order and before those of "-I". The contents of the
    // files that the texts include are part of the cache key; the directories' names are not.
    std::vector<std::string> include_directories = {};
    std::string loop_prep = {};   // code that each thread runs once, before its elements
    std::string after_loop = {};  // code that each thread runs once, after its elements
    ReduceDims reduce_dims = ReduceDims::yes;
};

// A kernel that computes each element of its outputs from the corresponding elements of its inputs. The
// inputs broadcast against each other.
//
//     ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
//     Array z = axpy(2.0, x, y);
//     axpy(2.0, x, y, out(z));
//
// A parameter is written `[raw] [const|_non_const] TYPE NAME`. TYPE is a dtype name, or a single letter: a
// placeholder for the dtype of the argument. A `raw` parameter is a whole array that the body indexes itself.
// The body can use `i` (C-order index of the element), `n` (number of elements) and `_ind` (index along each
// axis).
//
// See GeneratedKernel for how to call, bind and explain the kernel. New outputs have the shape that the
// inputs broadcast to, and their memory order follows the inputs.
class KGEN_EXPORT ElementwiseKernel : public GeneratedKernel {
public:
    // Throws SignatureError if the strings cannot be parsed, if an output is not used in any of them, or if an
    // include directory is empty. Compiles nothing.
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
