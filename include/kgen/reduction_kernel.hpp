// SPDX-License-Identifier: MIT
//
// ReductionKernel: a reduction along axes, defined by strings.
#pragma once

#include <kgen/accuracy.hpp>
#include <kgen/export.hpp>
#include <kgen/generated_kernel.hpp>
#include <kgen/reduce_dims.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kgen {

// Options of a ReductionKernel's definition.
struct ReductionOptions {
    // C++ type of the accumulator: any trivially copyable type, also one that the preamble defines. If empty,
    // the dtype of the first output decides: float32 for float16 and bfloat16, int64 for int8 to int32,
    // uint64 for bool and uint8 to uint32, and the dtype itself otherwise.
    std::string reduce_type = {};
    std::string preamble = {};              // code before the kernel: functions, macros, types
    std::vector<std::string> options = {};  // compiler options: "-DNAME=1", "--use_fast_math"
    // Directories that are searched for #include, in this order and before those of "-I". The contents of the
    // files that the texts include are part of the cache key; the directories' names are not.
    std::vector<std::string> include_directories = {};
    Accuracy accuracy = Accuracy::plain;  // compensated: only for floating-point sums ("a + b")
    ReduceDims reduce_dims = ReduceDims::yes;
};

// A kernel that reduces its inputs along some or all axes. The inputs broadcast against each other.
//
//     ReductionKernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm");
//     Array norms = l2norm(x, axis(1));
//     l2norm(x, axis({0, -1}), keepdims, out(y));
//
// `map` computes the value of each element: an expression of the inputs, or statements that return a value.
// `reduce` combines two such values, `a` and `b`. It must be associative and commutative, because kgen
// chooses the order. `post_map` computes the outputs from the final accumulator `a`. The reduction starts
// from `identity`. If that is empty, it starts from the first element, and reducing no elements is an error.
// In `map`, `i` is the C-order index of the element, `_J` its C-order index along the reduced axes, and
// `_in_ind` and `_out_ind` are the indices along each axis of input and output. In `post_map`, `i` is the
// C-order index of the output, `_out_ind` holds its indices along each axis, and `_in_ind` gives only the
// number of input elements.
//
// GeneratedKernel documents how to call, bind and explain it. CallOptions::axes selects the reduced axes; the
// default is all. All outputs, given or new, have the shape of the broadcast inputs without the reduced axes,
// or with extent 1 there (CallOptions::keepdims). Each BoundLaunch owns its scratch memory, so two launches
// of one BoundLaunch must not run at the same time: their outputs would conflict, and on a GPU they may never end.
//
// Results are bit-for-bit reproducible on one device.
class KGEN_EXPORT ReductionKernel : public GeneratedKernel {
public:
    // Compiles nothing yet. Throws SignatureError if a string cannot be parsed, if an output is never named, or
    // if an include directory is empty.
    ReductionKernel(std::string_view inputs,
                    std::string_view outputs,
                    std::string_view map,
                    std::string_view reduce,
                    std::string_view post_map,
                    std::string_view identity,
                    std::string_view name = "reduce_kernel",
                    ReductionOptions options = {});

private:
    friend struct KernelAccess;
    explicit ReductionKernel(std::shared_ptr<const PipelineChoice> choice)
        : GeneratedKernel(std::move(choice)) {}
};

}  // namespace kgen
