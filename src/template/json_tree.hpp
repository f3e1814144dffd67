// SPDX-License-Identifier: MIT
//
// Parser of JSON texts into a tree of values that keep their offsets in the text, for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

struct JsonMember;

struct JsonValue {
    JsonKind kind = JsonKind::null;
    std::size_t offset = 0;           // of its first byte in the text
    std::string text;                 // of a string
    bool is_true = false;             // of a boolean
    std::vector<JsonValue> elements;  // of an array
    std::vector<JsonMember> members;  // of an object, in the order of the text; keys are distinct
};

struct JsonMember {
    std::string key;
    std::size_t key_offset = 0;
    JsonValue value;
};

// Returns the kind for a message: "a string", "an object".
std::string_view describe(JsonKind kind) noexcept;

// A JSON text and its file name. Messages of errors in it begin with "file:line:column: ".
struct JsonText {
    std::string_view text;
    std::string_view file;
};

// Throws SignatureError, whose message begins with the place of the byte at `offset`.
[[noreturn]] void fail_at(const JsonText& source, std::size_t offset, const std::string& problem);

// Parses the whole text. Throws SignatureError for invalid JSON (RFC 8259: no comments, no NaN, no byte order
// mark), for duplicate keys or more than 64 keys in an object, and for nesting deeper than 16 levels.
JsonValue parse_json(const JsonText& source);

}  // namespace kgen
