// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/error.hpp>
#include <kgen/generated_kernel.hpp>

#include "call/explain_call.hpp"
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
    std::vector<std::string> names;
    for (const Parameter& parameter : choice_->first().signature().parameters)
        names.push_back(parameter.name);
    return names;
}

std::vector<Array> GeneratedKernel::call(std::span<const Argument> arguments,
                                         const CallOptions& options) const {
    const CallView view(arguments, options);
    const Pipeline& pipeline = choice_->choose(view);
    std::vector<Array> results(static_cast<std::size_t>(pipeline.signature().output_count()));
    pipeline.run(view, results);
    return results;
}

Array GeneratedKernel::call_single(std::initializer_list<CallPart> parts) const {
    const CallView view(parts);
    const Pipeline& pipeline = choice_->choose(view);
    const int outputs = pipeline.signature().output_count();
    if (outputs > 1) {
        throw TypeError(
            fmt::format("kernel '{0}': it has {1} outputs; use call<{1}>(...)", name(), outputs));
    }
    Array result;
    pipeline.run(view, std::span<Array>(&result, static_cast<std::size_t>(outputs)));
    return result;
}

void GeneratedKernel::call_several(std::initializer_list<CallPart> parts,
                                   std::span<Array> results) const {
    const CallView view(parts);
    const Pipeline& pipeline = choice_->choose(view);
    const int outputs = pipeline.signature().output_count();
    if (static_cast<std::size_t>(outputs) != results.size()) {
        throw TypeError(fmt::format("kernel '{}': call<{}> was called, but it has {} output{}",
                                    name(),
                                    results.size(),
                                    outputs,
                                    outputs == 1 ? "" : "s"));
    }
    pipeline.run(view, results);
}

BoundLaunch GeneratedKernel::bind_parts(std::initializer_list<CallPart> parts) const {
    const CallView view(parts);
    return choice_->choose(view).bind(view);
}

BoundLaunch GeneratedKernel::bind_arguments(std::span<const Argument> arguments,
                                            const CallOptions& options) const {
    const CallView view(arguments, options);
    return choice_->choose(view).bind(view);
}

Explanation GeneratedKernel::explain(std::span<const Argument> arguments,
                                     const CallOptions& options,
                                     const TargetOptions& target) const {
    const CallView view(arguments, options);
    return explain_call(choice_->choose(view).kernel(), view, target);
}

}  // namespace kgen
