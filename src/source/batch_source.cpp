// SPDX-License-Identifier: MIT
#include "source/batch_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "text/word.hpp"

namespace kgen {

namespace {

constexpr std::string_view kernel_mark = "// --- the kernel ---\n";
constexpr std::string_view loop_mark = "// --- its parameters and its loop ---\n";

// Returns the offset of the line `mark`. Returns npos unless the text contains the line exactly once.
std::size_t find_once(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos || text.find(mark, at + 1) != std::string_view::npos)
        return std::string_view::npos;
    return at;
}

struct Parts {
    std::string_view names;  // the sections of the prelude
    std::string_view types;  // the definitions of the placeholder types
    // The user's preamble. Its definitions must be visible as if the kernel were compiled alone.
    std::string_view preamble;
    std::string_view loop;
    bool needs_types = false;  // whether the preamble names a placeholder
};

bool split(std::string_view text, Parts& parts) {
    const std::size_t kernel = find_once(text, kernel_mark);
    const std::size_t loop = find_once(text, loop_mark);
    if (kernel == text.npos || loop == text.npos || loop < kernel) return false;
    // The lines before this mark describe one kernel, so they are not shared.
    const std::size_t begin = text.find("// --- names");
    if (begin == text.npos || begin > kernel) return false;
    const std::size_t preamble = std::min(text.find("#line ", kernel), loop);
    parts.names = text.substr(begin, kernel - begin);
    parts.types = text.substr(kernel, preamble - kernel);
    parts.preamble = text.substr(preamble, loop - preamble);
    parts.loop = text.substr(loop);
    // Each definition has the form "typedef float T;", so the name is the character before the semicolon.
    for (std::size_t end = parts.types.find(';'); end != text.npos && end > 0;
         end = parts.types.find(';', end + 1)) {
        if (find_word(parts.preamble, parts.types.substr(end - 1, 1)) != text.npos)
            parts.needs_types = true;
    }
    return true;
}

std::string with_renamed(std::string text, std::string_view name, std::string_view replacement) {
    if (name.empty()) return text;
    for (std::size_t at = find_word(text, name); at != text.npos;
         at = find_word(text, name, at + replacement.size())) {
        text.replace(at, name.size(), replacement);
    }
    return text;
}

}  // namespace

std::string batch_prefix(const Source& source) {
    Parts parts;
    if (!split(source.text, parts)) return {};
    std::string prefix(parts.names);
    if (parts.needs_types) prefix += parts.types;
    prefix += parts.preamble;
    return prefix;
}

BatchSource make_batch_source(std::span<const Source* const> members) {
    BatchSource batch;
    batch.text = batch_prefix(*members.front());
    for (std::size_t k = 0; k < members.size(); ++k) {
        const Source& member = *members[k];
        Parts parts;
        split(member.text, parts);
        std::string text(parts.needs_types ? std::string_view() : parts.types);
        text += parts.loop;
        const auto numbered = [&](const std::string& symbol) {
            return symbol.empty() ? symbol : fmt::format("{}__{}", symbol, k);
        };
        batch.symbols.push_back(numbered(member.symbol));
        batch.accumulator_symbols.push_back(numbered(member.accumulator_symbol));
        text =
            with_renamed(std::move(text), member.accumulator_symbol, batch.accumulator_symbols[k]);
        text = with_renamed(std::move(text), member.symbol, batch.symbols[k]);
        batch.text += fmt::format("namespace kgen_member_{} {{\n{}\n}}\n", k, text);
    }
    return batch;
}

}  // namespace kgen
