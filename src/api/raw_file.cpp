// SPDX-License-Identifier: MIT
#include "api/raw_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>

#include "image/code_file.hpp"

namespace kgen {

namespace {

// For all kinds of files, pipes too; throws IoError.
std::string read_bytes(const std::string& path, const std::string& subject) {
    const auto fail = [&](const char* what) {
        throw IoError(fmt::format("{}: the file {}: {}", subject, what, std::strerror(errno)));
    };
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail("cannot be opened");
    const struct Closing {
        int file;
        ~Closing() { ::close(file); }
    } closing{file};
    struct stat status = {};
    if (::fstat(file, &status) == 0 && S_ISDIR(status.st_mode))
        throw IoError(subject + ": it is a directory, not a file");
    std::string bytes;
    for (;;) {
        char chunk[65536];
        const ssize_t count = ::read(file, chunk, sizeof chunk);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("cannot be read");
        if (count == 0) return bytes;
        bytes.append(chunk, static_cast<std::size_t>(count));
    }
}

}  // namespace

void read_program_file(const std::string& path, RawDefinition& definition) {
    std::string bytes = read_bytes(path, definition.subject);
    if (bytes.empty()) throw IoError(definition.subject + ": the file is empty");
    if (is_compiled_code(bytes)) {
        definition.compiled = CompiledFile{read_compiled_code(path, bytes), cache::sha256(bytes)};
        return;
    }
    definition.texts.push_back({path, std::move(bytes)});
    const std::string directory = std::filesystem::path(path).parent_path().string();
    definition.build.include_directories.insert(definition.build.include_directories.begin(),
                                                directory.empty() ? "." : directory);
}

}  // namespace kgen
