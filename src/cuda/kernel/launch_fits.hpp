// SPDX-License-Identifier: MIT
//
// LaunchFits: a table of the number of thread blocks of one kernel that can run on a GPU at the same time,
// for each launch configuration. It saves asking the driver again. Thread-safe; find() takes no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <kgen/launch_config.hpp>
#include <optional>

namespace kgen {

class LaunchFits {
public:
    LaunchFits() = default;
    ~LaunchFits() {
        for (const Node* node = head_.load(std::memory_order_acquire); node != nullptr;) {
            const Node* next = node->next;
            delete node;
            node = next;
        }
    }
    LaunchFits(const LaunchFits&) = delete;
    LaunchFits& operator=(const LaunchFits&) = delete;

    // Returns the key of a launch whose extents were checked. It depends on the cluster, the thread block and
    // the shared memory, but not on the grid.
    static std::uint64_t key_of(const LaunchDims& cluster,
                                const LaunchDims& block,
                                std::int64_t shared_bytes) noexcept {
        std::uint64_t key = 0;
        const auto add = [&key](std::int64_t value, int bits) {
            key = (key << bits) | static_cast<std::uint64_t>(value);
        };
        add(cluster.x, 5), add(cluster.y, 5), add(cluster.z, 5);
        add(block.x, 11), add(block.y, 11), add(block.z, 7);
        add(shared_bytes, 20);
        return key;
    }

    std::optional<std::int64_t> find(std::uint64_t key) const noexcept {
        const unsigned age = age_.load(std::memory_order_relaxed);
        for (const Node* node = head_.load(std::memory_order_acquire); node != nullptr;
             node = node->next) {
            if (node->key == key && node->age == age) return node->blocks;
        }
        return {};
    }
    // Adds an answer of the driver. `age` is the value of age() before the driver was asked.
    void keep(std::uint64_t key, std::int64_t blocks, unsigned age) {
        constexpr int most_nodes = 32;  // further launch configurations ask the driver each time
        if (count_.fetch_add(1, std::memory_order_relaxed) >= most_nodes) return;
        auto* node = new Node{key, blocks, age, head_.load(std::memory_order_relaxed)};
        while (!head_.compare_exchange_weak(node->next, node, std::memory_order_acq_rel)) {
        }
    }
    unsigned age() const noexcept { return age_.load(std::memory_order_relaxed); }
    // Makes all entries invalid. Must be called after a change of the kernel's settings.
    void forget() noexcept {
        age_.fetch_add(1, std::memory_order_relaxed);
        count_.store(0, std::memory_order_relaxed);
    }

private:
    struct Node {
        std::uint64_t key;
        std::int64_t blocks;
        unsigned age;
        const Node* next;
    };
    std::atomic<const Node*> head_ = nullptr;
    std::atomic<int> count_ = 0;
    std::atomic<unsigned> age_ = 0;
};

}  // namespace kgen
