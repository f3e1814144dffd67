// SPDX-License-Identifier: MIT
//
// A JSON text as a tree whose values know where they stand.
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
    std::size_t offset = 0;           // of its first byte
    std::string text;                 // of a string
    bool is_true = false;             // of a boolean
    std::vector<JsonValue> elements;  // of an array
    std::vector<JsonMember> members;  // of an object, in its order; distinct keys
};

struct JsonMember {
    std::string key;
    std::size_t key_offset = 0;
    JsonValue value;
};

// "a string", "an object".
std::string_view describe(JsonKind kind) noexcept;

// A text that is followed by its name: errors begin with "file:line:column: ".
struct JsonText {
    std::string_view text;
    std::string_view file;
};

// Throws SignatureError that begins with the place of the byte at `offset`.
[[noreturn]] void fail_at(const JsonText& source, std::size_t offset, const std::string& problem);

// Parses the whole text. Throws SignatureError for all that is no JSON (RFC 8259: no comments, no NaN,
// no byte order mark), keys that an object has twice, and nesting deeper than 16.
JsonValue parse_json(const JsonText& source);

}  // namespace kgen
