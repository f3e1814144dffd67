// SPDX-License-Identifier: MIT
#include "text/source_cursor.hpp"

#include <algorithm>
#include <string>

namespace kgen {

std::size_t SourceCursor::joint_at(std::size_t at) const {
    if (at >= text_.size() || text_[at] != '\\') return 0;
    std::size_t end = at + 1;
    if (takes_blank_joints_) {
        while (end < text_.size() && is_blank(text_[end])) ++end;
    } else if (end < text_.size() && text_[end] == '\r') {
        ++end;
    }
    return end < text_.size() && text_[end] == '\n' ? end + 1 - at : 0;
}

bool SourceCursor::skip_joint() {
    const std::size_t length = joint_at(at_);
    at_ += length;
    return length != 0;
}

void SourceCursor::skip_line() {
    while (true) {
        at_ = std::min(text_.find('\n', at_), text_.size());
        if (at_ == text_.size()) return;
        std::size_t before = at_;
        while (before > 0 && is_blank(text_[before - 1])) --before;
        if (before == 0 || joint_at(before - 1) != at_ + 1 - (before - 1)) return;
        ++at_;
    }
}

bool SourceCursor::skip_comment() {
    const std::size_t start = at_++;
    is_closed_ = true;
    skip_joints();
    if (current() == '/') {
        skip_line();
        return true;
    }
    if (current() != '*') {
        at_ = start;
        return false;
    }
    ++at_;
    while (true) {
        at_ = std::min(text_.find('*', at_), text_.size());
        is_closed_ = at_ < text_.size();
        if (!is_closed_) return true;
        ++at_;
        skip_joints();
        if (current() != '/') continue;
        ++at_;
        return true;
    }
}

void SourceCursor::skip_literal() {
    const char quote = text_[at_++];
    is_closed_ = false;
    while (at_ < text_.size() && text_[at_] != '\n') {
        if (text_[at_] == '\\' && skip_joint()) continue;
        const char c = text_[at_++];
        if (c == quote) {
            is_closed_ = true;
            return;
        }
        if (c == '\\' && at_ < text_.size() && text_[at_] != '\n') ++at_;
    }
}

bool SourceCursor::skip_raw_string() {
    constexpr std::size_t longest_delimiter = 16;
    const std::string_view start = text_.substr(at_ + 1, longest_delimiter + 1);
    const std::size_t length = start.find_first_of("( )\\\n\"");
    if (has_open_raw_string_ || length >= start.size() || start[length] != '(') return false;
    const std::string end = ")" + std::string(start.substr(0, length)) + "\"";
    const std::size_t close = text_.find(end, at_ + 1 + length);
    // If it is not closed, no compiler accepts the text, so no later raw string is searched.
    has_open_raw_string_ = close == std::string_view::npos;
    if (!has_open_raw_string_) at_ = close + end.size();
    return !has_open_raw_string_;
}

}  // namespace kgen
