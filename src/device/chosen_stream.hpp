// SPDX-License-Identifier: MIT
//
// chosen_stream: current_stream() without a copy.
#pragma once

#include <kgen/stream.hpp>

namespace kgen {

// Returns the stream that this thread chose for the device with set_current_stream. Returns nullptr if it
// chose none, so that the legacy default stream is current. The pointer is valid until the thread's next
// set_current_stream.
const Stream* chosen_stream(Device device) noexcept;

}  // namespace kgen
