// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>
#include <kgen/terminal_text.hpp>

#include "template/json_tree.hpp"
#include "template/template_reader.hpp"

namespace kgen {

namespace {

class OpenFile {
public:
    // O_NONBLOCK, because opening a FIFO would wait for a writer.
    explicit OpenFile(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

std::string_view describe_file(mode_t mode) {
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

[[noreturn]] void fail_reading(const std::string& path) {
    throw IoError(fmt::format(
        "cannot read '{}': {}", terminal_text(path, LineBreaks::escaped), std::strerror(errno)));
}

// Reads the file, but at most one byte more than the longest file that is allowed.
std::string read_all(const std::string& path, int descriptor) {
    std::string text(longest_template_file + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t got = ::read(descriptor, text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_reading(path);
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
}

}  // namespace

std::vector<TemplateDefinition> read_template_file(const std::string& path) {
    const OpenFile file(path);
    struct stat status = {};
    if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0) {
        if (errno != ENXIO) fail_reading(path);  // a socket cannot be opened
        status.st_mode = S_IFSOCK;
    }
    const JsonText nothing{"", path};
    if (!S_ISREG(status.st_mode)) {
        fail_at(
            nothing,
            0,
            fmt::format("this is {}, expected a file of templates", describe_file(status.st_mode)));
    }
    const std::string text = read_all(path, file.descriptor());
    if (text.size() > longest_template_file) {
        fail_at(nothing,
                0,
                fmt::format("the file has more than {} bytes, the limit for a file of templates",
                            longest_template_file));
    }
    return read_templates(text, path);
}

}  // namespace kgen
