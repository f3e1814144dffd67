// SPDX-License-Identifier: MIT
#include "program/user_errors.hpp"

#include <fmt/format.h>

#include "program/raw_names.hpp"
#include "text/compiler_log.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

// Returns "kernel 'saxpy'" for "kernel 'saxpy': NVRTC 13.0.88 rejected the source for sm_90".
std::string subject_of(const std::string& message) {
    return message.substr(0, message.find("': ") + 1);
}

std::string describe_name_error(const NameError& error, const std::vector<std::string>& declared) {
    std::string text =
        fmt::format("the name '{}' is rejected: {}", error.expression, error.message);
    if (error.message.find("is undefined") != std::string::npos && !declared.empty()) {
        text += fmt::format("\nthe source declares {}{}",
                            list_names(declared),
                            suggest_name(error.expression, declared));
    }
    return text;
}

}  // namespace

CompileError explain_error(const CompileError& error, const std::vector<UserText>& user_texts) {
    std::vector<LabelledText> texts;
    for (const UserText& text : user_texts) texts.push_back({text.label, text.text});
    std::string where = describe_errors(error.log(), texts);
    if (where.empty()) where = first_error(error.log());
    if (where.empty()) return error;
    const std::string message = error.what();
    return with_parts(
        CompileError(
            message.substr(0, message.find('\n')) + "\n" + where, error.log(), error.source()),
        error.parts());
}

CompileError explain_raw_error(const CompileError& error,
                               const std::vector<UserText>& user_texts,
                               const std::vector<std::string>& declared,
                               const std::string& missing) {
    std::vector<LabelledText> texts;
    for (const UserText& text : user_texts) texts.push_back({text.label, text.text});
    std::string message;
    ErrorParts parts = error.parts();
    const std::optional<NameError> name = find_name_error(error.log());
    if (name && find_errors(error.log(), texts).empty()) {
        message = subject_of(error.what()) + ": " + describe_name_error(*name, declared);
        parts = {ErrorKind::name, {}, list_names(declared), name->expression};
    } else {
        message = explain_error(error, user_texts).what();
        const std::string instantiated = find_instantiation(error.log());
        if (!instantiated.empty())
            message += fmt::format("\nin the instantiation '{}'", instantiated);
    }
    if (!missing.empty()) message += "\n" + missing;
    return with_parts(CompileError(message, error.log(), error.source()), std::move(parts));
}

std::string with_subject(std::string_view message,
                         std::string_view program,
                         std::string_view subject) {
    for (const std::string_view kind : {"program", "kernel", "module"}) {
        const std::string known = fmt::format("{} '{}'", kind, program);
        if (message.starts_with(known))
            return std::string(subject).append(message.substr(known.size()));
    }
    return std::string(message);
}

}  // namespace kgen
