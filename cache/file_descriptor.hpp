// SPDX-License-Identifier: MIT
//
// FileDescriptor: owns an open file and closes it. The functions below open, read and write files. They
// repeat a call that a signal interrupts.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kgen::cache {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) noexcept : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor() { close(); }

    bool is_open() const noexcept { return number_ >= 0; }
    int get() const noexcept { return number_; }
    // Gives up ownership: the caller must close the returned descriptor.
    int release() noexcept { return std::exchange(number_, -1); }
    // Closes the file if it is open. Returns 0 or errno: network file systems may report a full disk only
    // here.
    int close() noexcept;

private:
    int number_ = -1;
};

enum class Links : bool { refused, followed };

// Opens a file for reading. Never waits for a FIFO's writer, and never makes a terminal the controlling one.
// The result may be a directory, a FIFO or a device. On failure it is not open, and errno is set.
FileDescriptor open_to_read(int directory, const char* path, Links links);
// The same for a path of the user. Follows links.
FileDescriptor open_to_read(const std::string& path);

// Reads from `offset` until `bytes` is full, the file ends or a call fails. Returns the number of bytes that
// were read. Sets `error` to 0 or errno.
std::size_t read_range(int file,
                       std::uint64_t offset,
                       std::span<std::byte> bytes,
                       int& error) noexcept;

// Fills `bytes` from `offset` on. Returns 0, errno, or -1 if the file ends too early.
int read_all(int file, std::uint64_t offset, std::span<std::byte> bytes) noexcept;

// Replaces `contents` by the file's, or by their first `limit` bytes. Returns 0 or errno.
int read_to_end(int file, std::string& contents, std::size_t limit = std::string::npos);

// Write all bytes, at `offset` or where the file's own offset and O_APPEND tell. Return 0 or errno. Beyond the
// process's limit of file sizes (ulimit -f) this is EFBIG, and the process gets no SIGXFSZ.
int write_all(int file, std::uint64_t offset, std::span<const std::byte> bytes) noexcept;
int append_all(int file, std::span<const std::byte> bytes) noexcept;

// Appends the names in the directory `path` below `at`, except "." and "..", in no particular order. Fails if
// the last component of `path` is a symbolic link. Returns 0 or errno.
int list_directory(int at, const char* path, std::vector<std::string>& names);

}  // namespace kgen::cache
