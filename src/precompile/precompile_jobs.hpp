// SPDX-License-Identifier: MIT
//
// list_precompile_jobs: the compile jobs for a set of templates. There is one job for each combination of
// form, types, layout and architecture whose source differs.
#pragma once

#include <kgen/explanation.hpp>
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

// Returns the device of an architecture, without `arch` if that is only the device's name ("host").
TargetOptions target_of(const std::string& arch);

// Returns PrecompileOptions::jobs, or the number that KGEN_JOBS allows if it is 0.
int thread_count(const PrecompileOptions& options);

// Jobs ordered by template, types, layout and architecture. They include the general variants, which run any
// layout (see Fit). An architecture is a name such as "sm_90", or "host" for this machine's CPU.
// list_precompile_jobs() throws what a call would throw, and CompileError for an option that is refused.
struct PrecompileJobs {
    std::vector<PrecompileJob> jobs;
    std::vector<std::string> empty;  // PrecompileSummary::empty
};
PrecompileJobs list_precompile_jobs(const std::vector<TemplateDefinition>& templates,
                                    const PrecompileOptions& options);

}  // namespace kgen
