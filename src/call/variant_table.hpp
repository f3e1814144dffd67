// SPDX-License-Identifier: MIT
//
// VariantTable: the compiled forms of one kernel, by all that was compiled in. Only these stay in
// memory, never a size or a stride. Finding a known one takes no lock and makes no text.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include "device/backend.hpp"
#include "fork_mutex.hpp"
#include "image/flight_table.hpp"
#include "plan/baked.hpp"
#include "plan/parameter_block.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// What tells one variant from all others of its kernel.
struct VariantKey {
    TypeBinding types;
    Baked baked;
    Device device;
    friend bool operator==(const VariantKey&, const VariantKey&) = default;
};

// What is loaded for a variant.
struct VariantCode {
    std::shared_ptr<const LoadedKernel> kernel;
    std::size_t accumulator_bytes = 0;  // of a reduction
};

// Immutable once it is in a table.
struct Variant {
    VariantKey key;
    BlockLayout layout;  // of the parameter block
    VariantCode code;
};

// Thread safe. A variant lives as long as the table.
class VariantTable {
public:
    VariantTable() = default;
    ~VariantTable();
    VariantTable(const VariantTable&) = delete;
    VariantTable& operator=(const VariantTable&) = delete;

    // The variant of the key: known, awaited, or loaded by load(), which threads that ask at the same
    // time call once. Throws what load() throws; then the next call tries again.
    template <typename Load>
    const Variant& get(const TypeBinding& types, const Baked& baked, Device device, Load&& load) {
        const std::size_t hash = hash_of(types, baked, device);
        if (const Variant* known = find(hash, types, baked, device)) return *known;
        return add(hash, {types, baked, device}, load);
    }

    std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

private:
    struct Node {
        std::size_t hash;
        Variant variant;
        const Node* next;
    };
    static std::size_t hash_of(const TypeBinding& types,
                               const Baked& baked,
                               Device device) noexcept;
    struct KeyHash {
        std::size_t operator()(const VariantKey& key) const noexcept {
            return hash_of(key.types, key.baked, key.device);
        }
    };
    const Variant* find(std::size_t hash,
                        const TypeBinding& types,
                        const Baked& baked,
                        Device device) const noexcept;
    const Variant& add(std::size_t hash,
                       const VariantKey& key,
                       const std::function<VariantCode()>& load);
    const Variant& publish(std::size_t hash, Variant variant);

    // Chains that only grow at their heads, so that a reader may walk them at any time.
    std::array<std::atomic<const Node*>, 16> chains_ = {};
    std::atomic<std::size_t> size_ = 0;
    cache::ForkMutex mutex_;                                    // for publish()
    FlightTable<const Variant*, VariantKey, KeyHash> flights_;  // being loaded
};

}  // namespace kgen
