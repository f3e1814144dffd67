// SPDX-License-Identifier: MIT
#include "device/compiler.hpp"

#include <fmt/format.h>

#include "text/compiler_log.hpp"

namespace kgen {

void refuse_job(const CompileJob& job, const std::string& problem) {
    throw CompileError(fmt::format("kernel '{}': {}", job.kernel, problem), "", job.source);
}

void throw_refusal(const std::string& message, const std::string& log, const std::string& source) {
    if (blames_source(log)) throw CompileError(message, log, source);
    throw CompilerFailure(message, log, source);
}

}  // namespace kgen
