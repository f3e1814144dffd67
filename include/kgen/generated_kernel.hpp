// SPDX-License-Identifier: MIT
//
// GeneratedKernel: how kernels that are defined by strings are called.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <kgen/bound_launch.hpp>
#include <kgen/call_options.hpp>
#include <kgen/explanation.hpp>
#include <kgen/export.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

class PipelineChoice;  // src/call/pipeline_choice.hpp: what a call runs through

// What an ElementwiseKernel, a ReductionKernel and a KernelTemplate have in common. A copyable handle,
// also by itself: it holds a kernel of any of these.
// Copies share the compiled kernels. Calls from several threads are safe; the first call for a
// combination of dtypes and layouts compiles or reads the cache, later ones only launch. On CUDA a
// call returns before the kernel has run; on the host it is complete on return.
class KGEN_EXPORT GeneratedKernel {
public:
    const std::string& name() const noexcept;
    int input_count() const noexcept;
    int output_count() const noexcept;
    // The inputs, then the outputs.
    std::vector<std::string> parameter_names() const;

    // Runs the kernel and returns its outputs, given or new: of which shape, the kernel's class says.
    // `arguments` are the inputs, or the inputs and then the outputs. An output that the kernel reads before it writes it
    // (`y += x`) must be given, as a new one holds no values: else TypeError.
    // Throws TypeError, ShapeError, CompileError, DeviceError; then nothing was launched or written.
    std::vector<Array> call(std::span<const Argument> arguments, const CallOptions& = {}) const;

    // The same with arguments written bare: arrays, numbers, and out(z), on(stream), size(n),
    // block_size(n), axis(k) and keepdims among them. Returns the output of a kernel that has one, an
    // empty Array if it has none. Throws TypeError if it has several: see outputs().
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

protected:
    explicit GeneratedKernel(std::shared_ptr<const PipelineChoice> choice)
        : choice_(std::move(choice)) {}
    const PipelineChoice& choice() const noexcept { return *choice_; }

private:
    Array call_single(std::initializer_list<CallPart> parts) const;
    void call_several(std::initializer_list<CallPart> parts, std::span<Array> results) const;
    BoundLaunch bind_parts(std::initializer_list<CallPart> parts) const;

    std::shared_ptr<const PipelineChoice> choice_;
};

}  // namespace kgen
