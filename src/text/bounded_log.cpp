// SPDX-License-Identifier: MIT
#include "text/bounded_log.hpp"

#include <fmt/format.h>

#include <kgen/terminal_text.hpp>

namespace kgen {

std::string bounded_log(std::string log) {
    if (log.size() > longest_log) {
        const std::size_t line = log.rfind('\n', longest_log - 1);
        const std::size_t kept = line == std::string::npos ? longest_log : line + 1;
        const std::size_t left = log.size() - kept;
        log.resize(kept);
        log += fmt::format("{}... and {} bytes more", log.back() == '\n' ? "" : "\n", left);
    }
    return terminal_text(log, LineBreaks::kept);
}

}  // namespace kgen
