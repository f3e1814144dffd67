// SPDX-License-Identifier: MIT
#include "program/host_raw_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <embedded/skeletons.hpp>
#include <kgen/error.hpp>
#include <string_view>
#include <unordered_set>

#include "program/host_raw_refusals.hpp"
#include "program/host_raw_rewrite.hpp"
#include "program/host_raw_scan.hpp"
#include "source/kernel_parts.hpp"
#include "source/prelude.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

std::vector<std::string> names_of(const std::vector<Header>& headers) {
    std::vector<std::string> names;
    for (const Header& header : headers) names.push_back(header.name);
    return names;
}

// Whether nothing in the header waits for other threads: <cmath>, <stdint.h>, <kgen/array.cuh>.
bool is_harmless_header(std::string_view name) {
    static constexpr std::array<std::string_view, 9> c_headers = {"assert.h",
                                                                  "float.h",
                                                                  "limits.h",
                                                                  "math.h",
                                                                  "stddef.h",
                                                                  "stdint.h",
                                                                  "stdio.h",
                                                                  "stdlib.h",
                                                                  "string.h"};
    return name.find_first_of("./") == std::string_view::npos || name.starts_with("kgen/") ||
           is_built_in_header(name) || is_one_of(name, c_headers);
}

// Returns the macros of the options as #define lines.
std::string definitions(const std::vector<std::string>& options) {
    std::string text;
    for (const MacroOption& macro : macro_options(options)) {
        if (macro.is_defined)
            text += fmt::format("#define {}{} {}\n", macro.name, macro.parameters, macro.value);
    }
    return text;
}

// Hides the macros of the user's options from kgen's own code before the user's text, because -DT=float is
// common.
class OwnMacros {
public:
    explicit OwnMacros(const std::vector<std::string>& options) {
        for (const MacroOption& macro : macro_options(options)) {
            if (macro.name.starts_with("KGEN_")) continue;  // read by kgen's own code
            if (std::find(names_.begin(), names_.end(), macro.name) == names_.end())
                names_.push_back(macro.name);
        }
    }
    std::string hidden() const {
        std::string text;
        for (const std::string& name : names_)
            text += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
        return text;
    }
    std::string shown() const {
        std::string text;
        for (const std::string& name : names_)
            text += fmt::format("#pragma pop_macro(\"{}\")\n", name);
        return text;
    }

private:
    std::vector<std::string> names_;
};

// Returns an entry point for a name expression. The expression has a line of its own, so that errors give
// the right column.
std::string named_entry(std::size_t k, const std::string& expression, bool fibers) {
    return fmt::format(
        "#line {0} \"{1}\"\nstatic constexpr auto kgen_name_{2} =\n#line {0} \"{1}\"\n{3}\n"
        "; KGEN_NAMED(\"kgen_raw_{2}\", {4}, kgen_name_{2})\n",
        k + 1,
        name_expressions_label,
        k,
        expression,
        fibers);
}

using KnownNames = std::unordered_set<std::string_view>;

// Returns the names that are written out in the programs. Macros may define more.
KnownNames known_names(const std::vector<const ScannedProgram*>& programs) {
    KnownNames names;
    for (const ScannedProgram* program : programs) {
        for (const ScannedChunk& chunk : program->chunks)
            names.insert(chunk.names.begin(), chunk.names.end());
    }
    return names;
}

bool names_known(const KnownNames& known, std::string_view expression) {
    const TokenList list = tokenize(expression);
    return std::any_of(list.tokens.begin(), list.tokens.end(), [&](const Token& token) {
        return known.count(token.text) != 0;
    });
}

}  // namespace

RawSource make_host_raw_source(const RawSourceRequest& request) {
    const UserText& text = request.texts.front();
    if (request.texts.size() > 1) {
        throw CompileError(
            fmt::format("program '{}': the host device does not link several sources: got {}\n"
                        "include them from one, or run it on a GPU (KGEN_DEVICE=cuda)",
                        request.program,
                        request.texts.size()),
            "",
            text.text);
    }
    const std::vector<std::string> headers = names_of(request.headers);
    std::vector<ScannedProgram> scanned_headers;
    MacroNames kernel_words;
    for (const Header& header : request.headers) {
        scanned_headers.push_back(scan_program(header.text, TextPlace::header, request.options));
        const MacroNames& words = scanned_headers.back().kernel_words;
        kernel_words.insert(words.begin(), words.end());
    }
    const ScannedProgram scanned =
        scan_program(text.text, TextPlace::source, request.options, host_macros(), kernel_words);
    refuse_for_host(request.program, text, scanned, headers);

    const std::string option_macros = definitions(request.options);
    const ScannedProgram scanned_options = scan_program(option_macros, TextPlace::source, {});
    std::vector<const ScannedProgram*> all = {&scanned, &scanned_options};
    for (const ScannedProgram& each : scanned_headers) all.push_back(&each);
    WaitingNames waiting = find_waiting_names(all);
    bool has_includes = false;
    const std::unordered_set<std::string_view> there(headers.begin(), headers.end());
    for (const ScannedProgram* program : all) {
        for (const ScannedInclude& include : program->includes) {
            has_includes |= !is_built_in_header(include.name);
            const bool is_known = there.count(include.name) != 0;
            if (!is_known && !is_harmless_header(include.name)) waiting.waits_everywhere = true;
        }
    }

    RawSource source;
    source.user_texts = {text};
    const OwnMacros macros(request.options);
    std::vector<std::string_view> texts = {text.text};
    for (const Header& header : request.headers) texts.push_back(header.text);
    source.text = macros.hidden();
    source.text += select_raw_prelude(texts, has_includes, named_dtypes(request, text));
    const auto add = [&](std::string_view section) { source.text += without_licence(section); };
    const bool has_shared_arrays =
        std::any_of(all.begin(), all.end(), [](const ScannedProgram* each) {
            return !each->shared_arrays.empty();
        });
    source.text += fmt::format("#define KGEN_HAS_SHARED_ARRAYS {}\n", has_shared_arrays);
    add(embedded::division_host_cuh);
    add(embedded::raw_host_cuh);
    if (waiting.any()) {
        source.text += "#define KGEN_WAITS_BY_DEFAULT true\n";
        add(embedded::fibers_host_cuh);
        add(embedded::raw_entry_host_cuh);
        add(embedded::warp_host_cuh);
    } else {
        source.text += "#define KGEN_WAITS_BY_DEFAULT false\n";
        add(embedded::raw_threads_host_cuh);
        add(embedded::raw_entry_host_cuh);
    }
    source.text += macros.shown();
    source.text += fmt::format("#line 1 \"{}\"\n", text.label);
    source.text += rewrite_for_host(text.text, scanned, &waiting, headers);
    // The blank line ends a // comment, and absorbs a backslash at the end of the text.
    source.text += "\n\n";

    UserText names{name_expressions_label, {}};
    const KnownNames known = request.names.empty() ? KnownNames() : known_names(all);
    for (std::size_t k = 0; k < request.names.size(); ++k) {
        std::string expression = request.names[k];
        std::replace(expression.begin(), expression.end(), '\n', ' ');
        const bool fibers =
            names_known(known, expression) ? waits(waiting, expression) : waiting.any();
        source.text += named_entry(k, expression, fibers);
        source.lowered_names.push_back({request.names[k], fmt::format("kgen_raw_{}", k)});
        names.text += expression + '\n';
    }
    if (!request.names.empty()) source.user_texts.push_back(std::move(names));
    return source;
}

std::string make_host_raw_header(const UserText& header, const std::string& program) {
    const ScannedProgram scanned = scan_program(header.text, TextPlace::header, {});
    refuse_for_host(program, header, scanned, {});
    return rewrite_for_host(header.text, scanned, nullptr, {});
}

}  // namespace kgen
