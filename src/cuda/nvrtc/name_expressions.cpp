// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/name_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>

#include "text/word.hpp"

namespace kgen {

namespace {

// Removes blanks at the beginning and the end.
std::string_view without_blanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// Returns the last word outside of template arguments.
std::string_view named_word(std::string_view expression) {
    std::string_view found;
    int depth = 0;
    for (std::size_t k = 0; k < expression.size(); ++k) {
        if (expression[k] == '<') ++depth;
        if (expression[k] == '>') --depth;
        if (depth != 0 || !is_word(expression[k])) continue;
        const std::size_t begin = k;
        while (k + 1 < expression.size() && is_word(expression[k + 1])) ++k;
        found = expression.substr(begin, k + 1 - begin);
    }
    return found;
}

}  // namespace

void check_name_expressions(const CompileJob& job) {
    for (const std::string& expression : job.name_expressions) {
        const char* problem = nullptr;
        if (expression.find('\0') != std::string::npos) {
            problem = "holds a NUL character";
        } else if (expression.find_first_of("\n\r") != std::string::npos) {
            problem = "holds a line break";  // NVRTC would compile the next line as a declaration
        } else if (expression.find_first_not_of(" \t") == std::string::npos) {
            problem = "is empty";
        }
        if (problem == nullptr) continue;
        refuse_job(job, fmt::format("a name expression {}", problem));
    }
}

std::vector<std::string> find_refused_expressions(std::string_view log,
                                                  const std::vector<std::string>& expressions) {
    // Finds errors of this form:
    // __nv_name_map(2): error: identifier "foo" is undefined
    //   #pragma nv_mangled_name axpby<foo>
    constexpr std::string_view pragma = "  #pragma nv_mangled_name ";
    std::vector<std::string_view> quoted;
    bool is_in_error = false;
    for (std::size_t begin = 0; begin < log.size();) {
        const std::size_t end = std::min(log.find('\n', begin), log.size());
        const std::string_view line = log.substr(begin, end - begin);
        begin = end + 1;
        if (!line.starts_with(' ')) {
            is_in_error = line.starts_with("__nv_name_map(") &&
                          line.find("error: ") != std::string_view::npos;
        } else if (is_in_error && line.starts_with(pragma)) {
            quoted.push_back(without_blanks(line.substr(pragma.size())));
        }
    }
    std::vector<std::string> found;
    for (const std::string& expression : expressions) {
        if (std::find(quoted.begin(), quoted.end(), without_blanks(expression)) != quoted.end())
            found.push_back(expression);
    }
    return found;
}

bool mentions_name(std::string_view source, std::string_view expression) {
    const std::string_view word = named_word(expression);
    return !word.empty() && find_word(source, word) != std::string_view::npos;
}

}  // namespace kgen
