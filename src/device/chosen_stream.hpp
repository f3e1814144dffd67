// SPDX-License-Identifier: MIT
//
// What current_stream() is made of, without a copy.
#pragma once

#include <kgen/stream.hpp>

namespace kgen {

// The stream that set_current_stream chose on this thread for the device; nullptr if none was, and
// the legacy default stream is current. Good until the thread's next set_current_stream.
const Stream* chosen_stream(Device device) noexcept;

}  // namespace kgen
