// SPDX-License-Identifier: MIT
//
// The spdlog logger "kgen". It writes warnings and errors to stderr. KGEN_LOG sets another level (trace,
// debug, info, warn, error, off). The level debug shows each plan, compile, cache hit and load as one line.
#pragma once

#include <spdlog/logger.h>

namespace kgen {

// Returns the logger. Thread safe. If the program registered its own spdlog logger "kgen" before the first
// use, kgen uses that one.
spdlog::logger& log();

}  // namespace kgen
