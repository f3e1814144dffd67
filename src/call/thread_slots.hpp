// SPDX-License-Identifier: MIT
//
// ThreadSlots: one T for each thread that asks for one. Each T belongs to this object, not to its thread, and
// is destroyed with this object. When a thread ends, a later thread takes over its T. So there are never more
// of them than threads that lived at the same time.
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
    // Requires that no thread is in of_this_thread() or uses its T.
    ~ThreadSlots() {
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            const std::unique_ptr<T*[]> slots(blocks_[block].load(std::memory_order_acquire));
            if (slots == nullptr) continue;
            for (std::size_t k = 0; k < block_size(block); ++k) delete slots[k];
        }
    }
    ThreadSlots(const ThreadSlots&) = delete;
    ThreadSlots& operator=(const ThreadSlots&) = delete;

    // Returns the T of this thread; nullptr if the thread has no number (see this_thread_number) or a number
    // of 32760 or more. Takes a lock and allocates only on the first call of a thread.
    T* of_this_thread() {
        const int number = this_thread_number();
        if (number < 0) return nullptr;
        // Blocks of 8, 16, 32, ... slots. Adding a block moves no slot.
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
        // Another thread may have added the block first.
        if (blocks_[block].compare_exchange_strong(
                expected, made.get(), std::memory_order_acq_rel)) {
            return made.release();
        }
        return expected;
    }

    std::array<std::atomic<T**>, 12> blocks_ = {};
};

}  // namespace kgen
