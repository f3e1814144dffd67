// SPDX-License-Identifier: MIT
//
// PackBytes: where a pack's bytes come from: memory that stays, or an open file. Never mmap: a file
// that another machine truncates would kill the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "file_descriptor.hpp"

namespace kgen::cache {

// Thread safe.
class PackBytes {
public:
    virtual ~PackBytes() = default;
    // Fills `out` from that offset: 0, errno, or -1 if the pack ends before.
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
    int read(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    FileDescriptor file_;
};

}  // namespace kgen::cache
