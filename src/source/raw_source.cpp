// SPDX-License-Identifier: MIT
#include "source/raw_source.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>

#include "source/host_raw_source.hpp"

namespace kgen {

namespace {

// Errors then name the user's own file and lines; the label is no path that depends on a machine.
std::string with_line_directive(const UserText& text) {
    return fmt::format("#line 1 \"{}\"\n{}\n", text.label, text.text);
}

void check_characters(const RawSourceRequest& request) {
    for (const UserText& text : request.texts) {
        const std::size_t at = text.text.find('\0');
        if (at == std::string::npos) continue;
        // A compiler would silently compile what stands before it.
        throw CompileError(fmt::format("program '{}': '{}' holds a NUL character at byte {}",
                                       request.program,
                                       text.label,
                                       at),
                           "",
                           text.text);
    }
}

}  // namespace

RawSource make_raw_source(const RawSourceRequest& request) {
    check_characters(request);
    if (request.device == DeviceKind::host) return make_host_raw_source(request);
    RawSource source;
    source.user_texts = request.texts;
    for (const UserText& text : request.texts) {
        if (source.text.empty()) {
            source.text = with_line_directive(text);
        } else {
            source.linked.push_back({text.label, with_line_directive(text)});
        }
    }
    return source;
}

std::string make_raw_header(const UserText& header, DeviceKind device, const std::string& program) {
    return device == DeviceKind::host ? make_host_raw_header(header, program) : header.text;
}

}  // namespace kgen
