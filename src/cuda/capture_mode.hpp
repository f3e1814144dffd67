// SPDX-License-Identifier: MIT
//
// Lets this thread load code and allocate while one of its streams is being captured: in the global
// mode such calls would invalidate the capture (CUDA Driver API, cuThreadExchangeStreamCaptureMode).
#pragma once

#include "cuda/driver_api.hpp"

namespace kgen {

class RelaxedCapture {
public:
    explicit RelaxedCapture(const DriverApi& api) : api_(api) {
        api_.exchange_capture_mode(&mode_);
    }
    ~RelaxedCapture() { api_.exchange_capture_mode(&mode_); }
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;

private:
    const DriverApi& api_;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace kgen
