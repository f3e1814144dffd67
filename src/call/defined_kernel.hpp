// SPDX-License-Identifier: MIT
//
// DefinedKernel: a kernel as its strings define it, and the images that its source is compiled to.
#pragma once

#include <string>

#include "call/bound_call.hpp"
#include "call/call_view.hpp"
#include "device/compiler.hpp"
#include "image/find_or_compile.hpp"
#include "image/included_files.hpp"
#include "plan/plan.hpp"
#include "signature/signature.hpp"
#include "source/source.hpp"

namespace kgen {

// The source of one variant of a kernel for one target, and the request by which its image is found.
struct PlannedJob {
    Source source;
    CompileJob job;
    ImageRequest request;
};

// Immutable, and thread-safe.
class DefinedKernel {
public:
    // Throws SignatureError if the strings cannot be read or if no text names an output.
    DefinedKernel(Definition definition, Merging merging);

    const Signature& signature() const noexcept { return signature_; }

    // The request keeps references to this kernel and to the call.
    PlanRequest plan_request(const BoundCall& call,
                             const Target& target,
                             const Limits& limits,
                             const CallView& view) const;
    // Generates the source of a variant. Reads the files that it includes, and compiles nothing.
    PlannedJob make_job(const TypeBinding& types, const Baked& baked, const Target& target) const;
    // Finds the image in the cache, or compiles it. Throws CompileError with the lines of the user's texts
    // that the compiler rejects.
    FoundImage find_image(const PlannedJob& planned) const;

private:
    IncludeRequest include_request(DeviceKind device) const;

    Signature signature_;
    Merging merging_;
};

// Returns the same job for another architecture of the same kind of device. The source stays the same.
PlannedJob retarget(const PlannedJob& planned, const std::string& arch);

}  // namespace kgen
