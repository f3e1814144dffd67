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
#include <utility>

namespace kgen {

namespace {

[[noreturn]] void fail(int error) {
    throw IoError(fmt::format("cannot be written: {}", std::strerror(error)));
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
    do {
        temporary_ = fmt::format("{}.{}-{}.tmp", target_, ::getpid(), count.fetch_add(1));
        descriptor_ =
            ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);  // left by an earlier process with this id
    if (descriptor_ < 0) fail(errno);
}

ReplacementFile::~ReplacementFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacementFile::write(const void* data, std::size_t bytes) {
    const auto* next = static_cast<const char*>(data);
    while (bytes > 0) {
        const ::ssize_t count = ::write(descriptor_, next, bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(errno);
        next += count;
        bytes -= static_cast<std::size_t>(count);
    }
}

void ReplacementFile::overwrite(std::uint64_t offset, const void* data, std::size_t bytes) {
    const auto* next = static_cast<const char*>(data);
    while (bytes > 0) {
        const ::ssize_t count = ::pwrite(descriptor_, next, bytes, static_cast<::off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(errno);
        next += count;
        offset += static_cast<std::uint64_t>(count);
        bytes -= static_cast<std::size_t>(count);
    }
}

void ReplacementFile::commit() {
    if (mode_ != 0 && ::fchmod(descriptor_, mode_) != 0) fail(errno);
    if (::fsync(descriptor_) != 0) fail(errno);
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) fail(errno);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
}

}  // namespace kgen
