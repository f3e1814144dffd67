// SPDX-License-Identifier: MIT
//
// Pipeline: the whole line from strings to a launch, for one kernel.
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

// What a call would compile.
struct PlannedJob {
    Source source;
    CompileJob job;
    ImageRequest request;
    std::string loop;  // see describe_loop
};

// Thread safe. It holds the kernels that it has loaded; sizes and strides are not kept.
class Pipeline {
public:
    Pipeline(Definition definition, Merging merging);

    const Signature& signature() const noexcept { return signature_; }

    // The public face of every kernel (see ElementwiseKernel). run_single() is for kernels of at most
    // one output, run_several() for those of results.size(); both throw TypeError at others.
    std::vector<std::string> parameter_names() const;
    std::vector<Array> run_all(const CallView& view) const;
    Array run_single(const CallView& view) const;
    void run_several(const CallView& view, std::span<Array> results) const;
    BoundLaunch bind(const CallView& view) const;
    Explanation explain(const CallView& view, const TargetOptions& target) const;

    // What a call like this one would compile for a target; no argument needs memory, nothing is
    // compiled. Throws as a call does.
    PlannedJob plan_job(const CallView& view,
                        const TargetOptions& target,
                        Fit fit,
                        Placement placement) const;
    // The same for another architecture of the same kind of device, on which sources do not depend.
    static PlannedJob retarget(const PlannedJob& planned, const std::string& arch);

    // How many compiled variants this kernel has used.
    std::size_t variant_count() const noexcept { return variants_.size(); }

private:
    // A call without memory, and for what it is planned.
    struct ImaginedCall {
        BoundCall call;
        Target target;
        Limits limits;
    };
    // A plan and what it was compiled to; nullptr where there is nothing to launch.
    struct PlannedCall {
        Plan plan;
        const Variant* variant = nullptr;
    };

    // `results` has one place for each output.
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
    // What the kernel includes; nothing where it includes no file.
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
