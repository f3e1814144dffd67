// SPDX-License-Identifier: MIT
//
// Environment variables whose value cannot be read. All are treated alike: the default is used, and the log
// gets one warning per process. Variables that name a device, a file or a program are errors if it is missing,
// because kgen must not use another one instead. A wrong KGEN_PEER_ACCESS is an error too, because kgen must
// not open pools that the user wants closed.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace kgen {

// Returns "KGEN_SYNC is 'yes'; expected 0 or 1; the default 0 is used".
std::string wrong_setting(std::string_view name,
                          std::string_view value,
                          std::string_view expected,
                          std::string_view used);

// Logs the warning unless `is_told` is set, and sets it.
void warn_once(std::atomic<bool>& is_told, const std::string& warning);

// Returns whether the variable is 1. It may also be 0, the default.
bool read_switch(const char* name, std::atomic<bool>& is_told);

}  // namespace kgen
