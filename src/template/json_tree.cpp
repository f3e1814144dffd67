// SPDX-License-Identifier: MIT
#include "template/json_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <kgen/terminal_text.hpp>
#include <nlohmann/json.hpp>

#include "signature/names.hpp"
#include "text/excerpt.hpp"

namespace kgen {

namespace {

constexpr std::size_t deepest_nesting = 16;
constexpr std::size_t most_fields = 64;  // in one object

// Returns the reason from a message of nlohmann-json, "[json.exception.parse_error.101] parse error at line
// 1, column 2: syntax error while parsing value - invalid literal; last read: '...'; expected ...". The
// message is cut at "last read", because the text after it may be long and contain any characters.
std::string reason_of(std::string_view message) {
    const auto drop_through = [&](std::string_view mark) {
        const std::size_t at = message.find(mark);
        if (at != std::string_view::npos) message.remove_prefix(at + mark.size());
    };
    message = message.substr(0, message.find("; last read: '"));
    drop_through("] ");
    if (message.substr(0, 14) == "parse error at") drop_through(": ");
    drop_through("syntax error ");
    constexpr std::size_t longest = 200;
    const std::size_t dash = message.find(" - ");
    if (dash == std::string_view::npos) return fmt::format("broken JSON: {:.{}}", message, longest);
    return fmt::format(
        "broken JSON {}: {:.{}}", message.substr(0, dash), message.substr(dash + 3), longest);
}

// Builds the tree from nlohmann-json's events. The events have no offsets, so a cursor follows them through
// the text: between the tokens of two events stand only blanks, commas and colons.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit TreeBuilder(const JsonText& source) : source_(source) {}

    JsonValue take() { return std::move(root_); }

    bool null() override { return add(JsonKind::null); }
    bool boolean(bool) override { return add(JsonKind::boolean); }
    bool number_integer(number_integer_t) override { return add(JsonKind::number); }
    bool number_unsigned(number_unsigned_t) override { return add(JsonKind::number); }
    bool number_float(number_float_t, const string_t&) override { return add(JsonKind::number); }
    bool string(string_t& text) override {
        JsonValue& made = place(JsonKind::string);
        made.text = std::move(text);
        return true;
    }
    bool binary(binary_t&) override { return false; }  // never called for JSON text
    bool start_object(std::size_t) override { return open(JsonKind::object); }
    bool start_array(std::size_t) override { return open(JsonKind::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& text) override {
        const std::size_t offset = next_token();
        std::vector<JsonMember>& members = open_.back()->members;
        for (const JsonMember& member : members) {
            if (member.key.text != text) continue;
            const TextPosition first = position_of(source_.text, member.key.offset);
            fail_at(source_,
                    offset,
                    fmt::format("field '{}' is given twice: first at line {}, column {}",
                                printable(text),
                                first.line,
                                first.column));
        }
        if (members.size() == most_fields) {
            fail_at(source_, offset, fmt::format("an object has more than {} fields", most_fields));
        }
        JsonValue& made = members.emplace_back().key;
        made = {.source = &source_, .kind = JsonKind::string, .offset = offset};
        made.text = std::move(text);
        return true;
    }

    bool parse_error(std::size_t position,
                     const std::string&,
                     const nlohmann::detail::exception& error) override {
        fail_at(source_, position == 0 ? 0 : position - 1, reason_of(error.what()));
    }

private:
    // Returns the offset of the next token and moves the cursor behind the token.
    std::size_t next_token() {
        const std::string_view text = source_.text;
        constexpr std::string_view between = " \t\r\n,:";
        const std::size_t start = std::min(text.find_first_not_of(between, cursor_), text.size());
        cursor_ = start;
        if (start == text.size()) return start;
        if (text[start] == '"') {
            for (++cursor_; cursor_ < text.size() && text[cursor_] != '"'; ++cursor_) {
                if (text[cursor_] == '\\') ++cursor_;
            }
            ++cursor_;
        } else if (std::string_view("{}[]").find(text[start]) != std::string_view::npos) {
            ++cursor_;
        } else {
            cursor_ = std::min(text.find_first_of(" \t\r\n,]}", start), text.size());
        }
        return start;
    }

    JsonValue& place(JsonKind kind) {
        JsonValue* made = &root_;
        if (!open_.empty()) {
            JsonValue& parent = *open_.back();
            made = parent.kind == JsonKind::array ? &parent.elements.emplace_back()
                                                  : &parent.members.back().value;
        }
        made->source = &source_;
        made->kind = kind;
        made->offset = next_token();
        return *made;
    }
    bool add(JsonKind kind) {
        place(kind);
        return true;
    }
    bool open(JsonKind kind) {
        JsonValue& made = place(kind);
        if (open_.size() == deepest_nesting) {
            fail_at(
                source_, made.offset, fmt::format("nested deeper than {} levels", deepest_nesting));
        }
        open_.push_back(&made);  // stays valid: its parent gets no other value until it is closed
        return true;
    }
    bool close() {
        next_token();
        open_.pop_back();
        return true;
    }

    const JsonText& source_;
    std::size_t cursor_ = 0;
    JsonValue root_;
    std::vector<JsonValue*> open_;
};

}  // namespace

std::string_view describe(JsonKind kind) noexcept {
    switch (kind) {
        case JsonKind::null:
            return "null";
        case JsonKind::boolean:
            return "a boolean";
        case JsonKind::number:
            return "a number";
        case JsonKind::string:
            return "a string";
        case JsonKind::array:
            return "an array";
        case JsonKind::object:
            break;
    }
    return "an object";
}

void fail_at(const JsonText& source, std::size_t offset, const std::string& problem) {
    const TextPosition at = position_of(source.text, offset);
    throw SignatureError(fmt::format("{}:{}:{}: {}",
                                     terminal_text(source.file, LineBreaks::escaped),
                                     at.line,
                                     at.column,
                                     problem));
}

JsonValue parse_json(const JsonText& source) {
    if (source.text.substr(0, 3) == "\xef\xbb\xbf") {
        fail_at(source, 0, "the text begins with a byte order mark, which JSON does not allow");
    }
    if (source.text.empty()) fail_at(source, 0, "the text is empty");
    TreeBuilder builder(source);
    nlohmann::json::sax_parse(source.text, &builder);
    return builder.take();
}

}  // namespace kgen
