// SPDX-License-Identifier: MIT
//
// Freed blocks of device memory, kept for the next allocation of the same size on the same stream:
// reuse within a stream needs no waiting, since the new work runs after the old. Pure bookkeeping:
// calls no driver. Not thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kgen {

class BlockTable {
public:
    using StreamId = std::uint64_t;

    // Larger blocks are not kept: the driver's own pool serves them well enough.
    static constexpr std::size_t largest_bytes = std::size_t{32} << 20;
    // All kept blocks together.
    static constexpr std::size_t capacity_bytes = std::size_t{512} << 20;

    // The size that a request is rounded up to: a multiple of 256, in eight steps per power of two
    // (at most 1/8 is wasted). Beyond largest_bytes a multiple of 2 MiB.
    static std::size_t block_bytes(std::size_t bytes) noexcept;

    // A block of block_bytes(bytes), or nullptr.
    void* take(StreamId stream, std::size_t bytes) noexcept;
    // False if the block is not kept: too large, or the table is full.
    bool keep(StreamId stream, std::size_t bytes, void* block);

    // Removes and returns all blocks of a stream, or of all of them.
    std::vector<void*> drain(StreamId stream);
    std::vector<void*> drain();

    std::size_t kept_bytes() const noexcept { return kept_bytes_; }

private:
    // 8 classes below 2 KiB, then 8 a doubling up to 32 MiB.
    static constexpr std::size_t class_count = 120;
    static std::size_t class_of(std::size_t bytes) noexcept;

    using Classes = std::array<std::vector<void*>, class_count>;
    std::unordered_map<StreamId, Classes> streams_;
    std::size_t kept_bytes_ = 0;
};

}  // namespace kgen
