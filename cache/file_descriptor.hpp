// SPDX-License-Identifier: MIT
//
// FileDescriptor: owns an open file and closes it.
#pragma once

#include <unistd.h>

#include <utility>

namespace kgen::cache {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) noexcept : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor() {
        if (number_ >= 0) ::close(number_);
    }

    bool is_open() const noexcept { return number_ >= 0; }
    int get() const noexcept { return number_; }
    // Gives up ownership: the caller must close the returned descriptor.
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

}  // namespace kgen::cache
