// SPDX-License-Identifier: MIT
#include <kgen/elementwise_kernel.hpp>

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
    return impl_->pipeline.parameter_names();
}

std::vector<Array> ElementwiseKernel::call(std::span<const Argument> arguments,
                                           const CallOptions& options) const {
    return impl_->pipeline.run_all(CallView(arguments, options));
}

Array ElementwiseKernel::call_single(std::initializer_list<CallPart> parts) const {
    return impl_->pipeline.run_single(CallView(parts));
}

void ElementwiseKernel::call_several(std::initializer_list<CallPart> parts,
                                     std::span<Array> results) const {
    impl_->pipeline.run_several(CallView(parts), results);
}

BoundLaunch ElementwiseKernel::bind_parts(std::initializer_list<CallPart> parts) const {
    return impl_->pipeline.bind(CallView(parts));
}

BoundLaunch ElementwiseKernel::bind_call(std::span<const Argument> arguments,
                                         const CallOptions& options) const {
    return impl_->pipeline.bind(CallView(arguments, options));
}

Explanation ElementwiseKernel::explain(std::span<const Argument> arguments,
                                       const CallOptions& options,
                                       const TargetOptions& target) const {
    return impl_->pipeline.explain(CallView(arguments, options), target);
}

}  // namespace kgen
