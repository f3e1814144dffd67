// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/error.hpp>
#include <kgen/generated_kernel.hpp>

#include "call/explain_call.hpp"
#include "call/pipeline_choice.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Returns the pipeline for a call of parts. Throws TypeError if an option is among them twice.
const Pipeline& choose_once(const PipelineChoice& choice, const CallView& view) {
    if (view.repeated != nullptr) [[unlikely]]
        view.check_once(choice.first().signature().name);
    return choice.choose(view);
}

}  // namespace

const std::string& GeneratedKernel::name() const noexcept {
    return choice_->first().signature().name;
}

int GeneratedKernel::input_count() const noexcept {
    return choice_->first().signature().input_count;
}

int GeneratedKernel::output_count() const noexcept {
    return choice_->first().signature().output_count();
}

std::vector<std::string> GeneratedKernel::parameter_names() const try {
    std::vector<std::string> names;
    for (const Parameter& parameter : choice_->first().signature().parameters)
        names.push_back(parameter.name);
    return names;
} catch (...) {
    rethrow_as_error();
}

std::vector<bool> GeneratedKernel::raw_parameters() const try {
    std::vector<bool> raw;
    for (const Parameter& parameter : choice_->first().signature().parameters)
        raw.push_back(parameter.raw);
    return raw;
} catch (...) {
    rethrow_as_error();
}

std::vector<Array> GeneratedKernel::call(std::span<const Argument> arguments,
                                         const CallOptions& options) const try {
    const CallView view(arguments, options);
    const Pipeline& pipeline = choice_->choose(view);
    std::vector<Array> results(static_cast<std::size_t>(pipeline.signature().output_count()));
    pipeline.run(view, results);
    return results;
} catch (...) {
    rethrow_as_error();
}

Array GeneratedKernel::call_parts(std::span<const CallPart> parts) const {
    Array result;  // outside of the try block, within which g++ 12 would return it by a move
    try {
        const CallView view(parts);
        const Pipeline& pipeline = choose_once(*choice_, view);
        const int outputs = pipeline.signature().output_count();
        const std::size_t parameters = pipeline.signature().parameters.size();
        if (outputs > 1 && view.outputs().empty() && view.arguments().size() != parameters) {
            refuse<TypeError>({ErrorKind::argument_count, {}, std::to_string(outputs), "1"},
                              "kernel '{0}': it has {1} outputs; use call<{1}>(...)",
                              name(),
                              outputs);
        }
        if (outputs > 1) {
            // All are given. None is returned, because it might be taken for the only one.
            std::vector<Array> given(static_cast<std::size_t>(outputs));
            pipeline.run(view, given);
        } else {
            pipeline.run(view, std::span<Array>(&result, static_cast<std::size_t>(outputs)));
        }
    } catch (...) {
        rethrow_as_error();
    }
    return result;
}

void GeneratedKernel::call_parts(std::span<const CallPart> parts, std::span<Array> results) const
    try {
    const CallView view(parts);
    const Pipeline& pipeline = choose_once(*choice_, view);
    const int outputs = pipeline.signature().output_count();
    if (static_cast<std::size_t>(outputs) != results.size()) {
        refuse<TypeError>({ErrorKind::argument_count,
                           {},
                           std::to_string(outputs),
                           std::to_string(results.size())},
                          "kernel '{}': call<{}> was called, but it has {} output{}",
                          name(),
                          results.size(),
                          outputs,
                          outputs == 1 ? "" : "s");
    }
    pipeline.run(view, results);
} catch (...) {
    rethrow_as_error();
}

BoundLaunch GeneratedKernel::bind_parts(std::span<const CallPart> parts) const try {
    const CallView view(parts);
    return choose_once(*choice_, view).bind(view);
} catch (...) {
    rethrow_as_error();
}

BoundLaunch GeneratedKernel::bind_arguments(std::span<const Argument> arguments,
                                            const CallOptions& options) const try {
    const CallView view(arguments, options);
    return choice_->choose(view).bind(view);
} catch (...) {
    rethrow_as_error();
}

Explanation GeneratedKernel::explain(std::span<const Argument> arguments,
                                     const CallOptions& options,
                                     const TargetOptions& target) const try {
    const CallView view(arguments, options);
    return explain_call(choice_->choose(view).kernel(), view, target);
} catch (...) {
    rethrow_as_error();
}

Explanation GeneratedKernel::explain_parts(std::span<const CallPart> parts,
                                           const TargetOptions& target) const try {
    const CallView view(parts);
    return explain_call(choose_once(*choice_, view).kernel(), view, target);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
