// SPDX-License-Identifier: MIT
//
// The logger "kgen": warnings by default, to stderr. KGEN_LOG sets the level (trace, debug, info,
// warn, error, off); debug shows every plan, compile, hit and load in one line each.
#pragma once

#include <spdlog/logger.h>

namespace kgen {

// Thread safe. A program that registers its own spdlog logger "kgen" before the first use gets
// kgen's messages there.
spdlog::logger& log();

}  // namespace kgen
