// SPDX-License-Identifier: MIT
//
// Descriptor: owns a file descriptor and closes it once. The cache library has a Descriptor of its own
// because it uses nothing else of kgen.
#pragma once

#include <unistd.h>

#include <utility>

namespace kgen {

class Descriptor {
public:
    explicit Descriptor(int value = -1) noexcept : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int value() const noexcept { return value_; }
    void reset(int value) noexcept {
        close();
        value_ = value;
    }
    int release() noexcept { return std::exchange(value_, -1); }
    void close() noexcept {
        if (value_ >= 0) ::close(value_);
        value_ = -1;
    }

private:
    int value_;
};

}  // namespace kgen
