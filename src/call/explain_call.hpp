// SPDX-License-Identifier: MIT
//
// What a call would compile, and why. No argument needs memory, and nothing is compiled.
#pragma once

#include <kgen/explanation.hpp>
#include <optional>

#include "call/call_view.hpp"
#include "call/defined_kernel.hpp"
#include "call/placement.hpp"

namespace kgen {

// Returns the compile job of a call for a target. The arguments may be ArraySpecs. Throws as a call does.
PlannedJob plan_job(const DefinedKernel& kernel,
                    const CallView& view,
                    const TargetOptions& wanted,
                    Fit fit,
                    Placement placement);

// Returns what each stage makes of a call, and whether the cache has its image. Throws as a call does.
Explanation explain_call(const DefinedKernel& kernel,
                         const CallView& view,
                         const TargetOptions& wanted);

// Returns what is expected of the call's launch on a usual GPU of the target. See make_forecast().
std::optional<Forecast> forecast_call(const DefinedKernel& kernel,
                                      const CallView& view,
                                      const Target& target);

}  // namespace kgen
