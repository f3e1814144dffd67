// SPDX-License-Identifier: MIT
#include <kgen/reduction_kernel.hpp>

#include "api/pipeline.hpp"

namespace kgen {

struct ReductionKernel::Impl {
    Pipeline pipeline;
};

ReductionKernel::ReductionKernel(std::string_view inputs,
                                 std::string_view outputs,
                                 std::string_view map,
                                 std::string_view reduce,
                                 std::string_view post_map,
                                 std::string_view identity,
                                 std::string_view name,
                                 ReductionOptions options) {
    Definition definition{.name = std::string(name),
                          .inputs = std::string(inputs),
                          .outputs = std::string(outputs),
                          .operation = std::string(map),
                          .preamble = std::move(options.preamble),
                          .loop_prep = {},
                          .after_loop = {},
                          .options = std::move(options.options),
                          .reduction = ReductionTexts{.reduce = std::string(reduce),
                                                      .post_map = std::string(post_map),
                                                      .identity = std::string(identity),
                                                      .reduce_type = std::move(options.reduce_type),
                                                      .accuracy = options.accuracy}};
    const Merging merging = options.reduce_dims == ReduceDims::yes ? Merging::yes : Merging::no;
    impl_ = std::shared_ptr<const Impl>(new Impl{Pipeline(std::move(definition), merging)});
}

const std::string& ReductionKernel::name() const noexcept {
    return impl_->pipeline.signature().name;
}

int ReductionKernel::input_count() const noexcept {
    return impl_->pipeline.signature().input_count;
}

int ReductionKernel::output_count() const noexcept {
    return impl_->pipeline.signature().output_count();
}

std::vector<std::string> ReductionKernel::parameter_names() const {
    return impl_->pipeline.parameter_names();
}

std::vector<Array> ReductionKernel::call(std::span<const Argument> arguments,
                                         const CallOptions& options) const {
    return impl_->pipeline.run_all(CallView(arguments, options));
}

Array ReductionKernel::call_single(std::initializer_list<CallPart> parts) const {
    return impl_->pipeline.run_single(CallView(parts));
}

void ReductionKernel::call_several(std::initializer_list<CallPart> parts,
                                   std::span<Array> results) const {
    impl_->pipeline.run_several(CallView(parts), results);
}

BoundLaunch ReductionKernel::bind_parts(std::initializer_list<CallPart> parts) const {
    return impl_->pipeline.bind(CallView(parts));
}

BoundLaunch ReductionKernel::bind_call(std::span<const Argument> arguments,
                                       const CallOptions& options) const {
    return impl_->pipeline.bind(CallView(arguments, options));
}

Explanation ReductionKernel::explain(std::span<const Argument> arguments,
                                     const CallOptions& options,
                                     const TargetOptions& target) const {
    return impl_->pipeline.explain(CallView(arguments, options), target);
}

}  // namespace kgen
