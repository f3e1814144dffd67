// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/elementwise_kernel.hpp>
#include <kgen/error.hpp>

#include "api/pipeline.hpp"

namespace kgen {

struct ElementwiseKernel::Impl {
    Pipeline pipeline;
};

ElementwiseKernel::ElementwiseKernel(std::string_view inputs,
                                     std::string_view outputs,
                                     std::string_view operation,
                                     std::string_view name,
                                     ElementwiseOptions options) {
    Definition definition{.name = std::string(name),
                          .inputs = std::string(inputs),
                          .outputs = std::string(outputs),
                          .operation = std::string(operation),
                          .preamble = std::move(options.preamble),
                          .loop_prep = std::move(options.loop_prep),
                          .after_loop = std::move(options.after_loop),
                          .options = std::move(options.options)};
    const Merging merging = options.reduce_dims == ReduceDims::yes ? Merging::yes : Merging::no;
    impl_ = std::shared_ptr<const Impl>(new Impl{Pipeline(std::move(definition), merging)});
}

const std::string& ElementwiseKernel::name() const noexcept {
    return impl_->pipeline.signature().name;
}

int ElementwiseKernel::input_count() const noexcept {
    return impl_->pipeline.signature().input_count;
}

int ElementwiseKernel::output_count() const noexcept {
    return impl_->pipeline.signature().output_count();
}

std::vector<std::string> ElementwiseKernel::parameter_names() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : impl_->pipeline.signature().parameters)
        names.push_back(parameter.name);
    return names;
}

std::vector<Array> ElementwiseKernel::call(std::span<const Argument> arguments,
                                           const CallOptions& options) const {
    std::vector<Array> results(static_cast<std::size_t>(output_count()));
    impl_->pipeline.run(CallView(arguments, options), results);
    return results;
}

Array ElementwiseKernel::call_single(std::initializer_list<CallPart> parts) const {
    const int outputs = output_count();
    if (outputs > 1) {
        throw TypeError(fmt::format(
            "kernel '{0}': it has {1} outputs; call outputs<{1}>(...)", name(), outputs));
    }
    Array result;
    impl_->pipeline.run(CallView(parts),
                        std::span<Array>(&result, static_cast<std::size_t>(outputs)));
    return result;
}

void ElementwiseKernel::call_several(std::initializer_list<CallPart> parts,
                                     std::span<Array> results) const {
    if (static_cast<std::size_t>(output_count()) != results.size()) {
        throw TypeError(fmt::format("kernel '{}': outputs<{}> was called, but it has {} output{}",
                                    name(),
                                    results.size(),
                                    output_count(),
                                    output_count() == 1 ? "" : "s"));
    }
    impl_->pipeline.run(CallView(parts), results);
}

BoundLaunch ElementwiseKernel::bind_parts(std::initializer_list<CallPart> parts) const {
    return BoundLaunch(
        std::make_shared<const FrozenLaunch>(impl_->pipeline.freeze(CallView(parts))));
}

BoundLaunch ElementwiseKernel::bind_call(std::span<const Argument> arguments,
                                         const CallOptions& options) const {
    return BoundLaunch(
        std::make_shared<const FrozenLaunch>(impl_->pipeline.freeze(CallView(arguments, options))));
}

Explanation ElementwiseKernel::explain(std::span<const Argument> arguments,
                                       const CallOptions& options,
                                       const TargetOptions& target) const {
    return impl_->pipeline.explain(CallView(arguments, options), target);
}

}  // namespace kgen
