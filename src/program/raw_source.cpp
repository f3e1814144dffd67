// SPDX-License-Identifier: MIT
#include "program/raw_source.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <map>

#include "device/device_traits.hpp"
#include "program/host_raw_source.hpp"
#include "signature/active_code.hpp"
#include "source/dtype_names_used.hpp"
#include "source/prelude.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// Returns the declarations before a source on CUDA; empty if it names no dtype.
std::string dtype_prefix(const RawSourceRequest& request, const UserText& text) {
    const std::string types = select_dtype_prelude(named_dtypes(request, text));
    if (types.empty()) return {};
    // Hides the options' macros up to the user's text, because -DT=float is common. NVRTC has no push_macro.
    std::string hidden;
    std::map<std::string, std::string> shown;
    for (const MacroOption& macro : macro_options(request.options)) {
        if (find_word(types, macro.name) == std::string::npos) continue;
        hidden += fmt::format("#undef {}\n", macro.name);
        shown[macro.name] =
            macro.is_defined
                ? fmt::format("#define {}{} {}\n", macro.name, macro.parameters, macro.value)
                : "";
    }
    std::string prefix = hidden + types;
    for (const auto& [name, definition] : shown) prefix += definition;
    return prefix;
}

// Makes errors name the user's file and lines. A file's label is its path as the user gave it, so it need not
// depend on the machine.
std::string with_line_directive(const UserText& text) {
    return fmt::format("#line 1 \"{}\"\n{}\n", text.label, text.text);
}

void check_characters(const RawSourceRequest& request) {
    for (const UserText& text : request.texts) {
        const std::size_t at = text.text.find('\0');
        if (at == std::string::npos) continue;
        // A compiler would silently ignore the text after the NUL.
        throw CompileError(fmt::format("program '{}': '{}' holds a NUL character at byte {}",
                                       request.program,
                                       text.label,
                                       at),
                           "",
                           text.text);
    }
}

}  // namespace

DTypeSet named_dtypes(const RawSourceRequest& request, const UserText& text) {
    std::vector<std::string_view> written = {text.text};
    for (const UserText& header : request.own_headers) written.push_back(header.text);
    std::vector<std::string_view> mentioning = written;
    mentioning.insert(mentioning.end(), request.names.begin(), request.names.end());
    return find_dtype_names(mentioning, written, request.options);
}

RawSource make_raw_source(const RawSourceRequest& request) {
    check_characters(request);
    if (traits(request.device).language == SourceLanguage::cpp)
        return make_host_raw_source(request);
    RawSource source;
    source.user_texts = request.texts;
    for (const UserText& text : request.texts) {
        std::string whole = dtype_prefix(request, text) + with_line_directive(text);
        if (source.text.empty()) {
            source.text = std::move(whole);
        } else {
            source.linked.push_back({text.label, std::move(whole)});
        }
    }
    return source;
}

std::string make_raw_header(const UserText& header, DeviceKind device, const std::string& program) {
    return traits(device).language == SourceLanguage::cpp ? make_host_raw_header(header, program)
                                                          : header.text;
}

}  // namespace kgen
