// SPDX-License-Identifier: MIT
//
// Pipeline: the whole line from strings to a launch, for one kernel.
#pragma once

#include <kgen/elementwise_kernel.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/bound_call.hpp"
#include "device/backend.hpp"
#include "device/compiler.hpp"
#include "image/find_or_compile.hpp"
#include "image/flight_table.hpp"
#include "plan/plan.hpp"
#include "signature/signature.hpp"
#include "source/source.hpp"

namespace kgen {

// Thread safe. Kernels that were loaded stay loaded; sizes and strides are not kept.
class Pipeline {
public:
    Pipeline(Definition definition, Merging merging);

    const Signature& signature() const noexcept { return signature_; }

    std::vector<Array> run(std::span<const Argument> arguments, const CallOptions& options) const;
    Explanation explain(std::span<const Argument> arguments,
                        const CallOptions& options,
                        const TargetOptions& target) const;

private:
    PlanRequest plan_request(const BoundCall& call,
                             const Target& target,
                             const Limits& limits,
                             const CallOptions& options) const;
    CompileJob make_job(const Source& source, const Target& target) const;
    std::shared_ptr<const LoadedKernel> build(const TypeBinding& types,
                                              const Baked& baked,
                                              const Backend& backend) const;
    FoundImage find_image_for(const Source& source,
                              const CompileJob& job,
                              const ImageRequest& request) const;

    Definition definition_;
    Signature signature_;
    Merging merging_;
    mutable FlightTable<std::shared_ptr<const LoadedKernel>, std::string, std::hash<std::string>>
        table_;
};

}  // namespace kgen
