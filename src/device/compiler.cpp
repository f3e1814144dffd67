// SPDX-License-Identifier: MIT
#include "device/compiler.hpp"

#include <fmt/format.h>

#include "text/compiler_log.hpp"
#include "text/error_parts.hpp"

namespace kgen {

void refuse_job(const CompileJob& job, const std::string& problem, ErrorParts parts) {
    throw with_parts(
        CompileError(fmt::format("kernel '{}': {}", job.kernel, problem), "", job.source),
        std::move(parts));
}

void throw_refusal(const std::string& message, const std::string& log, const std::string& source) {
    if (blames_source(log)) throw CompileError(message, log, source);
    throw CompilerFailure(message, log, source);
}

}  // namespace kgen
