// SPDX-License-Identifier: MIT
#include "files/replacement_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>
#include <system_error>

namespace kgen {

namespace {

[[noreturn]] void fail(int error) {
    throw IoError(fmt::format("cannot be written: {}", std::strerror(error)));
}

void check(int error) {
    if (error != 0) fail(error);
}

std::string resolve_links(const std::string& path) {
    std::error_code error;
    const auto resolved = std::filesystem::weakly_canonical(path, error);
    return error ? path : resolved.string();
}

}  // namespace

ReplacementFile::ReplacementFile(const std::string& path) : target_(resolve_links(path)) {
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
    do {
        temporary_ = fmt::format("{}.{}-{}.tmp", target_, ::getpid(), count.fetch_add(1));
        file_ = cache::FileDescriptor(::open(temporary_.c_str(), flags, 0666));
    } while (!file_.is_open() && errno == EEXIST);  // left by an earlier process with this id
    if (!file_.is_open()) fail(errno);
}

ReplacementFile::~ReplacementFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacementFile::write(const void* data, std::size_t bytes) {
    overwrite(size_bytes_, data, bytes);
    size_bytes_ += bytes;
}

void ReplacementFile::overwrite(std::uint64_t offset, const void* data, std::size_t bytes) {
    check(cache::write_all(file_.get(), offset, {static_cast<const std::byte*>(data), bytes}));
}

void ReplacementFile::commit() {
    if (mode_ != 0 && ::fchmod(file_.get(), mode_) != 0) fail(errno);
    if (::fsync(file_.get()) != 0) fail(errno);
    check(file_.close());
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
}

}  // namespace kgen
