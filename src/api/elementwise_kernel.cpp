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
    return impl_->pipeline.run(arguments, options);
}

Explanation ElementwiseKernel::explain(std::span<const Argument> arguments,
                                       const CallOptions& options,
                                       const TargetOptions& target) const {
    return impl_->pipeline.explain(arguments, options, target);
}

void ElementwiseKernel::check_single_output() const {
    if (output_count() <= 1) return;
    throw TypeError(fmt::format(
        "kernel '{0}': it has {1} outputs; call outputs<{1}>(...)", name(), output_count()));
}

void ElementwiseKernel::check_output_count(std::size_t count) const {
    if (static_cast<std::size_t>(output_count()) == count) return;
    throw TypeError(fmt::format("kernel '{}': outputs<{}> was called, but it has {} output{}",
                                name(),
                                count,
                                output_count(),
                                output_count() == 1 ? "" : "s"));
}

}  // namespace kgen
