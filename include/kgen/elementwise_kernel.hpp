// SPDX-License-Identifier: MIT
//
// ElementwiseKernel: an element-by-element computation defined by strings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
// Copies share the compiled kernels. Calls from several threads are safe; the first call for a
// combination of dtypes and layouts compiles or reads the cache, later ones only launch. On CUDA a
// call returns before the kernel has run; on the host it is complete on return.
class KGEN_EXPORT ElementwiseKernel {
public:
    // Throws SignatureError if the strings do not read; nothing is compiled yet.
    ElementwiseKernel(std::string_view inputs,
                      std::string_view outputs,
                      std::string_view operation,
                      std::string_view name = "kernel",
                      ElementwiseOptions options = {});

    const std::string& name() const noexcept;
    int input_count() const noexcept;
    int output_count() const noexcept;
    // The inputs, then the outputs.
    std::vector<std::string> parameter_names() const;

    // Runs the kernel and returns its outputs, given or new. `arguments` are the inputs, or the
    // inputs and then the outputs. New outputs follow the memory order of the inputs.
    // Throws TypeError, ShapeError, CompileError, DeviceError; then nothing was launched or written.
    std::vector<Array> call(std::span<const Argument> arguments, const CallOptions& = {}) const;

    // The same with arguments written bare; returns the output of a kernel that has one, an empty
    // Array if it has none. Throws TypeError if it has several: see outputs().
    template <typename... Arguments>
    Array operator()(Arguments&&... arguments) const {
        return call_single({CallPart(std::forward<Arguments>(arguments))...});
    }

    // auto [lo, hi] = split.outputs<2>(x);  Throws TypeError if the kernel has not `count` outputs.
    template <std::size_t count, typename... Arguments>
    std::array<Array, count> outputs(Arguments&&... arguments) const {
        std::array<Array, count> list;
        call_several({CallPart(std::forward<Arguments>(arguments))...}, list);
        return list;
    }

    // Fixes a call, to be launched as often as wanted: it is checked, compiled and its outputs are
    // allocated now, and each launch costs little more than the driver's. Throws as call() does, and
    // ShapeError where a call would work on temporary copies of its arguments.
    //
    //     BoundLaunch step = axpy.bind(2.0, x, y, out(y));
    //     for (int k = 0; k < 1000; ++k) step();
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
