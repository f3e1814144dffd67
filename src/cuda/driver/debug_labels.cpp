// SPDX-License-Identifier: MIT
#include "cuda/driver/debug_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kgen {

namespace {

constexpr std::string_view folder = "/kgen/";

// Returns the position of the label in a line that is a #line directive; npos for any other line.
std::size_t find_label(std::string_view line) {
    std::size_t at = 0;
    const auto skip = [&](auto belongs) {
        const std::size_t begin = at;
        while (at < line.size() && belongs(line[at])) ++at;
        return at != begin;
    };
    const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    const auto take = [&](std::string_view word) {
        skip(is_blank);
        if (!line.substr(at).starts_with(word)) return false;
        at += word.size();
        return true;
    };
    if (!take("#") || !take("line") || !skip(is_blank) || !skip(is_digit) || !take("\""))
        return std::string_view::npos;
    return at;
}

bool continues_path(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("_-./").find(letter) != std::string_view::npos;
}

}  // namespace

bool has_debug_labels(const std::vector<std::string>& options) {
    return std::any_of(options.begin(), options.end(), [](std::string_view option) {
        return option == "-G" || option == "--device-debug" || option.starts_with("-lineinfo") ||
               option.starts_with("--generate-line-info");
    });
}

std::string first_label(std::string_view source) {
    const std::string_view line = source.substr(0, source.find('\n'));
    const std::size_t begin = find_label(line);
    if (begin == std::string_view::npos) return {};
    const std::size_t end = line.find('"', begin);
    return end == std::string_view::npos ? std::string()
                                         : std::string(line.substr(begin, end - begin));
}

std::string with_absolute_labels(std::string_view source) {
    std::string text;
    text.reserve(source.size() + folder.size());
    for (std::size_t begin = 0; begin < source.size();) {
        const std::size_t end = std::min(source.find('\n', begin), source.size() - 1) + 1;
        const std::string_view line = source.substr(begin, end - begin);
        const std::size_t label = find_label(line);
        if (label == std::string_view::npos || line.substr(label).starts_with('/')) {
            text += line;
        } else {
            text.append(line.substr(0, label)).append(folder).append(line.substr(label));
        }
        begin = end;
    }
    return text;
}

std::string with_own_label(const std::string& name, const std::string& text) {
    return fmt::format(
        "#line 1 \"{}{}\"\n{}", name.starts_with('/') ? std::string_view() : folder, name, text);
}

std::string with_user_labels(std::string log) {
    for (std::size_t at = log.find(folder); at != std::string::npos; at = log.find(folder, at)) {
        if (at != 0 && continues_path(log[at - 1])) {
            at += folder.size();
        } else {
            log.erase(at, folder.size());
        }
    }
    return log;
}

}  // namespace kgen
