// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvjitlink_options.hpp"

#include <string_view>

namespace kgen {

namespace {

enum class Value { none, truth, text };

struct LinkOption {
    std::string_view name;  // NVRTC's option without its leading dashes
    std::string_view link;  // nvJitLink's option
    Value value;
};

constexpr LinkOption link_options[] = {
    {"ftz", "-ftz", Value::truth},
    {"prec-div", "-prec-div", Value::truth},
    {"prec-sqrt", "-prec-sqrt", Value::truth},
    {"fmad", "-fma", Value::truth},
    {"maxrregcount", "-maxrregcount", Value::text},
    {"Xptxas", "-Xptxas", Value::text},
    {"ptxas-options", "-Xptxas", Value::text},
    {"split-compile", "-split-compile", Value::text},
    {"lineinfo", "-lineinfo", Value::none},
    {"generate-line-info", "-lineinfo", Value::none},
    {"G", "-g", Value::none},
    {"device-debug", "-g", Value::none},
};

std::string_view without_dashes(std::string_view option) {
    const std::size_t start = option.find_first_not_of('-');
    return start == 0 || start == std::string_view::npos ? std::string_view()
                                                         : option.substr(start);
}

// Returns the value of an option. NVRTC accepts "-ftz=true" and also the two strings "-ftz" "true".
std::string value_of(const std::vector<std::string>& options, std::size_t index) {
    const std::size_t equals = options[index].find('=');
    if (equals != std::string::npos) return options[index].substr(equals + 1);
    return index + 1 < options.size() ? options[index + 1] : std::string();
}

}  // namespace

std::vector<std::string> resolve_link_options(const CompileJob& job) {
    std::vector<std::string> options = {"-arch=" + job.target.arch};
    for (std::size_t k = 0; k < job.options.size(); ++k) {
        std::string_view name = without_dashes(job.options[k]);
        name = name.substr(0, name.find('='));
        if (name == "use_fast_math") {
            for (const char* each : {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"})
                options.emplace_back(each);
        }
        for (const LinkOption& option : link_options) {
            if (name != option.name) continue;
            std::string text(option.link);
            if (option.value == Value::truth) {
                text += value_of(job.options, k) == "true" ? "=1" : "=0";
            } else if (option.value == Value::text) {
                text += "=" + value_of(job.options, k);
            }
            options.push_back(std::move(text));
        }
    }
    return options;
}

}  // namespace kgen
