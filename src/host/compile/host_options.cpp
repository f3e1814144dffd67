// SPDX-License-Identifier: MIT
#include "host/compile/host_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <kgen/error.hpp>
#include <kgen/terminal_text.hpp>
#include <optional>
#include <string_view>

#include "text/ascii_text.hpp"
#include "text/error_parts.hpp"
#include "text/list.hpp"
#include "text/word.hpp"

namespace kgen {
namespace {

// Reasons:
//   -O3: below it, g++ does not vectorise loops of unknown length.
//   -nostdlib, -nostdinc: headers and libraries make a compile slow, and the source needs none.
//   no-math-errno, no-trapping-math, contract=fast: as in CUDA. Never -ffast-math: it changes values. -fno-fast-math
//   undoes one that CXX holds.
//   wrapv, no-strict-aliasing: overflow and type punning behave as on a GPU.
//   the two sanitizers: x / 0 and INT_MIN / -1 call a handler in the source instead of raising
//   SIGFPE. Under -fwrapv signed-integer-overflow instruments only the division.
//   unwind tables: the exception that the handler throws passes through the kernel's frames.
constexpr std::array own_options = {
    "-std=c++17",
    "-O3",
#if defined(__x86_64__)
    "-march=native",
#else
    "-mcpu=native",
#endif
    "-fPIC",
    "-shared",
    "-nostdlib",
    "-nostdinc",
    "-nostdinc++",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fasynchronous-unwind-tables",
    "-fno-fast-math",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fsanitize=integer-divide-by-zero,signed-integer-overflow",
    "-fno-sanitize-recover=integer-divide-by-zero,signed-integer-overflow",
    "-w",
};

struct Spelling {
    std::string_view text;
    std::string_view canonical;
    bool takes_next;  // the value may be the next option: "-D", "NAME"
};

// NVRTC's spellings of the options that the host supports, longer ones first.
constexpr std::array spellings = {
    Spelling{"--define-macro=", "-D", false},
    Spelling{"--undefine-macro=", "-U", false},
    Spelling{"--include-path=", "-I", false},
    Spelling{"--std=", "-std=", false},
    Spelling{"-std=", "-std=", false},
    Spelling{"-D", "-D", true},
    Spelling{"-U", "-U", true},
    Spelling{"-I", "-I", true},
};

// NVRTC's options that change the rounding of float. All take true or false except use_fast_math, which sets
// the first three to true, false and false. It does not set fmad, so an explicit fmad is kept at any
// position. On the host denormals, divisions and roots are always exact, which satisfies all of these
// options.
constexpr std::array<std::string_view, 3> rounding_options = {"ftz", "prec-div", "prec-sqrt"};
constexpr std::string_view contraction_option = "fmad";
constexpr std::string_view fast_option = "use_fast_math";

bool is_rounding_option(std::string_view name) {
    return name == contraction_option || is_one_of(name, rounding_options);
}

// Accepts NAME, NAME=VALUE and NAME(a,b)=VALUE. g++ passes other values on as arguments of their own, so
// -D@FILE would read any options from a file.
bool is_macro(std::string_view definition) {
    const std::size_t name = definition.find_first_of("(=");
    const std::string_view word = definition.substr(0, name);
    if (word.empty() || !std::all_of(word.begin(), word.end(), is_word)) return false;
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) return false;
    if (name == std::string_view::npos || definition[name] == '=') return true;
    const std::size_t close = definition.find(')', name);
    const std::string_view behind = definition.substr(std::min(close, definition.size()));
    return behind == ")" || behind.starts_with(")=");
}

// Accepts "c++17", "gnu++2a", "c++20".
bool is_standard(std::string_view value) {
    if (value.substr(0, 3) == "gnu") {
        value.remove_prefix(3);
    } else if (value.substr(0, 1) == "c") {
        value.remove_prefix(1);
    }
    return value.size() == 4 && value.substr(0, 2) == "++" &&
           std::isdigit(static_cast<unsigned char>(value[2])) != 0 &&
           std::isalnum(static_cast<unsigned char>(value[3])) != 0;
}

class OptionReader {
public:
    OptionReader(const std::string& kernel, const std::vector<std::string>& options)
        : kernel_(kernel), options_(options) {}

    std::vector<std::string> run() {
        for (; at_ < options_.size(); ++at_) {
            check_bytes("", options_[at_]);
            if (!take_rounding_option(options_[at_])) take_option(options_[at_]);
        }
        return std::move(resolved_);
    }

private:
    template <typename... Parts>
    [[noreturn]] void refuse(fmt::format_string<Parts...> why, Parts&&... parts) const {
        const std::string& option = options_[std::min(at_, options_.size() - 1)];
        throw with_parts(CompileError(fmt::format("kernel '{}': the ", kernel_) +
                                          fmt::format(why, std::forward<Parts>(parts)...),
                                      {},
                                      {}),
                         {ErrorKind::option, option, {}, option});
    }

    // `before` stands before the text in the message.
    void check_bytes(const std::string& before, const std::string& text) const {
        if (!has_control_byte(text)) return;
        refuse("option '{}{}' holds a control character",
               before,
               terminal_text(text, LineBreaks::escaped));
    }

    // Reads an option that changes rounding, written "--NAME=true", "-NAME=false", or "--NAME", "true".
    // Appends the compiler's option for it. Returns false if the option is none of these.
    bool take_rounding_option(const std::string& option) {
        const std::size_t dashes = option.starts_with("--") ? 2 : 1;
        if (!option.starts_with('-')) return false;
        const std::size_t equals = std::min(option.find('='), option.size());
        const std::string_view name = std::string_view(option).substr(dashes, equals - dashes);
        if (name == fast_option) {
            if (equals < option.size()) refuse("option '{}' takes no value", option);
            return true;
        }
        if (!is_rounding_option(name)) return false;
        std::string_view value;
        if (equals < option.size()) {
            value = std::string_view(option).substr(equals + 1);
        } else if (at_ + 1 < options_.size()) {
            value = options_[++at_];
        }
        if (value != "true" && value != "false") {
            refuse("option '{}' expects true or false, got '{}'",
                   option.substr(0, equals),
                   terminal_text(value, LineBreaks::escaped));
        }
        if (name == contraction_option)
            resolved_.emplace_back(value == "true" ? "-ffp-contract=fast" : "-ffp-contract=off");
        return true;
    }

    void take_option(const std::string& option) {
        const auto spelling =
            std::find_if(spellings.begin(), spellings.end(), [&](const Spelling& candidate) {
                return option.starts_with(candidate.text);
            });
        if (spelling == spellings.end()) {
            refuse(
                "host device does not accept the option '{}'; it accepts -D, -U, -I, -std, --fmad, "
                "--ftz, --prec-div, --prec-sqrt and --use_fast_math",
                option);
        }
        std::string value = option.substr(spelling->text.size());
        if (value.empty() && spelling->takes_next && at_ + 1 < options_.size()) {
            value = options_[++at_];
            check_bytes(option + ' ', value);
        }
        if (value.empty()) refuse("option '{}' needs a value", option);
        if (spelling->canonical == "-std=" && !is_standard(value)) {
            refuse("option '{}' does not name a C++ standard; expected one such as -std=c++17",
                   option);
        }
        const bool is_definition = spelling->canonical == "-D";
        const bool is_removal = spelling->canonical == "-U";
        if ((is_definition || is_removal) && !is_macro(value)) {
            refuse("option '{}{}' does not name a macro; expected {}",
                   spelling->canonical,
                   value,
                   is_definition ? "-DNAME or -DNAME=VALUE" : "-UNAME");
        }
        resolved_.push_back(std::string(spelling->canonical) + value);
    }

    const std::string& kernel_;
    const std::vector<std::string>& options_;
    std::size_t at_ = 0;
    std::vector<std::string> resolved_{own_options.begin(), own_options.end()};
};

}  // namespace

std::vector<std::string> resolve_host_options(const std::string& kernel,
                                              const std::vector<std::string>& options) {
    return OptionReader(kernel, options).run();
}

}  // namespace kgen
