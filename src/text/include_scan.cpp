// SPDX-License-Identifier: MIT
#include "text/include_scan.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "text/source_cursor.hpp"

namespace kgen {

namespace {

// Whether a line ends with a backslash followed by blanks, which joins lines in g++ and clang but not in
// NVRTC.
bool has_blank_joint(std::string_view text) {
    for (std::size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at + 1)) {
        std::size_t end = at + 1;
        while (end < text.size() && is_blank(text[end])) ++end;
        const bool is_plain = end == at + 1 || text.substr(at + 1, end - at - 1) == "\r";
        if (!is_plain && end < text.size() && text[end] == '\n') return true;
    }
    return false;
}

// Returns the offset of the first trigraph for '#', '\\' or '^', or npos. Only some C++ standards know them.
std::size_t find_trigraph(std::string_view text) {
    for (std::size_t at = text.find("??"); at < text.size(); at = text.find("??", at + 1)) {
        const bool is_whole = at + 2 < text.size();
        if (is_whole && std::string_view("=/'").find(text[at + 2]) != std::string_view::npos)
            return at;
    }
    return std::string_view::npos;
}

// Characters at which a line, comment or literal may begin or end. The scan skips all others.
constexpr std::array<bool, 256> make_marks() {
    std::array<bool, 256> marks{};
    for (const char c : {'\n', '/', '"', '\'', '\\'}) marks[static_cast<unsigned char>(c)] = true;
    return marks;
}
constexpr std::array<bool, 256> marks = make_marks();

// One pass over the text that recognizes comments, literals and joined lines as a preprocessor does.
class IncludeScan : SourceCursor {
public:
    using SourceCursor::SourceCursor;

    std::vector<IncludeUse> run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                end_line();
            } else if ((c == '/' && skip_comment()) || (c == '\\' && skip_joint())) {
                // A directive may follow a comment or a joined line.
            } else if (starts_line_ && is_blank(c)) {
                ++at_;
            } else if (starts_line_ && (c == '#' || c == '%') && read_directive()) {
                // The next iterations read the rest of the line.
            } else {
                starts_line_ = false;
                read_token();
            }
        }
        return std::move(uses_);
    }

private:
    enum class Line : std::uint8_t { code, condition, definition };

    void end_line() {
        ++at_;
        starts_line_ = true;
        line_ = Line::code;
    }

    // Skips blanks, comments and joints within a line.
    void skip_blanks() {
        while (at_ < text_.size()) {
            if (is_blank(text_[at_])) {
                ++at_;
            } else if (!skip_joint() && !(text_[at_] == '/' && skip_comment())) {
                return;
            }
        }
    }

    std::string read_word() {
        std::string word;
        for (skip_joints(); at_ < text_.size() && is_word_character(text_[at_]); skip_joints()) {
            word += text_[at_++];
        }
        return word;
    }

    // Reads "#" or "%:" and the name of the directive. Returns false for a '%' that does not begin "%:".
    bool read_directive() {
        const std::size_t start = at_;
        if (text_[at_++] == '%') {
            skip_joints();
            if (current() != ':') {
                at_ = start;
                return false;
            }
            ++at_;
        }
        starts_line_ = false;
        skip_blanks();
        const std::string word = read_word();
        if (word == "include") {
            skip_blanks();
            if (!read_name()) add_unknown(start);
        } else if (word == "include_next" || word == "import" || word == "embed") {
            add_unknown(start);
        } else if (word == "if" || word == "elif") {
            line_ = Line::condition;
        } else if (word == "define") {
            line_ = Line::definition;
            read_macro();
        }
        return true;
    }

    // Reads the parameters of a function-like macro.
    void read_macro() {
        macro_parameters_.clear();
        skip_blanks();
        read_word();
        if (current() != '(') return;
        ++at_;
        while (at_ < text_.size() && current() != ')' && current() != '\n') {
            skip_blanks();
            std::string parameter = read_word();
            if (parameter.empty()) {
                if (current() != ')' && current() != '\n') ++at_;
            } else {
                macro_parameters_.insert(std::move(parameter));
            }
        }
    }

    // Reads <x.h> or "x.h". Returns false and does not advance if there is no such name.
    bool read_name() {
        const std::size_t start = at_;
        const char open = current();
        if (open != '<' && open != '"') return false;
        const char close = open == '<' ? '>' : '"';
        if (open == '<' && start < no_angle_before_) return false;
        std::string name;
        ++at_;
        for (skip_joints(); current() != close; skip_joints()) {
            if (current() == '\n') {
                if (open == '<') no_angle_before_ = at_;  // no other '<' in the line has one either
                at_ = start;
                return false;
            }
            name += text_[at_++];
        }
        ++at_;
        barrier_ = at_;
        barrier_is_separator_ = false;
        uses_.push_back({open == '<' ? IncludeForm::angled : IncludeForm::quoted,
                         std::move(name),
                         start,
                         at_ - start});
        return true;
    }

    void add_unknown(std::size_t start) {
        uses_.push_back({IncludeForm::unknown, {}, start, at_ - start});
    }

    void read_token() {
        const char c = text_[at_];
        if (c == '"' || c == '\'') {
            skip_quoted(c);
        } else if (line_ != Line::code && is_word_start(c)) {
            read_probe();
        } else {
            ++at_;
            if (line_ != Line::code) return;
            while (at_ < text_.size() && !marks[static_cast<unsigned char>(text_[at_])]) ++at_;
        }
    }

    // Returns the offset of the character before `at`, not counting joints, or npos at the barrier.
    std::size_t before(std::size_t at) const {
        while (at > barrier_ && text_[at - 1] == '\n') {
            std::size_t backslash = at - 1;
            while (backslash > barrier_ && is_blank(text_[backslash - 1])) --backslash;
            if (backslash == barrier_ || joint_at(backslash - 1) != at - (backslash - 1)) break;
            at = backslash - 1;
        }
        return at > barrier_ ? at - 1 : std::string_view::npos;
    }

    // Skips what a quote begins, which depends on the characters before it: the rest of the number 1'000, a
    // raw string, or a literal.
    void skip_quoted(char quote) {
        constexpr std::size_t longest_prefix = 3;
        std::string word;   // the last characters of the word, in reverse order
        char first = '\0';  // the word's first letter
        std::size_t at = before(at_);
        for (; at != std::string_view::npos && is_word_character(text_[at]); at = before(at)) {
            first = text_[at];
            if (word.size() <= longest_prefix) word += first;
        }
        const bool reaches_barrier = at == std::string_view::npos && barrier_ != 0;
        const bool goes_on = reaches_barrier && barrier_is_separator_;
        std::reverse(word.begin(), word.end());
        const bool is_separator = quote == '\'' && (goes_on || is_digit(first));
        const bool is_raw = quote == '"' && is_raw_prefix(word);
        // The word after a literal may be its suffix, and the string then is not raw.
        if (is_raw && reaches_barrier) add_unknown(at_);
        if (is_separator) {
            ++at_;
        } else if (!is_raw || !skip_raw_string()) {
            skip_literal();
        }
        barrier_ = at_;
        barrier_is_separator_ = is_separator;
    }

    // Reads a word in an #if or #define, which may be __has_include.
    void read_probe() {
        const std::size_t start = at_;
        const std::string word = read_word();
        const bool probes = word == "__has_include";
        const bool is_strange = word == "__has_include_next" || word == "__has_embed";
        if (!probes && !is_strange && line_ == Line::definition) return;
        skip_blanks();
        if (current() != '(') return;  // #if defined(__has_include)
        ++at_;
        skip_blanks();
        if (is_strange) return add_unknown(start);
        if (read_name() || !probes) return;
        // If the argument is a parameter of the macro, the file name stands where the macro is used.
        const std::size_t argument = at_;
        const std::string parameter = read_word();
        const bool is_parameter =
            line_ == Line::definition && macro_parameters_.count(parameter) != 0;
        at_ = argument;
        if (!is_parameter) add_unknown(start);
    }

    bool starts_line_ = true;
    Line line_ = Line::code;
    std::set<std::string> macro_parameters_;
    std::size_t no_angle_before_ = 0;  // no '<' before this offset has a '>' in its line
    // The end of the last literal, or of 1' in 1'000. Searches for a word backwards stop here.
    std::size_t barrier_ = 0;
    bool barrier_is_separator_ = false;
    std::vector<IncludeUse> uses_;
};

}  // namespace

std::vector<IncludeUse> find_includes(std::string_view text) {
    std::vector<IncludeUse> uses = IncludeScan(text, BlankJoints::keep).run();
    std::size_t unclear = find_trigraph(text);
    if (unclear == std::string_view::npos && has_blank_joint(text) &&
        IncludeScan(text, BlankJoints::join).run() != uses) {
        unclear = 0;
    }
    if (unclear == std::string_view::npos) return uses;
    const auto behind = std::find_if(
        uses.begin(), uses.end(), [&](const IncludeUse& use) { return use.offset >= unclear; });
    uses.insert(behind, {IncludeForm::unknown, {}, unclear, 1});
    return uses;
}

}  // namespace kgen
