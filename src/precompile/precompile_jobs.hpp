// SPDX-License-Identifier: MIT
//
// What a set of templates is worth compiling to: one job for each combination of form, types, layout and
// architecture whose source differs.
#pragma once

#include <kgen/precompile.hpp>
#include <string>
#include <vector>

#include "call/pipeline.hpp"
#include "template/template_definition.hpp"

namespace kgen {

struct PrecompileJob {
    std::string kernel;  // "sum (T = float32)"
    bool is_reduction = false;
    PlannedJob planned;
};

// PrecompileOptions::jobs, or what KGEN_JOBS allows.
int thread_count(const PrecompileOptions& options);

// In the order of the templates, then of types, layouts and architectures; general variants among them.
// An architecture is "sm_90" or "host", this machine's CPU. Throws what a call would throw, and
// CompileError for an option that is refused.
struct PrecompileJobs {
    std::vector<PrecompileJob> jobs;
    std::vector<std::string> empty;  // PrecompileSummary::empty
};
PrecompileJobs list_precompile_jobs(const std::vector<TemplateDefinition>& templates,
                                    const PrecompileOptions& options);

}  // namespace kgen
