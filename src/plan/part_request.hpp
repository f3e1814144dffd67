// SPDX-License-Identifier: MIT
//
// PartRequest: the request for a plan of some outputs of an elementwise call, or of all inputs of a reduction. The whole text of the kernel
// runs, with arrays that these outputs do not need left out, and the compiler drops what is not used.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"

namespace kgen {

class PartRequest {
public:
    // `operands` are the arrays and raw parameters that the part has. It has all numbers. The whole request must outlive the object.
    //
    // The geometry of parts is that of a usual GPU of the architecture: blocks of all parts must have one size, and which loops have blocks
    // of this size must not depend on the device.
    PartRequest(const PlanRequest& whole, ParameterSet operands, double launch_bytes);
    PartRequest(const PartRequest&) = delete;
    PartRequest& operator=(const PartRequest&) = delete;

    const PlanRequest& request() const noexcept { return request_; }

private:
    Signature signature_;
    PerParameter<Operand> operands_;
    PlanRequest request_;
};

}  // namespace kgen
