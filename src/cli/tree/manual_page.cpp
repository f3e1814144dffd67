// SPDX-License-Identifier: MIT
#include "cli/tree/manual_page.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <ctime>
#include <kgen/system.hpp>
#include <sstream>
#include <string_view>

namespace kgen::cli {

namespace {

// Returns the text so that roff prints each of its characters as it is.
std::string roff(std::string_view text) {
    std::string result;
    bool begins_line = true;
    for (const char letter : text) {
        if (begins_line && (letter == '.' || letter == '\'')) result += "\\&";
        begins_line = letter == '\n';
        switch (letter) {
            case '\\':
                result += "\\e";
                break;
            case '-':
                result += "\\-";
                break;
            case '\'':
                result += "\\(aq";
                break;
            case '`':
                result += "\\(ga";
                break;
            case '^':
                result += "\\(ha";
                break;
            case '~':
                result += "\\(ti";
                break;
            default:
                result += letter;
        }
    }
    return result;
}

// Breaks the text into lines of at most 80 characters, which roff joins again.
std::string in_lines(const std::string& text) {
    std::istringstream words(text);
    std::string result;
    std::size_t length = 0;
    for (std::string word; words >> word; length += word.size() + 1) {
        const std::string escaped = roff(word);
        const bool fits = length + escaped.size() < 80;
        if (!fits) length = 0;
        result += (result.empty() ? "" : fits ? " " : "\n") + escaped;
        length += escaped.size() - word.size();
    }
    return result;
}

std::string bold(std::string_view text) {
    return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + roff(text) + "\\fR";
}

std::string value_text(const OptionText& option) {
    const bool lists_choices =
        !option.choices.empty() && option.value.find('|') == std::string::npos;
    if (!lists_choices) return italic(option.value);
    std::string text;
    for (const std::string& choice : option.choices) text += (text.empty() ? "" : "|") + choice;
    return bold(text);
}

std::string argument_text(const OptionText& argument) {
    const std::string text = value_text(argument) + (argument.is_repeatable ? " ..." : "");
    return argument.is_required ? text : "[" + text + "]";
}

std::string option_text(const OptionText& option) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
    return option.value_count == 0 ? names : names + " " + value_text(option);
}

void add_entry(std::string& page, const std::string& term, const std::string& description) {
    page += fmt::format(".TP\n{}\n{}\n", term, description.empty() ? "\\&" : in_lines(description));
}

// Lines of a footer are kept, because many are commands.
void add_footer(std::string& page, const std::string& footer) {
    if (!footer.empty()) page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(footer));
}

// Adds the synopses of the commands that can be run.
void add_synopses(std::string& page, const CommandText& command) {
    for (const CommandText& each : command.commands) add_synopses(page, each);
    if (!command.commands.empty()) return;
    page += (page.ends_with(".SH SYNOPSIS\n") ? "" : ".br\n") + bold(command.name) + " [" +
            italic("options") + "]";
    for (const OptionText& argument : command.arguments) page += " " + argument_text(argument);
    page += "\n";
}

void add_command(std::string& page, const CommandText& command) {
    page += fmt::format(".SS {}\n{}\n", roff(command.name), roff(command.description));
    for (const OptionText& argument : command.arguments)
        add_entry(page, argument_text(argument), argument.description);
    for (const OptionText& option : command.options)
        add_entry(page, option_text(option), option.description);
    add_footer(page, command.footer);
    for (const CommandText& each : command.commands) add_command(page, each);
}

std::string date_text() {
    const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
    const std::time_t time = epoch != nullptr ? std::atoll(epoch) : std::time(nullptr);
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(time));
}

}  // namespace

std::string manual_page(const CommandText& tree) {
    std::string page =
        fmt::format(".TH KGEN 1 {} \"kgen {}\" \"User Commands\"\n", date_text(), version());
    page += fmt::format(".SH NAME\nkgen \\- {}\n.SH SYNOPSIS\n", roff(tree.description));
    add_synopses(page, tree);
    page += ".SH OPTIONS\n";
    for (const OptionText& option : tree.options)
        add_entry(page, option_text(option), option.description);
    add_footer(page, tree.footer);
    page += ".SH COMMANDS\n";
    for (const CommandText& command : tree.commands) add_command(page, command);
    return page;
}

}  // namespace kgen::cli
