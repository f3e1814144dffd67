// SPDX-License-Identifier: MIT
#include "program/host_raw_scan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "signature/code_tokens.hpp"
#include "signature/macro_definitions.hpp"
#include "signature/names.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// Words that are followed by brackets but are not function names.
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

class Scanner : CodeTokens {
public:
    Scanner(std::string_view all_text, ScannedProgram& program)
        : CodeTokens(program.tokens.tokens, program.uses), program_(program) {
        scan_includes(all_text);
        scan_macros();
        scan_declarations();
        program.shared_arrays = find_shared_arrays(program.tokens.tokens, program.uses, *this);
        find_overloads();
    }

private:
    // Reads the text of the line, because <name> is split into several tokens.
    void scan_includes(std::string_view all_text) {
        const std::vector<Token>& all = program_.tokens.tokens;
        for (std::size_t k = 0; k + 2 < all.size(); ++k) {
            if (program_.uses[k] != TokenUse::directive || !all[k].starts_line ||
                all[k + 1].text != "include") {
                continue;
            }
            std::string_view rest = all_text.substr(all[k + 2].offset);
            rest = rest.substr(0, rest.find('\n'));
            const bool is_angle = rest.front() == '<';
            const std::size_t end = rest.find(is_angle ? '>' : '"', 1);
            if ((!is_angle && rest.front() != '"') || end == std::string_view::npos) continue;
            program_.includes.push_back({std::string(rest.substr(1, end - 1)),
                                         all[k + 1].offset,
                                         all[k + 2].offset,
                                         all[k + 2].offset + end + 1});
        }
    }

    void scan_macros() {
        const std::vector<Token>& all = program_.tokens.tokens;
        for (const MacroDefinition& macro : find_macros(all)) {
            if (program_.uses[macro.name] != TokenUse::directive) continue;
            ScannedChunk chunk;
            chunk.names.emplace_back(all[macro.name].text);
            bool marks_kernels = false;
            for (std::size_t k = macro.replacement; k < macro.end; ++k) {
                if (all[k].kind != TokenKind::identifier) continue;
                chunk.mentions.emplace(all[k].text);
                marks_kernels |= all[k].text == "__global__";
            }
            if (marks_kernels && !macro.takes_arguments)
                program_.kernel_words.emplace(all[macro.name].text);
            program_.chunks.push_back(std::move(chunk));
        }
    }

    void scan_declarations() {
        std::size_t begin = 0;
        for (std::size_t k = 0; k < size();) {
            const std::string_view word = text(k);
            if (word == ";") {
                read_declaration(begin, k);
                begin = ++k;
            } else if (closes_block(word)) {
                if (!scopes_.empty()) scopes_.pop_back();
                begin = ++k;
            } else if (opens_block(word)) {
                if (std::optional<OpenedScope> scope = opened_scope(*this, begin, k)) {
                    scopes_.push_back(std::move(*scope));
                    begin = ++k;
                    continue;
                }
                const std::size_t behind = behind_bracket(k);
                // The search for parameters resumes where it stopped, so each token is visited once.
                if (begin != parameters_begin_) {
                    parameters_begin_ = begin;
                    no_parameters_before_ = begin;
                }
                const std::size_t open = parameters_of(begin, no_parameters_before_, k);
                no_parameters_before_ = k;
                if (open != k) {
                    read_function(begin, open, behind);
                    begin = behind;
                }
                k = behind;
            } else {
                k = behind(k);
            }
        }
    }

    // Returns the name with its namespaces. Empty if the nesting is deeper than compilers must support (C++
    // Annex B) or the name is too long for a message; the kernel or variable is then not found by name.
    std::string qualified(const std::string& name) const {
        constexpr std::size_t deepest = 256;
        constexpr std::size_t longest = 4096;
        if (scopes_.size() > deepest) return {};
        std::string prefix;
        for (const OpenedScope& scope : scopes_) {
            if (!scope.name.empty()) prefix += scope.name + "::";
            if (prefix.size() + name.size() > longest) return {};
        }
        return prefix + name;
    }

    // Returns the index of the first token in [begin, end) that is one of the texts, brackets skipped.
    template <std::size_t count>
    std::size_t find_outside(std::size_t begin,
                             std::size_t end,
                             const std::array<std::string_view, count>& texts) const {
        for (std::size_t k = begin; k < end;) {
            if (is_one_of(text(k), texts)) return k;
            k = behind(k);
        }
        return end;
    }

    // Returns the index of the '(' before a function's parameters; `end` if there is none. The declaration
    // begins at `begin`, the search at `from`.
    std::size_t parameters_of(std::size_t begin, std::size_t from, std::size_t end) {
        if (begin == initialized_) return end;
        for (std::size_t k = from; k < end;) {
            if (text(k) == "=") {
                initialized_ = begin;
                return end;
            }
            const bool is_call = text(k) == "(" && k > begin && is_identifier(k - 1) &&
                                 !is_one_of(text(k - 1), bracket_words);
            const bool is_operator =
                text(k) == "(" && k > begin && !is_identifier(k - 1) && !is_closing(text(k - 1));
            if (is_call || is_operator) return k;
            k = behind(k);
        }
        return end;
    }

    ScannedChunk chunk_of(std::size_t begin, std::size_t end) const {
        ScannedChunk chunk;
        for (std::size_t k = begin; k < end; ++k) {
            if (is_identifier(k)) chunk.mentions.emplace(text(k));
        }
        return chunk;
    }

    void read_function(std::size_t begin, std::size_t open, std::size_t behind) {
        ScannedChunk chunk = chunk_of(begin, behind);
        chunk.names.emplace_back(is_identifier(open - 1) ? text(open - 1) : "operator");
        program_.chunks.push_back(std::move(chunk));

        const bool is_template = text(begin) == "template";
        bool is_kernel = false;
        for (std::size_t k = begin; k < open; ++k) {
            is_kernel |= text(k) == "__global__" || program_.kernel_words.count(text(k)) != 0;
        }
        if (!is_kernel || !is_identifier(open - 1)) return;
        ScannedKernel kernel;
        std::size_t first = open - 1;
        while (first >= begin + 2 && text(first - 1) == "::" && is_identifier(first - 2))
            first -= 2;
        for (std::size_t k = first; k < open; ++k) kernel.written += text(k);
        kernel.name = qualified(kernel.written);
        if (kernel.name.empty()) return;
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

    // Reads a declaration that ends with the ';' at `end`: a variable, a prototype, a class, an alias.
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
            // Member functions.
            for (std::size_t k = body + 1; k < end;) {
                if (text(k) == "(" && is_identifier(k - 1) && text(k - 1) != "operator")
                    chunk.names.emplace_back(text(k - 1));
                k = behind(k);
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
        if (parameters_of(begin, begin, end) != end) return;  // a function
        // A declarator ends at '=', '[', '{', ',' or `end`. Commas in template arguments do not count.
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
                std::string whole = qualified(name);
                if (!is_qualified && !is_keyword(name) && !is_one_of(name, variable_words) &&
                    !whole.empty()) {
                    program_.variables.push_back(
                        {std::move(whole), name, at(end).offset + at(end).text.size()});
                }
                is_named = true;
            }
            if (angles == 0 && word == ",") is_named = false;
            k = k < end ? behind(k) : k + 1;
        }
    }

    void find_overloads() {
        std::map<std::string_view, std::set<std::string_view>> parameters;
        for (const ScannedKernel& kernel : program_.kernels)
            parameters[kernel.name].insert(kernel.parameters);
        for (ScannedKernel& kernel : program_.kernels)
            kernel.is_overloaded = parameters[kernel.name].size() > 1;
    }

    static constexpr std::array<std::string_view, 3> class_ends = {"{", "=", "["};

    ScannedProgram& program_;
    std::vector<OpenedScope> scopes_;
    std::size_t parameters_begin_ = 0;  // begin of the declaration that was searched last
    std::size_t no_parameters_before_ = 0;
    std::size_t initialized_ = std::string_view::npos;  // begin of the last declaration with an '='
};

}  // namespace

const std::vector<std::string>& host_macros() {
    // Programs see architecture 7.0, because it has the warp functions with masks but none of the newer
    // instructions that only inline PTX reaches.
    // The list is never destroyed, so static destructors can use it.
    static const auto* const macros = new std::vector<std::string>{
        "__CUDA_ARCH__=700", "__CUDACC__", "__CUDACC_RTC__", "KGEN_ON_HOST"};
    return *macros;
}

ScannedProgram scan_program(std::string_view text,
                            TextPlace place,
                            const std::vector<std::string>& options,
                            const std::vector<std::string>& predefined,
                            MacroNames kernel_words) {
    ScannedProgram program;
    program.kernel_words = std::move(kernel_words);
    for (const MacroOption& macro : macro_options(options)) {
        const bool is_kernel_word = macro.is_defined && macro.parameters.empty() &&
                                    find_word(macro.value, "__global__") != std::string_view::npos;
        if (is_kernel_word) program.kernel_words.insert(macro.name);
    }
    program.tokens = tokenize(text);
    program.uses = find_active(program.tokens.tokens, place, options, predefined);
    const Scanner scanner(text, program);
    if (!find_imbalance(program.tokens).empty()) {
        // The brackets do not match. Nothing is inserted into such a text; the compiler reports the error.
        program.kernels.clear();
        program.kernel_templates.clear();
        program.variables.clear();
    }
    return program;
}

}  // namespace kgen
