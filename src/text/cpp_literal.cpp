// SPDX-License-Identifier: MIT
#include "text/cpp_literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kgen {

namespace {

constexpr std::size_t bytes_per_line = 32;

// Octal escapes have at most three digits, so a digit that follows is never read as part of them. '?' is
// escaped because of trigraphs.
std::array<std::string, 256> make_escapes() {
    std::array<std::string, 256> escapes;
    for (unsigned k = 0; k < escapes.size(); ++k) {
        const char character = static_cast<char>(k);
        const bool is_plain =
            k >= ' ' && k < 127 && character != '"' && character != '\\' && character != '?';
        escapes[k] = is_plain ? std::string(1, character) : fmt::format("\\{:03o}", k);
    }
    return escapes;
}

}  // namespace

void append_literal(std::string& text, std::span<const std::byte> bytes) {
    static const auto* const escapes = new std::array<std::string, 256>(make_escapes());
    text += '"';
    for (const std::byte byte : bytes) text += (*escapes)[std::to_integer<std::size_t>(byte)];
    text += '"';
}

void append_literals(std::string& text, std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += bytes_per_line) {
        text += "\n    ";
        append_literal(text, bytes.subspan(at, std::min(bytes_per_line, bytes.size() - at)));
    }
}

}  // namespace kgen
