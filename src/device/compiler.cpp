// SPDX-License-Identifier: MIT
#include "device/compiler.hpp"

#include "text/compiler_log.hpp"

namespace kgen {

void throw_refusal(const std::string& message, const std::string& log, const std::string& source) {
    if (blames_source(log)) throw CompileError(message, log, source);
    throw CompilerFailure(message, log, source);
}

}  // namespace kgen
