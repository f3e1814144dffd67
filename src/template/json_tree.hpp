// SPDX-License-Identifier: MIT
//
// Parser of JSON texts into a tree of values that keep their offsets in the text, for messages.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kgen {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

// A JSON text and its file name. Messages of errors in it begin with "file:line:column: ".
struct JsonText {
    std::string_view text;
    std::string_view file;
};

struct JsonMember;

// Borrows the text that it comes from.
struct JsonValue {
    const JsonText* source = nullptr;
    JsonKind kind = JsonKind::null;
    std::size_t offset = 0;           // of its first byte in the text
    std::string text;                 // of a string
    std::vector<JsonValue> elements;  // of an array
    std::vector<JsonMember> members;  // of an object, in the order of the text; keys are distinct
};

struct JsonMember {
    JsonValue key;  // a string
    JsonValue value;
};

// Returns the kind for a message: "a string", "an object".
std::string_view describe(JsonKind kind) noexcept;

// Throws SignatureError, whose message begins with the place of the byte at `offset`.
[[noreturn]] void fail_at(const JsonText& source, std::size_t offset, const std::string& problem);
// The same for the place of a value.
template <typename... Parts>
[[noreturn]] void fail_at(const JsonValue& value,
                          fmt::format_string<Parts...> text,
                          Parts&&... parts) {
    fail_at(*value.source, value.offset, fmt::format(text, std::forward<Parts>(parts)...));
}

// Parses the whole text. Throws SignatureError for invalid JSON (RFC 8259: no comments, no NaN, no byte order
// mark), for duplicate keys or more than 64 keys in an object, and for nesting deeper than 16 levels.
JsonValue parse_json(const JsonText& source);

}  // namespace kgen
