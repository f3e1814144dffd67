// SPDX-License-Identifier: MIT
//
// ReductionKernel: a reduction over axes defined by strings.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <kgen/accuracy.hpp>
#include <kgen/bound_launch.hpp>
#include <kgen/call_options.hpp>
#include <kgen/explanation.hpp>
#include <kgen/export.hpp>
#include <kgen/reduce_dims.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
// Results are the same, bit by bit, in every run on one device. Copies share the compiled kernels.
// Calls from several threads are safe; the first call for a combination of dtypes and layouts
// compiles or reads the cache, later ones only launch. On CUDA a call returns before the kernel has
// run; on the host it is complete on return.
class KGEN_EXPORT ReductionKernel {
public:
    // Throws SignatureError if the strings do not read; nothing is compiled yet.
    ReductionKernel(std::string_view inputs,
                    std::string_view outputs,
                    std::string_view map,
                    std::string_view reduce,
                    std::string_view post_map,
                    std::string_view identity,
                    std::string_view name = "reduce_kernel",
                    ReductionOptions options = {});

    const std::string& name() const noexcept;
    int input_count() const noexcept;
    int output_count() const noexcept;
    // The inputs, then the outputs.
    std::vector<std::string> parameter_names() const;

    // Runs the kernel and returns its outputs, given or new, all of one shape: that of the inputs without
    // the reduced axes (CallOptions::axes, all if none are given), or with extent 1 there
    // (CallOptions::keepdims). `arguments` are the inputs, or the inputs and then the outputs.
    // Throws TypeError, ShapeError, CompileError, DeviceError; then nothing was launched or written.
    std::vector<Array> call(std::span<const Argument> arguments, const CallOptions& = {}) const;

    // The same with arguments written bare; returns the output of a kernel that has one, an empty
    // Array if it has none. Throws TypeError if it has several: see outputs().
    template <typename... Arguments>
    Array operator()(Arguments&&... arguments) const {
        return call_single({CallPart(std::forward<Arguments>(arguments))...});
    }

    // auto [low, high] = range.outputs<2>(x);  Throws TypeError if the kernel has not `count` outputs.
    template <std::size_t count, typename... Arguments>
    std::array<Array, count> outputs(Arguments&&... arguments) const {
        std::array<Array, count> list;
        call_several({CallPart(std::forward<Arguments>(arguments))...}, list);
        return list;
    }

    // Fixes a call, see ElementwiseKernel::bind. Its scratch memory is its own: launches of one
    // BoundLaunch must not run at the same time, as their outputs would not allow either.
    template <typename... Arguments>
    BoundLaunch bind(Arguments&&... arguments) const {
        return bind_parts({CallPart(std::forward<Arguments>(arguments))...});
    }
    BoundLaunch bind_call(std::span<const Argument> arguments, const CallOptions& = {}) const;

    // Every stage's artifact of a call with these arguments, which may be ArraySpecs; nothing is
    // compiled, launched or allocated on a device.
    Explanation explain(std::span<const Argument> arguments,
                        const CallOptions& = {},
                        const TargetOptions& = {}) const;

private:
    friend class KernelTemplate;
    struct Impl;
    Array call_single(std::initializer_list<CallPart> parts) const;
    void call_several(std::initializer_list<CallPart> parts, std::span<Array> results) const;
    BoundLaunch bind_parts(std::initializer_list<CallPart> parts) const;

    std::shared_ptr<const Impl> impl_;
};

}  // namespace kgen
