// SPDX-License-Identifier: MIT
#include "source/host_raw_scan.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "signature/names.hpp"

namespace kgen {

namespace {

// Words with brackets behind them that are no function's name.
constexpr std::array<std::string_view, 10> bracket_words = {"__launch_bounds__",
                                                            "__attribute__",
                                                            "__align__",
                                                            "alignas",
                                                            "decltype",
                                                            "noexcept",
                                                            "__maxnreg__",
                                                            "__cluster_dims__",
                                                            "__block_size__",
                                                            "__declspec"};
constexpr std::array<std::string_view, 3> variable_words = {
    "__device__", "__constant__", "__managed__"};

template <std::size_t count>
bool is_one_of(const std::array<std::string_view, count>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

char closing_of(std::string_view bracket) {
    if (bracket == "(") return ')';
    if (bracket == "[" || bracket == "<:") return ']';
    if (bracket == "{" || bracket == "<%") return '}';
    return '\0';
}
bool is_opening(std::string_view text) {
    return closing_of(text) != '\0';
}
bool is_closing(std::string_view text) {
    return text == ")" || text == "]" || text == "}" || text == ":>" || text == "%>";
}

class Scanner {
public:
    Scanner(std::string_view all_text, ScannedProgram& program) : program_(program) {
        const std::vector<Token>& all = program.tokens.tokens;
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (program.uses[k] == TokenUse::code) code_.push_back(k);
        }
        scan_includes(all_text);
        scan_macros();
        scan_declarations();
        scan_shared_arrays();
        find_overloads();
    }

private:
    // The k-th token of the code.
    const Token& at(std::size_t k) const { return program_.tokens.tokens[code_[k]]; }
    std::string_view text(std::size_t k) const {
        return k < code_.size() ? at(k).text : std::string_view();
    }
    bool is_identifier(std::size_t k) const {
        return k < code_.size() && at(k).kind == TokenKind::identifier;
    }

    // The number behind the bracket that closes the one at k; the end where none does.
    std::size_t behind_bracket(std::size_t k) const {
        int depth = 0;
        for (; k < code_.size(); ++k) {
            if (is_opening(text(k))) ++depth;
            if (is_closing(text(k)) && --depth == 0) return k + 1;
        }
        return k;
    }

    // What stands in angle brackets is several tokens.
    void scan_includes(std::string_view all_text) {
        const std::vector<Token>& all = program_.tokens.tokens;
        for (std::size_t k = 0; k + 2 < all.size(); ++k) {
            if (program_.uses[k] != TokenUse::directive || !all[k].starts_line ||
                all[k + 1].text != "include") {
                continue;
            }
            const std::string_view rest = all_text.substr(all[k + 2].offset);
            const bool is_angle = rest.front() == '<';
            const std::size_t end = rest.find(is_angle ? '>' : '"', 1);
            if ((!is_angle && rest.front() != '"') || end == std::string_view::npos) continue;
            program_.includes.push_back({std::string(rest.substr(1, end - 1)),
                                         all[k + 2].offset,
                                         all[k + 2].offset + end + 1});
        }
    }

    void scan_macros() {
        const std::vector<Token>& all = program_.tokens.tokens;
        for (std::size_t k = 0; k + 2 < all.size(); ++k) {
            if (program_.uses[k] != TokenUse::directive || !all[k].starts_line ||
                all[k + 1].text != "define") {
                continue;
            }
            ScannedChunk chunk;
            chunk.names.emplace_back(all[k + 2].text);
            bool marks_kernels = false;
            for (std::size_t i = k + 3; i < all.size() && !all[i].starts_line; ++i) {
                if (all[i].kind != TokenKind::identifier) continue;
                chunk.mentions.emplace(all[i].text);
                marks_kernels |= all[i].text == "__global__";
            }
            const bool takes_arguments =
                k + 3 < all.size() && all[k + 3].text == "(" &&
                all[k + 3].offset == all[k + 2].offset + all[k + 2].text.size();
            if (marks_kernels && !takes_arguments) kernel_words_.emplace(all[k + 2].text);
            program_.chunks.push_back(std::move(chunk));
        }
    }

    struct Scope {
        std::string name;  // empty: extern "C", an unnamed namespace
    };

    void scan_declarations() {
        std::size_t begin = 0;
        for (std::size_t k = 0; k < code_.size();) {
            const std::string_view word = text(k);
            if (word == ";") {
                read_declaration(begin, k);
                begin = ++k;
            } else if (word == "}" || word == "%>") {
                if (!scopes_.empty()) scopes_.pop_back();
                begin = ++k;
            } else if (word == "{" || word == "<%") {
                if (open_scope(begin, k)) {
                    begin = ++k;
                    continue;
                }
                const std::size_t behind = behind_bracket(k);
                if (is_function(begin, k)) {
                    read_function(begin, k, behind);
                    begin = behind;
                }
                k = behind;
            } else if (is_opening(word)) {
                k = behind_bracket(k);
            } else {
                ++k;
            }
        }
    }

    // namespace a::b {, extern "C" {
    bool open_scope(std::size_t begin, std::size_t brace) {
        std::size_t k = begin;
        if (text(k) == "inline") ++k;
        if (text(k) == "extern" && k + 2 == brace && at(k + 1).kind == TokenKind::literal) {
            scopes_.push_back({});
            return true;
        }
        if (text(k) != "namespace") return false;
        Scope scope;
        for (++k; k < brace; ++k) {
            if (text(k) == "inline") continue;
            scope.name += text(k);
        }
        scopes_.push_back(scope);
        return true;
    }

    std::string qualified(const std::string& name) const {
        std::string prefix;
        for (const Scope& scope : scopes_) {
            if (!scope.name.empty()) prefix += scope.name + "::";
        }
        return prefix + name;
    }

    // The number of the first token in [begin, end) outside of brackets that is one of the texts.
    template <std::size_t count>
    std::size_t find_outside(std::size_t begin,
                             std::size_t end,
                             const std::array<std::string_view, count>& texts) const {
        for (std::size_t k = begin; k < end;) {
            if (is_one_of(texts, text(k))) return k;
            k = is_opening(text(k)) ? behind_bracket(k) : k + 1;
        }
        return end;
    }

    // The '(' of a function's parameters, `end` if there is none.
    std::size_t parameters_of(std::size_t begin, std::size_t end) const {
        for (std::size_t k = begin; k < end;) {
            if (text(k) == "=") return end;
            const bool is_call = text(k) == "(" && k > begin && is_identifier(k - 1) &&
                                 !is_one_of(bracket_words, text(k - 1));
            const bool is_operator =
                text(k) == "(" && k > begin && !is_identifier(k - 1) && !is_closing(text(k - 1));
            if (is_call || is_operator) return k;
            k = is_opening(text(k)) ? behind_bracket(k) : k + 1;
        }
        return end;
    }

    bool is_function(std::size_t begin, std::size_t brace) const {
        return parameters_of(begin, brace) != brace;
    }

    ScannedChunk chunk_of(std::size_t begin, std::size_t end) const {
        ScannedChunk chunk;
        for (std::size_t k = begin; k < end; ++k) {
            if (is_identifier(k)) chunk.mentions.emplace(text(k));
        }
        return chunk;
    }

    void read_function(std::size_t begin, std::size_t brace, std::size_t behind) {
        const std::size_t open = parameters_of(begin, brace);
        ScannedChunk chunk = chunk_of(begin, behind);
        chunk.names.emplace_back(is_identifier(open - 1) ? text(open - 1) : "operator");
        program_.chunks.push_back(std::move(chunk));

        const bool is_template = text(begin) == "template";
        bool is_kernel = false;
        for (std::size_t k = begin; k < open; ++k) {
            is_kernel |= text(k) == "__global__" || kernel_words_.count(text(k)) != 0;
        }
        if (!is_kernel || !is_identifier(open - 1)) return;
        ScannedKernel kernel;
        std::size_t first = open - 1;
        while (first >= begin + 2 && text(first - 1) == "::" && is_identifier(first - 2))
            first -= 2;
        for (std::size_t k = first; k < open; ++k) kernel.written += text(k);
        kernel.name = qualified(kernel.written);
        kernel.parameters = parameter_text(open + 1, behind_bracket(open) - 1);
        kernel.end = at(behind - 1).offset + at(behind - 1).text.size();
        kernel.chunk = program_.chunks.size() - 1;
        (is_template ? program_.kernel_templates : program_.kernels).push_back(std::move(kernel));
    }

    std::string parameter_text(std::size_t begin, std::size_t end) const {
        std::string result;
        int depth = 0;
        bool in_default = false;
        for (std::size_t k = begin; k < end; ++k) {
            const std::string_view word = text(k);
            if (is_opening(word) || word == "<") ++depth;
            if (is_closing(word) || word == ">") --depth;
            if (depth == 0 && word == "=") in_default = true;
            if (depth == 0 && word == ",") in_default = false;
            if (in_default) continue;
            if (!result.empty() && word != ",") result += ' ';
            result += word;
        }
        return result;
    }

    // Up to the ';' at `end`: a variable, a prototype, a class, an alias.
    void read_declaration(std::size_t begin, std::size_t end) {
        if (begin == end) return;
        ScannedChunk chunk = chunk_of(begin, end);
        const std::size_t body = find_outside(begin, end, class_ends);
        const bool is_alias = text(begin) == "using";
        std::size_t name = is_alias ? begin + 1 : body - (body > begin ? 1 : 0);
        for (std::size_t k = begin; k < body; ++k) {
            const bool is_class = text(k) == "struct" || text(k) == "class" || text(k) == "union";
            if (is_class && is_identifier(k + 1)) name = k + 1;
        }
        if (is_identifier(name)) chunk.names.emplace_back(text(name));
        if (text(body) == "{") {
            // The functions of a class.
            for (std::size_t k = body + 1; k < end;) {
                if (text(k) == "(" && is_identifier(k - 1) && text(k - 1) != "operator")
                    chunk.names.emplace_back(text(k - 1));
                k = is_opening(text(k)) ? behind_bracket(k) : k + 1;
            }
        }
        program_.chunks.push_back(std::move(chunk));
        read_variables(begin, end);
    }

    void read_variables(std::size_t begin, std::size_t end) {
        const std::string_view first = text(begin);
        if (first == "template" || first == "using" || first == "typedef" || first == "extern")
            return;
        if (find_outside(begin, end, variable_words) == end) return;
        if (parameters_of(begin, end) != end) return;  // a function
        // Each declarator ends at '=', '[', '{', ',' or the end; commas of templates do not count.
        int angles = 0;
        bool is_named = false;
        for (std::size_t k = begin; k <= end;) {
            const std::string_view word = k == end ? ";" : text(k);
            if (!is_named && word == "<") ++angles;
            if (!is_named && word == ">") --angles;
            const bool ends = angles == 0 && (word == "=" || word == "[" || word == "{" ||
                                              word == "," || word == ";");
            if (ends && !is_named && k > begin && is_identifier(k - 1)) {
                const std::string name(text(k - 1));
                const bool is_qualified = k >= begin + 2 && text(k - 2) == "::";
                if (!is_qualified && !is_keyword(name) && !is_one_of(variable_words, name)) {
                    program_.variables.push_back(
                        {qualified(name), name, at(end).offset + at(end).text.size()});
                }
                is_named = true;
            }
            if (angles == 0 && word == ",") is_named = false;
            k = k < end && is_opening(word) ? behind_bracket(k) : k + 1;
        }
    }

    // In code and in macros alike.
    void scan_shared_arrays() {
        const std::vector<Token>& all = program_.tokens.tokens;
        const auto is_in_namespace = namespace_tokens();
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (program_.uses[k] == TokenUse::skipped || all[k].text != "extern") continue;
            bool is_shared = false;
            std::size_t end = k + 1;
            while (end < all.size() && all[end].text != ";" && all[end].text != "{" &&
                   program_.uses[end] == program_.uses[k]) {
                is_shared |= all[end].text == "__shared__";
                ++end;
            }
            if (!is_shared || end == all.size() || all[end].text != ";") continue;
            program_.shared_arrays.push_back({k, end, is_in_namespace.count(k) == 0});
            k = end;
        }
    }

    // The numbers among all tokens of the `extern`s that stand outside of functions.
    std::set<std::size_t> namespace_tokens() const {
        std::set<std::size_t> found;
        std::size_t begin = 0;
        for (std::size_t k = 0; k < code_.size();) {
            if (text(k) == "extern") found.insert(code_[k]);
            const bool is_brace = text(k) == "{" || text(k) == "<%";
            std::size_t first = begin;
            if (text(first) == "inline") ++first;
            const bool is_scope = is_brace && (text(first) == "namespace" ||
                                               (text(first) == "extern" && first + 2 == k));
            if (is_brace || text(k) == ";" || text(k) == "}") begin = k + 1;
            if (is_brace && !is_scope) {
                k = behind_bracket(k);
                begin = k;
            } else {
                ++k;
            }
        }
        return found;
    }

    void find_overloads() {
        for (ScannedKernel& kernel : program_.kernels) {
            for (const ScannedKernel& other : program_.kernels) {
                if (kernel.name == other.name && kernel.parameters != other.parameters)
                    kernel.is_overloaded = true;
            }
        }
    }

    static constexpr std::array<std::string_view, 3> class_ends = {"{", "=", "["};

    ScannedProgram& program_;
    std::vector<std::size_t> code_;
    std::vector<Scope> scopes_;
    std::set<std::string, std::less<>> kernel_words_;
};

}  // namespace

const std::vector<std::string>& host_macros() {
    // An architecture that has all of the functions of warps and none of the instructions that only
    // inline PTX reaches.
    // Outlives every static destructor.
    static const auto* const macros = new std::vector<std::string>{
        "__CUDA_ARCH__=700", "__CUDACC__", "__CUDACC_RTC__", "KGEN_ON_HOST"};
    return *macros;
}

ScannedProgram scan_program(std::string_view text,
                            TextPlace place,
                            const std::vector<std::string>& options,
                            const std::vector<std::string>& predefined) {
    ScannedProgram program;
    program.tokens = tokenize(text);
    program.uses = find_active(program.tokens, place, options, predefined);
    const Scanner scanner(text, program);
    if (!find_imbalance(program.tokens).empty()) {
        // The compiler will say so; nothing is put where it may not belong.
        program.kernels.clear();
        program.kernel_templates.clear();
        program.variables.clear();
    }
    return program;
}

}  // namespace kgen
