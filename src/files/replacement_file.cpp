// SPDX-License-Identifier: MIT
#include "files/replacement_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>
#include <span>
#include <string_view>
#include <system_error>

namespace kgen {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int error) {
    throw IoError(fmt::format("cannot be written: {}", std::strerror(error)));
}

void check(int error) {
    if (error != 0) fail(error);
}

// Returns the file that a path leads to through symbolic links, which need not exist.
std::string resolve_links(std::string path) {
    constexpr int most_links = 40;  // as in Linux
    std::error_code error;
    for (int k = 0; k < most_links; ++k) {
        const fs::path target = fs::read_symlink(path, error);
        if (error) {
            const fs::path resolved = fs::weakly_canonical(path, error);
            return error ? path : resolved.string();
        }
        path = (fs::path(path).parent_path() / target).string();
    }
    fail(ELOOP);
}

// Returns the descriptor that "/dev/stdout", "/dev/fd/3" and the like name; -1 for other paths. Such a file is
// written where it stands, because it is open for appending, a pipe, or shared with other programs.
int named_descriptor(std::string_view path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        const std::string_view name = path.substr(folder.size());
        int number = -1;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error == std::errc() && end == name.data() + name.size()) return number;
    }
    return -1;
}

// Appends a suffix to the name of a file, whose end is cut off if the system's limit requires it.
std::string temporary_name(const std::string& target, const std::string& suffix, bool is_cut) {
    const std::size_t name = target.rfind('/') + 1;
    const std::size_t cut = is_cut ? std::min(suffix.size(), target.size() - name) : 0;
    return target.substr(0, target.size() - cut) + suffix;
}

}  // namespace

ReplacementFile::ReplacementFile(const std::string& path) {
    if (const int open_file = named_descriptor(path); open_file >= 0) {
        file_ = cache::FileDescriptor(::fcntl(open_file, F_DUPFD_CLOEXEC, 0));
        if (!file_.is_open()) fail(errno);
        return;
    }
    if (path.empty()) fail(ENOENT);
    target_ = resolve_links(path);
    struct stat status {};
    if (::stat(target_.c_str(), &status) == 0) {
        if (!S_ISREG(status.st_mode)) {
            throw IoError(S_ISDIR(status.st_mode) ? "cannot be written: it is a directory"
                                                  : "cannot be written: it is not a regular file");
        }
        mode_ = status.st_mode & 07777;
    }
    static std::atomic<std::uint32_t> count = 0;
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    bool is_cut = false;
    for (;;) {
        const std::string suffix = fmt::format(".{}-{}.tmp", ::getpid(), count.fetch_add(1));
        temporary_ = temporary_name(target_, suffix, is_cut);
        file_ = cache::FileDescriptor(::open(temporary_.c_str(), flags, 0666));
        if (file_.is_open()) return;
        const int error = errno;
        temporary_.clear();
        if (error == ENAMETOOLONG && !is_cut) {
            is_cut = true;
        } else if (error != EEXIST) {  // EEXIST: left by an earlier process with this id
            fail(error);
        }
    }
}

ReplacementFile::~ReplacementFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacementFile::write(const void* data, std::size_t bytes) {
    if (is_open_file()) {
        bytes_.append(static_cast<const char*>(data), bytes);
        return;
    }
    overwrite(size_bytes_, data, bytes);
    size_bytes_ += bytes;
}

void ReplacementFile::overwrite(std::uint64_t offset, const void* data, std::size_t bytes) {
    if (is_open_file()) {
        bytes_.replace(offset, bytes, static_cast<const char*>(data), bytes);
        return;
    }
    check(cache::write_all(file_.get(), offset, {static_cast<const std::byte*>(data), bytes}));
}

void ReplacementFile::commit() {
    if (is_open_file()) {
        check(cache::append_all(file_.get(), std::as_bytes(std::span(bytes_))));
        check(file_.close());
        return;
    }
    if (mode_ != 0 && ::fchmod(file_.get(), mode_) != 0) fail(errno);
    if (::fsync(file_.get()) != 0) fail(errno);
    check(file_.close());
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
}

}  // namespace kgen
