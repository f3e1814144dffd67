// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>
#include <kgen/terminal_text.hpp>

#include "file_descriptor.hpp"
#include "template/json_tree.hpp"
#include "template/template_reader.hpp"

namespace kgen {

namespace {

std::string_view describe_file(mode_t mode) {
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

[[noreturn]] void fail_reading(const std::string& path, int error) {
    throw IoError(fmt::format(
        "cannot read '{}': {}", terminal_text(path, LineBreaks::escaped), std::strerror(error)));
}

}  // namespace

std::vector<TemplateDefinition> read_template_file(const std::string& path) {
    const cache::FileDescriptor file = cache::open_to_read(path);
    struct stat status = {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
        if (errno != ENXIO) fail_reading(path, errno);  // a socket cannot be opened
        status.st_mode = S_IFSOCK;
    }
    const JsonText nothing{"", path};
    const JsonValue whole{.source = &nothing};
    if (!S_ISREG(status.st_mode)) {
        fail_at(whole, "this is {}, expected a file of templates", describe_file(status.st_mode));
    }
    std::string text;
    // Reads one byte more than a file may have, because that byte shows that the file is too long.
    const int error = cache::read_to_end(file.get(), text, longest_template_file + 1);
    if (error != 0) fail_reading(path, error);
    if (text.size() > longest_template_file) {
        fail_at(whole,
                "the file has more than {} bytes, the limit for a file of templates",
                longest_template_file);
    }
    return read_templates(text, path);
}

}  // namespace kgen
