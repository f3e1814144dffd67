// SPDX-License-Identifier: MIT
#include <kgen/generated_kernel.hpp>

#include "call/pipeline_choice.hpp"

namespace kgen {

const std::string& GeneratedKernel::name() const noexcept {
    return choice_->first().signature().name;
}

int GeneratedKernel::input_count() const noexcept {
    return choice_->first().signature().input_count;
}

int GeneratedKernel::output_count() const noexcept {
    return choice_->first().signature().output_count();
}

std::vector<std::string> GeneratedKernel::parameter_names() const {
    return choice_->first().parameter_names();
}

std::vector<Array> GeneratedKernel::call(std::span<const Argument> arguments,
                                         const CallOptions& options) const {
    const CallView view(arguments, options);
    return choice_->choose(view).run_all(view);
}

Array GeneratedKernel::call_single(std::initializer_list<CallPart> parts) const {
    const CallView view(parts);
    return choice_->choose(view).run_single(view);
}

void GeneratedKernel::call_several(std::initializer_list<CallPart> parts,
                                   std::span<Array> results) const {
    const CallView view(parts);
    choice_->choose(view).run_several(view, results);
}

BoundLaunch GeneratedKernel::bind_parts(std::initializer_list<CallPart> parts) const {
    const CallView view(parts);
    return choice_->choose(view).bind(view);
}

BoundLaunch GeneratedKernel::bind_call(std::span<const Argument> arguments,
                                       const CallOptions& options) const {
    const CallView view(arguments, options);
    return choice_->choose(view).bind(view);
}

Explanation GeneratedKernel::explain(std::span<const Argument> arguments,
                                     const CallOptions& options,
                                     const TargetOptions& target) const {
    const CallView view(arguments, options);
    return choice_->choose(view).explain(view, target);
}

}  // namespace kgen
