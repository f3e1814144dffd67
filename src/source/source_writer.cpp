// SPDX-License-Identifier: MIT
#include "source/source_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace kgen {

void SourceWriter::append(std::string_view text) {
    text_ += text;
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

void SourceWriter::start_line() {
    if (!text_.empty() && text_.back() != '\n') append("\n");
}

void SourceWriter::append_slot(const Slot& slot) {
    append(slot.before);
    if (slot.user.label.empty()) return;
    start_line();
    append(fmt::format("#line 1 \"{}\"\n", slot.user.label));
    append(slot.user.text);
    // The blank line ends a // comment and absorbs a backslash at the end of the user's text. Lines up to the
    // #line below count as the user's next line, so a missing ';' is reported there.
    append("\n\n");
    append(slot.after);
    start_line();
    append(fmt::format("#line {} \"{}\"\n", line_ + 1, file_));
    user_texts_.push_back(slot.user);
}

const Slot& SourceWriter::slot_of(std::string_view line,
                                  std::string_view name,
                                  const Slots& slots) {
    const auto found = slots.find(std::string(name));
    if (found == slots.end()) {
        throw std::logic_error(fmt::format("the skeleton has a slot that is not given: {}", line));
    }
    return found->second;
}

void SourceWriter::write_inline(std::string_view line, const Slots& slots) {
    std::string_view rest = line;
    for (std::size_t open; (open = rest.find("${")) != std::string_view::npos;) {
        const std::size_t close = rest.find('}', open);
        append(rest.substr(0, open));
        append(slot_of(line, rest.substr(open + 2, close - open - 2), slots).before);
        rest.remove_prefix(close + 1);
    }
    append(rest);
}

void SourceWriter::write(std::string_view skeleton, const Slots& slots) {
    while (!skeleton.empty()) {
        const std::size_t end = std::min(skeleton.find('\n'), skeleton.size() - 1);
        const std::string_view line = skeleton.substr(0, end + 1);
        skeleton.remove_prefix(end + 1);
        const bool alone = line.starts_with("${") && line.find('}') + 2 == line.size();
        if (alone) {
            append_slot(slot_of(line, line.substr(2, line.size() - 4), slots));
            start_line();
        } else {
            write_inline(line, slots);
        }
    }
}

}  // namespace kgen
