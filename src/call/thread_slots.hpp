// SPDX-License-Identifier: MIT
//
// ThreadSlots: one T for each thread that asks for one, owned by this object and not by the thread:
// it goes when this object goes, and a thread that ends leaves its T to the next one. So there are
// never more than the most threads that ever lived at once.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>

#include "call/thread_number.hpp"

namespace kgen {

template <typename T>
class ThreadSlots {
public:
    ThreadSlots() = default;
    // No thread may be in of_this_thread() or use its T any more.
    ~ThreadSlots() {
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            const std::unique_ptr<T*[]> slots(blocks_[block].load(std::memory_order_acquire));
            if (slots == nullptr) continue;
            for (std::size_t k = 0; k < block_size(block); ++k) delete slots[k];
        }
    }
    ThreadSlots(const ThreadSlots&) = delete;
    ThreadSlots& operator=(const ThreadSlots&) = delete;

    // This thread's own T; nullptr for a thread that is past its end, or beyond the 32760th.
    // Takes no lock, and allocates on a thread's first call alone.
    T* of_this_thread() {
        const int number = this_thread_number();
        if (number < 0) return nullptr;
        // Blocks of 8, 16, 32, ... slots: growing moves none of them.
        const auto shifted = static_cast<std::size_t>(number) + first_block;
        const auto block = static_cast<std::size_t>(std::bit_width(shifted)) - first_width;
        if (block >= blocks_.size()) return nullptr;
        T** slots = blocks_[block].load(std::memory_order_acquire);
        if (slots == nullptr) slots = make_block(block);
        T*& slot = slots[shifted - block_size(block)];
        if (slot == nullptr) slot = new T();
        return slot;
    }

private:
    static constexpr std::size_t first_block = 8;
    static constexpr std::size_t first_width = 4;  // bits of first_block
    static constexpr std::size_t block_size(std::size_t block) noexcept {
        return first_block << block;
    }

    T** make_block(std::size_t block) {
        auto made = std::make_unique<T*[]>(block_size(block));
        T** expected = nullptr;
        // Another thread may have been faster.
        if (blocks_[block].compare_exchange_strong(
                expected, made.get(), std::memory_order_acq_rel)) {
            return made.release();
        }
        return expected;
    }

    std::array<std::atomic<T**>, 12> blocks_ = {};
};

}  // namespace kgen
