// SPDX-License-Identifier: MIT
#include "text/bounded_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {

namespace {

bool is_control(char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return (code < 0x20 && letter != '\n' && letter != '\t' && letter != '\r') || code == 0x7f;
}

}  // namespace

std::string bounded_log(std::string log) {
    if (log.size() > longest_log) {
        const std::size_t line = log.rfind('\n', longest_log - 1);
        const std::size_t kept = line == std::string::npos ? longest_log : line + 1;
        const std::size_t left = log.size() - kept;
        log.resize(kept);
        log += fmt::format("{}... and {} bytes more", log.back() == '\n' ? "" : "\n", left);
    }
    if (std::none_of(log.begin(), log.end(), is_control)) return log;
    std::string text;
    for (const char letter : log) {
        if (is_control(letter)) {
            text += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
        } else {
            text += letter;
        }
    }
    return text;
}

}  // namespace kgen
