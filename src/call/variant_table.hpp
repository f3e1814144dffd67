// SPDX-License-Identifier: MIT
//
// VariantTable: the compiled variants of one kernel. Each variant is compiled for one combination of dtypes,
// loop (Baked) and device. Array sizes and strides are passed at the launch, so they are no part of the key.
// Finding a known variant takes no lock and formats no text.
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

// Identifies a variant among the variants of its kernel.
struct VariantKey {
    TypeBinding types;
    Baked baked;
    Device device;
    friend bool operator==(const VariantKey&, const VariantKey&) = default;
};

// The compiled code of one variant of a kernel, loaded on a device.
struct VariantCode {
    std::shared_ptr<const LoadedKernel> kernel;
    std::size_t accumulator_bytes = 0;  // size of one accumulator; 0 if not a reduction
};

// Immutable once it is in a table.
struct Variant {
    VariantKey key;
    BlockLayout layout;  // of the parameter block
    VariantCode code;
};

// Thread-safe. A variant lives as long as the table.
class VariantTable {
public:
    VariantTable() = default;
    ~VariantTable();
    VariantTable(const VariantTable&) = delete;
    VariantTable& operator=(const VariantTable&) = delete;

    // Returns the variant of the key. If it is not known, one thread calls load() and concurrent callers wait
    // for its result. Throws what load() throws; the next call then tries again.
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

    // Chains grow only at their heads, so readers need no lock.
    std::array<std::atomic<const Node*>, 16> chains_ = {};
    std::atomic<std::size_t> size_ = 0;
    cache::ForkMutex mutex_;                                    // guards writes in publish()
    FlightTable<const Variant*, VariantKey, KeyHash> flights_;  // variants that are being loaded
};

}  // namespace kgen
