// SPDX-License-Identifier: MIT
#include "image/ptx_header.hpp"

#include <algorithm>
#include <cctype>
#include <kgen/error.hpp>

namespace kgen {

namespace {

// Takes the next word, up to a blank or comma. Empty at the end.
std::string_view take_word(std::string_view& text) {
    const auto is_blank = [](char letter) {
        return std::isspace(static_cast<unsigned char>(letter)) != 0 || letter == ',';
    };
    for (;;) {
        text.remove_prefix(static_cast<std::size_t>(
            std::find_if_not(text.begin(), text.end(), is_blank) - text.begin()));
        std::string_view end;
        if (text.starts_with("//")) {
            end = "\n";
        } else if (text.starts_with("/*")) {
            end = "*/";
        } else {
            break;
        }
        const std::size_t at = text.find(end, 2);
        text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
    }
    const auto stop = std::find_if(text.begin(), text.end(), is_blank);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(stop - text.begin()));
    text.remove_prefix(word.size());
    return word;
}

}  // namespace

bool is_ptx(std::string_view text) {
    return take_word(text) == ".version";
}

std::string read_ptx_arch(std::string_view text) {
    take_word(text);  // .version
    take_word(text);  // 9.0
    if (take_word(text) == ".target") {
        const std::string_view target = take_word(text);
        if (target.starts_with("sm_")) return "compute_" + std::string(target.substr(3));
    }
    throw IoError("is PTX without '.target sm_...' after its .version: is it truncated?");
}

}  // namespace kgen
