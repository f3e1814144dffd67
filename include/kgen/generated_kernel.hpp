// SPDX-License-Identifier: MIT
//
// GeneratedKernel: the interface for calling kernels that are defined by strings.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <kgen/bound_launch.hpp>
#include <kgen/call_options.hpp>
#include <kgen/explanation.hpp>
#include <kgen/export.hpp>
#include <kgen/expression.hpp>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kgen {

namespace detail {

// The list is valid until the end of the full expression.
inline std::span<const CallPart> as_span(const std::initializer_list<CallPart>& parts) noexcept {
    return {parts.begin(), parts.size()};
}

class ShardedPart;  // <kgen/sharded_array.hpp>

}  // namespace detail

class ShardedArray;  // <kgen/sharded_array.hpp>
struct ShardedOutput;
class PipelineChoice;  // src/call/pipeline_choice.hpp: selects the Pipeline of a call
class GeneratedKernel;

// An argument of a call whose arrays are sharded among the ranks of a communicator.
template <typename T>
concept ShardedArgument = std::same_as<std::remove_cvref_t<T>, ShardedArray> ||
    std::same_as<std::remove_cvref_t<T>, ShardedOutput>;

namespace detail {

KGEN_EXPORT ShardedArray call_sharded(const GeneratedKernel& kernel,
                                      std::span<const ShardedPart> parts);
KGEN_EXPORT void call_sharded(const GeneratedKernel& kernel,
                              std::span<const ShardedPart> parts,
                              std::span<ShardedArray> results);
KGEN_EXPORT BoundLaunch bind_sharded(const GeneratedKernel& kernel,
                                     std::span<const ShardedPart> parts);

}  // namespace detail

// Base class of ElementwiseKernel, ReductionKernel and KernelTemplate. It is a copyable handle that can also
// be used by itself to hold a kernel of any of these classes. Copies share the compiled code. Calls are
// thread-safe. The first call for a combination of dtypes and layouts compiles the kernel or reads it from
// the cache; later calls only launch it. On CUDA a call returns before the kernel has run. On the host it is
// complete on return.
class KGEN_EXPORT GeneratedKernel {
public:
    const std::string& name() const noexcept;
    int input_count() const noexcept;
    int output_count() const noexcept;
    // Returns the names of the inputs, followed by those of the outputs.
    std::vector<std::string> parameter_names() const;
    // Returns for each parameter, in the same order, whether it is declared `raw`.
    std::vector<bool> raw_parameters() const;

    // Runs the kernel and returns its outputs, given or new. The kernel's class documents the shape of new
    // outputs. `arguments` are the inputs, optionally followed by the outputs. An output that the kernel
    // reads before writing it (`y += x`) must be given because a new array has no values; otherwise TypeError
    // is thrown. Throws TypeError, ShapeError, CompileError or DeviceError before anything is launched or
    // written.
    std::vector<Array> call(std::span<const Argument> arguments, const CallOptions& = {}) const;

    // Does the same as call(), with arrays, expressions and numbers passed directly. The options out(z), on(stream),
    // size(n), block_size(n), axis(k) and keepdims may be among them. Returns the output, or an empty Array
    // if the kernel has none or several. Several outputs must be given, as in split(x, out(lo, hi)); otherwise
    // TypeError is thrown. call<count>() makes new ones and returns all.
    template <typename... Arguments>
    Array operator()(Arguments&&... arguments) const {
        return call_parts(
            detail::as_span({CallPart(detail::computed(std::forward<Arguments>(arguments)))...}));
    }

    // Does the same with sharded arrays, each rank with its block. All arrays are sharded and divided in the same way, or
    // replicated; numbers are the same on all ranks. Indices in the texts are those of the whole arrays. The results of a
    // reduction along the split axis are replicated.
    template <typename... Arguments>
    requires(ShardedArgument<Arguments> || ...) auto operator()(Arguments&&... arguments) const {
        using Part = std::conditional_t<sizeof...(Arguments) != 0, detail::ShardedPart, void>;
        const Part parts[] = {Part(std::forward<Arguments>(arguments))...};
        return detail::call_sharded(*this, parts);
    }

    // Does the same for a kernel with `count` outputs, and returns all of them:
    // auto [lo, hi] = split.call<2>(x). Throws TypeError if the kernel has another number of outputs.
    template <std::size_t count, typename... Arguments>
    std::array<Array, count> call(Arguments&&... arguments) const {
        std::array<Array, count> list;
        call_parts(
            detail::as_span({CallPart(detail::computed(std::forward<Arguments>(arguments)))...}),
            list);
        return list;
    }
    template <std::size_t count, typename... Arguments>
    requires(ShardedArgument<Arguments> || ...) auto call(Arguments&&... arguments) const {
        using Part = std::conditional_t<sizeof...(Arguments) != 0, detail::ShardedPart, void>;
        using Results =
            std::conditional_t<sizeof...(Arguments) != 0, std::array<ShardedArray, count>, void>;
        const Part parts[] = {Part(std::forward<Arguments>(arguments))...};
        Results list;
        detail::call_sharded(*this, parts, list);
        return list;
    }
    template <std::size_t count, typename... Arguments>
    [[deprecated("use call")]] std::array<Array, count> outputs(Arguments&&... arguments) const {
        return call<count>(std::forward<Arguments>(arguments)...);
    }

    // Do the same with a list that is built at run time, such as that of a binding to another language, and
    // cost the same. A CallPart is an argument or an option; both may stand in any order. CallParts borrow
    // arrays, streams and axes, which must outlive the call. The overload with `results` needs one element for
    // each output and assigns them; it throws TypeError if their number differs.
    Array call_parts(std::span<const CallPart> parts) const;
    void call_parts(std::span<const CallPart> parts, std::span<Array> results) const;

    // Prepares a call that can be launched any number of times. It is checked and compiled, and its outputs
    // are allocated, in bind(). Each launch then costs little more than the driver's launch. Throws the
    // exceptions of call(), and ShapeError if the call would need temporary copies of its arguments. Inputs are
    // read as they lie, where a call may be quicker with copies (docs/guide-layouts.md).
    //
    //     BoundLaunch step = axpy.bind(2.0, x, y, out(y));
    //     for (int k = 0; k < 1000; ++k) step();
    template <typename... Arguments>
    BoundLaunch bind(Arguments&&... arguments) const {
        return bind_parts(
            detail::as_span({CallPart(detail::computed(std::forward<Arguments>(arguments)))...}));
    }
    // Does the same with sharded arrays in a process that has one rank. Throws ShapeError if the call exchanges data with
    // other ranks.
    template <typename... Arguments>
    requires(ShardedArgument<Arguments> || ...) BoundLaunch bind(Arguments&&... arguments)
    const {
        using Part = std::conditional_t<sizeof...(Arguments) != 0, detail::ShardedPart, void>;
        const Part parts[] = {Part(std::forward<Arguments>(arguments))...};
        return detail::bind_sharded(*this, parts);
    }
    // Does the same with a list that is built at run time; see call_parts().
    BoundLaunch bind_parts(std::span<const CallPart> parts) const;
    BoundLaunch bind_arguments(std::span<const Argument> arguments, const CallOptions& = {}) const;
    [[deprecated("use bind_arguments")]] BoundLaunch bind_call(
        std::span<const Argument> arguments, const CallOptions& options = {}) const {
        return bind_arguments(arguments, options);
    }

    // Returns the result of each stage of a call with these arguments, which may be ArraySpecs. Does not
    // compile, launch, or allocate memory on a device.
    Explanation explain(std::span<const Argument> arguments,
                        const CallOptions& = {},
                        const TargetOptions& = {}) const;
    // Does the same with a list that is built at run time; see call_parts().
    Explanation explain_parts(std::span<const CallPart> parts, const TargetOptions& = {}) const;

protected:
    friend struct KernelAccess;
    explicit GeneratedKernel(std::shared_ptr<const PipelineChoice> choice)
        : choice_(std::move(choice)) {}
    const PipelineChoice& choice() const noexcept { return *choice_; }

private:
    std::shared_ptr<const PipelineChoice> choice_;
};

}  // namespace kgen
