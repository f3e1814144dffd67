// SPDX-License-Identifier: MIT
#include "cli/named_template.hpp"

namespace kgen::cli {

void add_template_file(CLI::App& command, std::optional<std::string>& file) {
    command
        .add_option_function<std::string>(
            "--template",
            [&file](const std::string& text) { file = text; },
            "a file of templates; name one of them if it has several")
        ->type_name("FILE.json");
}

KernelTemplate find_template(const std::optional<std::string>& file, const std::string& name) {
    return file ? KernelTemplate::from_file(*file, name) : kernel_template(name);
}

}  // namespace kgen::cli
