// SPDX-License-Identifier: MIT
//
// SourceWriter: fills the slots of a skeleton and writes #line directives, so that compilers report correct
// line numbers around the user's texts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "source/source.hpp"

namespace kgen {

// The content of a slot: generated text, with at most one of the user's texts in its middle.
struct Slot {
    std::string before;
    UserText user = {};  // absent if its label is empty
    std::string after = {};
};

using Slots = std::map<std::string, Slot>;

class SourceWriter {
public:
    // `file` is the file name that compilers report for generated lines.
    explicit SourceWriter(std::string file) : file_(std::move(file)) {}

    // Writes the skeleton and replaces each ${name} by its slot. If ${name} is alone on its line, the slot
    // fills whole lines, or none if it is empty. Only such slots may contain a user text. Throws
    // std::logic_error if a slot is not given.
    void write(std::string_view skeleton, const Slots& slots);

    const std::string& text() const noexcept { return text_; }
    const std::vector<UserText>& user_texts() const noexcept { return user_texts_; }

private:
    static const Slot& slot_of(std::string_view line, std::string_view name, const Slots& slots);
    void write_inline(std::string_view line, const Slots& slots);
    void append(std::string_view text);
    void append_slot(const Slot& slot);
    void start_line();

    std::string file_;
    std::string text_;
    int line_ = 1;
    std::vector<UserText> user_texts_;
};

}  // namespace kgen
