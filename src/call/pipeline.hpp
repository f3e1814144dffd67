// SPDX-License-Identifier: MIT
//
// Pipeline: all stages from the definition strings to the launch, for one kernel.
#pragma once

#include <kgen/bound_launch.hpp>
#include <kgen/explanation.hpp>
#include <memory>
#include <span>
#include <string>

#include "call/bound_call.hpp"
#include "call/call_view.hpp"
#include "call/placement.hpp"
#include "call/remembered_call.hpp"
#include "call/thread_slots.hpp"
#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "device/compiler.hpp"
#include "image/find_or_compile.hpp"
#include "image/included_files.hpp"
#include "plan/plan.hpp"
#include "signature/signature.hpp"
#include "source/source.hpp"

namespace kgen {

// The compile job of a call, planned but not run.
struct PlannedJob {
    Source source;
    CompileJob job;
    ImageRequest request;
    std::string loop;  // see describe_loop
};

// Thread-safe. Keeps the kernels that it has loaded. Keeps sizes and strides only of the last calls of each
// thread (see RememberedCalls).
class Pipeline {
public:
    Pipeline(Definition definition, Merging merging);

    const Signature& signature() const noexcept { return signature_; }

    // Implement the public functions of every kernel (see ElementwiseKernel). run_single() throws TypeError
    // if the kernel has more than one output, run_several() if it does not have results.size() outputs.
    std::vector<std::string> parameter_names() const;
    std::vector<Array> run_all(const CallView& view) const;
    Array run_single(const CallView& view) const;
    void run_several(const CallView& view, std::span<Array> results) const;
    BoundLaunch bind(const CallView& view) const;
    Explanation explain(const CallView& view, const TargetOptions& target) const;

    // Returns the compile job of such a call for a target. Compiles nothing, and the arguments may be
    // ArraySpecs. Throws as a call does.
    PlannedJob plan_job(const CallView& view,
                        const TargetOptions& target,
                        Fit fit,
                        Placement placement) const;
    // Returns the same job for another architecture of the same kind of device. The source stays the same.
    static PlannedJob retarget(const PlannedJob& planned, const std::string& arch);

    // Returns the number of compiled variants that this kernel has used.
    std::size_t variant_count() const noexcept { return variants_.size(); }

private:
    // A call without memory, and the target for which it is planned.
    struct ImaginedCall {
        BoundCall call;
        Target target;
        Limits limits;
    };
    // A plan and its compiled variant, which is nullptr if there is nothing to launch.
    struct PlannedCall {
        Plan plan;
        const Variant* variant = nullptr;
    };

    // `results` has one element per output.
    void run(const CallView& view, std::span<Array> results) const;
    PlanRequest plan_request(const BoundCall& call,
                             const Target& target,
                             const Limits& limits,
                             const CallView& view) const;
    ImaginedCall imagine(const CallView& view, const TargetOptions& wanted) const;
    PlannedJob plan_job(const PlanRequest& request, const Plan& plan) const;
    void check_arguments(const BoundCall& call) const;
    PlannedCall plan_call(const BoundCall& call,
                          const Backend& backend,
                          const CallView& view) const;
    const Variant& variant_of(const BoundCall& call,
                              const Baked& baked,
                              const Backend& backend) const;
    IncludeRequest include_request(DeviceKind device) const;
    // Returns the files that the kernel includes.
    IncludedFiles included_files(DeviceKind device) const;
    CompileJob make_job(const Source& source, IncludedFiles included, const Target& target) const;
    std::shared_ptr<const LoadedKernel> build(const TypeBinding& types,
                                              const Baked& baked,
                                              const Backend& backend) const;
    FoundImage find_image_for(const Source& source,
                              const CompileJob& job,
                              const ImageRequest& request) const;

    Definition definition_;
    Signature signature_;
    bool includes_files_;
    Merging merging_;
    mutable VariantTable variants_;
    mutable ThreadSlots<RememberedCalls> remembered_;
};

}  // namespace kgen
