// SPDX-License-Identifier: MIT
//
// ReductionKernel: a reduction over axes defined by strings.
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

// What a reduction's definition may hold beside its parameters and texts.
struct ReductionOptions {
    // The accumulator's C++ type: any trivially copyable one, of the preamble too. Empty: by the
    // first output's dtype: float32 for float16 and bfloat16, int64 for int8 to int32, uint64 for bool
    // and uint8 to uint32, else the dtype itself.
    std::string reduce_type = {};
    std::string preamble = {};              // before the kernel: functions, macros, types
    std::vector<std::string> options = {};  // for the compiler: "-DNAME=1", "--use_fast_math"
    Accuracy accuracy = Accuracy::plain;    // compensated: for sums ("a + b") of floating point
    ReduceDims reduce_dims = ReduceDims::yes;
};

// Folds the elements of its inputs, which broadcast against each other, along some of their axes.
//
//     ReductionKernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm");
//     Array norms = l2norm(x, axis(1));
//     l2norm(x, axis({0, -1}), keepdims, out(y));
//
// The map gives each element's value: an expression of the inputs, or statements that return it. The
// reduce expression folds two of these, `a` and `b`; it must be associative and commutative, as the
// order of elements is kgen's. The post-map writes the outputs from the folded value `a`. The fold
// starts from the identity; where that is empty, from the first element, and then an empty input is an
// error. The map sees `i` (the element's C-order index), `_J` (its C-order index along the
// reduced axes), `_in_ind` and `_out_ind` (indices); the post-map `i`, the output's index, and both.
//
// How it is called, bound and explained is said in GeneratedKernel. Its outputs, given or new, are all
// of one shape: that of the inputs without the reduced axes (CallOptions::axes, all if none are
// given), or with extent 1 there (CallOptions::keepdims). The scratch memory of a bound call is its
// own: launches of one BoundLaunch must not run at the same time, as their outputs would not allow
// either.
//
// Results are the same, bit by bit, in every run on one device.
class KGEN_EXPORT ReductionKernel : public GeneratedKernel {
public:
    // Throws SignatureError if the strings do not read, or if no text names an output; nothing is compiled yet.
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
