// SPDX-License-Identifier: MIT
#include <cstddef>
#include <string>

#include "template/template_reader.hpp"

namespace kgen {

namespace {

// The depth of the fields of a template: in the root object, the list and the template's object.
constexpr int depth_of_fields = 3;

// Walks over a valid JSON text without building its values.
class SummaryScan {
public:
    SummaryScan(std::string_view text, std::string_view file) : text_(text), file_(file) {}

    std::vector<TemplateSummary> run() {
        TemplateSummary made{.origin = std::string(file_)};
        int depth = 0;
        while ((at_ = text_.find_first_of("\"{}[]", at_)) != std::string_view::npos) {
            const char found = text_[at_];
            if (found == '"') {
                const std::string_view key = raw_string();
                if (depth == depth_of_fields && is_key()) take_field(key, made);
                continue;
            }
            ++at_;
            if (found == '{' || found == '[') {
                ++depth;
                continue;
            }
            if (found == '}' && depth == depth_of_fields) {
                all_.push_back(made);
                made = {.origin = made.origin};
            }
            --depth;
        }
        return std::move(all_);
    }

private:
    // Returns the string at the current place between its quotes, and goes behind it.
    std::string_view raw_string() {
        const std::size_t begin = ++at_;
        while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        return text_.substr(begin, at_++ - begin);
    }

    bool is_key() {
        at_ = text_.find_first_not_of(" \t\r\n", at_);
        return at_ < text_.size() && text_[at_] == ':';
    }

    void take_field(std::string_view key, TemplateSummary& made) {
        if (key != "name" && key != "kind" && key != "description") return;
        at_ = text_.find('"', at_);
        const std::string_view value = raw_string();
        if (key == "kind") {
            made.kind = value == "reduction" ? TemplateKind::reduction : TemplateKind::elementwise;
        } else {
            (key == "name" ? made.name : made.description) = without_escapes(value);
        }
    }

    // Built-in texts are ASCII and escape only quotes and backslashes.
    static std::string without_escapes(std::string_view value) {
        std::string text;
        for (std::size_t k = 0; k < value.size(); ++k) {
            if (value[k] == '\\') ++k;
            text += value[k];
        }
        return text;
    }

    std::string_view text_;
    std::string_view file_;
    std::size_t at_ = 0;
    std::vector<TemplateSummary> all_;
};

}  // namespace

std::vector<TemplateSummary> read_summaries(std::string_view text, std::string_view file) {
    return SummaryScan(text, file).run();
}

}  // namespace kgen
