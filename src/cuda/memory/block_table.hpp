// SPDX-License-Identifier: MIT
//
// Freed blocks of device memory, kept for the next allocation of the same size on the same stream:
// reuse within a stream needs no waiting, since the new work runs after the old. Pure bookkeeping:
// calls no driver. Not thread safe.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kgen {

struct KeptBlock {
    std::uint64_t stream = 0;
    std::size_t bytes = 0;
    void* pointer = nullptr;
    friend bool operator==(const KeptBlock&, const KeptBlock&) = default;
};

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
    // A number of that size: requests of one class get blocks of one size.
    static constexpr std::size_t class_of(std::size_t bytes) noexcept {
        const std::size_t units = units_of(bytes);
        if (units <= steps) return units - 1;
        const Step step = step_of(units);
        return steps + step.doubling * steps + (step.place - steps - 1);
    }

    // The size of the blocks of a class.
    static constexpr std::size_t bytes_of_class(std::size_t number) noexcept {
        if (number < steps) return (number + 1) * unit_bytes;
        const std::size_t doubling = (number - steps) / steps;
        return (((number - steps) % steps + steps + 1) << doubling) * unit_bytes;
    }

    // A block of block_bytes(bytes), or nullptr.
    void* take(StreamId stream, std::size_t bytes) noexcept;
    // False if the block is not kept: too large, or the table is full.
    bool keep(StreamId stream, std::size_t bytes, void* block);

    // Removes and returns all blocks of a stream, or of all of them.
    std::vector<KeptBlock> drain(StreamId stream);
    std::vector<KeptBlock> drain();
    // Keeps one that was drained, also where the table is full.
    void restore(const KeptBlock& block);

    std::size_t kept_bytes() const noexcept { return kept_bytes_; }

private:
    static constexpr std::size_t unit_bytes = 256;
    static constexpr std::size_t steps = 8;

    // Where a size lies: `step` units apart from its neighbours, the `place`-th of its doubling
    // (9..16).
    struct Step {
        std::size_t doubling;  // 0 for 9..16 units, 1 for 18..32, ...
        std::size_t units;     // the size's own, rounded up
        std::size_t place;
    };
    static constexpr Step step_of(std::size_t units) noexcept {
        const std::size_t doubling = static_cast<std::size_t>(std::bit_width(units - 1)) - 4;
        const std::size_t place = ((units - 1) >> doubling) + 1;
        return {doubling, place << doubling, place};
    }
    static constexpr std::size_t units_of(std::size_t bytes) noexcept {
        return bytes == 0 ? 1 : (bytes - 1) / unit_bytes + 1;
    }

    // 8 classes below 2 KiB, then 8 a doubling up to 32 MiB.
    static constexpr std::size_t class_count = 120;

    using Classes = std::array<std::vector<void*>, class_count>;
    std::unordered_map<StreamId, Classes> streams_;
    std::size_t kept_bytes_ = 0;
};

}  // namespace kgen
