// SPDX-License-Identifier: MIT
//
// PackBytes: the source of a pack's bytes, either memory that outlives it or an open file. Files are never
// mapped, because reading a mapped file that another machine truncates would kill the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "file_descriptor.hpp"

namespace kgen::cache {

// Thread-safe.
class PackBytes {
public:
    virtual ~PackBytes() = default;
    // Fills `out` from `offset` on. Returns 0, errno, or -1 if the pack ends too early.
    virtual int read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

class MemoryBytes final : public PackBytes {
public:
    explicit MemoryBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
    int read(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    std::span<const std::byte> bytes_;
};

class FileBytes final : public PackBytes {
public:
    explicit FileBytes(FileDescriptor file) : file_(std::move(file)) {}
    int read(std::uint64_t offset, std::span<std::byte> out) const override {
        return read_all(file_.get(), offset, out);
    }

private:
    FileDescriptor file_;
};

}  // namespace kgen::cache
