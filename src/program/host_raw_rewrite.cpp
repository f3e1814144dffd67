// SPDX-License-Identifier: MIT
#include "program/host_raw_rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "program/host_raw_refusals.hpp"

namespace kgen {

namespace {

struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string text;
};

// Replaces all but line breaks and backslashes by blanks.
std::string blank(std::string_view text) {
    std::string result(text);
    for (char& letter : result) {
        if (letter != '\n' && letter != '\\') letter = ' ';
    }
    return result;
}

class Rewriter {
public:
    Rewriter(std::string_view text, const ScannedProgram& program)
        : text_(text), program_(program), tokens_(program.tokens.tokens), closing_(tokens_.size()) {
        std::vector<std::size_t> open;
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            if (tokens_[k].text == "(") open.push_back(k);
            if (tokens_[k].text != ")" || open.empty()) continue;
            closing_[open.back()] = k;
            open.pop_back();
        }
    }

    void add_rows(const WaitingNames* waiting) {
        for (const ScannedVariable& variable : program_.variables) {
            insert(variable.end,
                   fmt::format(" KGEN_VARIABLE(\"{}\", {})", variable.name, variable.written));
        }
        for (const ScannedKernel& kernel : program_.kernels) {
            const char* fibers = waiting == nullptr                  ? "KGEN_WAITS_BY_DEFAULT"
                                 : waits(*waiting, program_, kernel) ? "true"
                                                                     : "false";
            if (kernel.is_overloaded) {
                insert(
                    kernel.end,
                    fmt::format(" KGEN_KERNEL(\"{0}({1})\", {2}, static_cast<void (*)({1})>(&{3}))",
                                kernel.name,
                                kernel.parameters,
                                fibers,
                                kernel.written));
            } else {
                insert(kernel.end,
                       fmt::format(
                           " KGEN_KERNEL(\"{}\", {}, &{})", kernel.name, fibers, kernel.written));
            }
        }
    }

    // `extern __shared__ T s[][4];` becomes `T (*s)[4] = kgen_dynamic_shared();` inside a function. Outside,
    // it becomes an object that converts to such a pointer.
    void change_shared_arrays() {
        for (const ScannedSharedArray& array : program_.shared_arrays) {
            const std::size_t open = find(array.begin, array.end, "[");
            if (open == array.end || open + 1 >= array.end || tokens_[open + 1].text != "]" ||
                tokens_[open - 1].kind != TokenKind::identifier) {
                continue;
            }
            const std::string name(tokens_[open - 1].text);
            const std::size_t rest = open + 2;
            if (array.in_function) {
                remove(array.begin);
                for (std::size_t k = array.begin; k < open - 1; ++k) {
                    if (tokens_[k].text == "__shared__") remove(k);
                    if (tokens_[k].text == "alignas" || tokens_[k].text == "__align__") {
                        remove_call(k);
                        k = behind_call(k) - 1;
                    }
                }
                replace(open - 1, fmt::format("(*{})", name));
                remove(open);
                remove(open + 1);
                insert(tokens_[array.end].offset, " = kgen_dynamic_shared()");
                continue;
            }
            std::string type;
            for (std::size_t k = array.begin + 1; k < array.end; ++k) {
                const std::string_view word = tokens_[k].text;
                if (word == "alignas" || word == "__align__")
                    k = behind_call(k) - 1;
                else if (word != "__shared__" && (k < open - 1 || k >= rest)) {
                    type += word;
                    type += ' ';
                }
            }
            replace_lines(tokens_[array.begin].offset,
                          tokens_[array.end].offset,
                          fmt::format("static const kgen_shared_array<{}> {} = {{}}", type, name));
        }
    }

    // On the host __shared__ is a macro, with which `__shared__ alignas(16) T x` and `static __shared__ T x`
    // would not compile.
    void change_shared_variables() {
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            if (tokens_[k].text != "__shared__" || program_.uses[k] == TokenUse::skipped ||
                is_in_shared_array(k)) {
                continue;
            }
            if (k > 0 && tokens_[k - 1].text == "static") remove(k - 1);
            if (k + 1 < tokens_.size() && tokens_[k + 1].text == "static") remove(k + 1);
            if (k + 2 < tokens_.size() && tokens_[k + 1].text == "alignas") {
                remove(k);
                const Token& last = tokens_[behind_call(k + 1) - 1];
                insert(last.offset + last.text.size(), " __shared__");
            }
        }
    }

    void drop_includes(const std::vector<std::string>& headers) {
        const std::set<std::string_view> there(headers.begin(), headers.end());
        for (const ScannedInclude& include : program_.includes) {
            if (there.count(include.name) != 0 || !is_built_in_header(include.name)) continue;
            // "#include <...>" becomes "#": a directive that does nothing.
            replace_lines(include.directive, include.end, "");
        }
    }

    std::string result() {
        std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
            return a.begin < b.begin;
        });
        std::string rewritten;
        std::size_t at = 0;
        for (const Edit& edit : edits_) {
            if (edit.begin < at) continue;
            rewritten += text_.substr(at, edit.begin - at);
            rewritten += edit.text;
            at = edit.end;
        }
        rewritten += text_.substr(at);
        return rewritten;
    }

private:
    void insert(std::size_t at, std::string text) { edits_.push_back({at, at, std::move(text)}); }
    void replace(std::size_t k, std::string text) {
        const Token& token = tokens_[k];
        edits_.push_back({token.offset, token.offset + token.text.size(), std::move(text)});
    }
    void remove(std::size_t k) { replace(k, blank(tokens_[k].text)); }
    // Appends the line breaks that `text` lacks, so that the text after it keeps its line number.
    void replace_lines(std::size_t from, std::size_t to, std::string text) {
        const auto breaks = [](std::string_view part) {
            return std::count(part.begin(), part.end(), '\n');
        };
        const auto lacking = breaks(text_.substr(from, to - from)) - breaks(text);
        text.append(static_cast<std::size_t>(lacking), '\n');
        edits_.push_back({from, to, std::move(text)});
    }
    // Removes alignas(16).
    void remove_call(std::size_t k) {
        const Token& last = tokens_[behind_call(k) - 1];
        const std::size_t from = tokens_[k].offset;
        const std::size_t to = last.offset + last.text.size();
        edits_.push_back({from, to, blank(text_.substr(from, to - from))});
    }
    // Returns the index of the token after NAME(...), or after NAME if no closed brackets follow.
    std::size_t behind_call(std::size_t k) const {
        const bool is_call = k + 1 < tokens_.size() && closing_[k + 1] != 0;
        return is_call ? closing_[k + 1] + 1 : k + 1;
    }
    std::size_t find(std::size_t begin, std::size_t end, std::string_view word) const {
        while (begin < end && tokens_[begin].text != word) ++begin;
        return begin;
    }
    // program_.shared_arrays is sorted by position.
    bool is_in_shared_array(std::size_t k) const {
        const auto behind = std::upper_bound(
            program_.shared_arrays.begin(),
            program_.shared_arrays.end(),
            k,
            [](std::size_t at, const ScannedSharedArray& array) { return at < array.end; });
        return behind != program_.shared_arrays.end() && k > behind->begin;
    }

    std::string_view text_;
    const ScannedProgram& program_;
    const std::vector<Token>& tokens_;
    std::vector<std::size_t> closing_;  // index of the ')' for each '('; 0 for other tokens
    std::vector<Edit> edits_;
};

}  // namespace

std::string rewrite_for_host(std::string_view text,
                             const ScannedProgram& program,
                             const WaitingNames* waiting,
                             const std::vector<std::string>& headers) {
    Rewriter rewriter(text, program);
    rewriter.change_shared_arrays();
    rewriter.change_shared_variables();
    rewriter.drop_includes(headers);
    rewriter.add_rows(waiting);
    return rewriter.result();
}

}  // namespace kgen
