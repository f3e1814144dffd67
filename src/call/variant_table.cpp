// SPDX-License-Identifier: MIT
#include "call/variant_table.hpp"

#include <utility>

namespace kgen {

// Hashes the fields that differ most often. operator== compares all fields.
std::size_t VariantTable::hash_of(const TypeBinding& types,
                                  const Baked& baked,
                                  Device device) noexcept {
    std::size_t hash =
        static_cast<std::size_t>(device.ordinal()) * 2 + static_cast<std::size_t>(device.kind());
    const auto add = [&](std::size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u; };
    for (const DType dtype : types.dtypes) add(static_cast<std::size_t>(dtype));
    add(static_cast<std::size_t>(baked.loop));
    add(static_cast<std::size_t>(baked.rank));
    add(static_cast<std::size_t>(baked.vector));
    add(static_cast<std::size_t>(baked.width));
    return hash ^ (hash >> 32);
}

VariantTable::~VariantTable() {
    for (const auto& chain : chains_) {
        const Node* node = chain.load(std::memory_order_acquire);
        while (node != nullptr) delete std::exchange(node, node->next);
    }
}

const Variant* VariantTable::find(std::size_t hash,
                                  const TypeBinding& types,
                                  const Baked& baked,
                                  Device device) const noexcept {
    const Node* node = chains_[hash % chains_.size()].load(std::memory_order_acquire);
    for (; node != nullptr; node = node->next) {
        const VariantKey& key = node->variant.key;
        if (node->hash == hash && key.device == device && key.baked == baked && key.types == types)
            return &node->variant;
    }
    return nullptr;
}

const Variant& VariantTable::publish(std::size_t hash, Variant variant) {
    auto node = std::make_unique<Node>(Node{hash, std::move(variant), nullptr});
    auto& chain = chains_[hash % chains_.size()];
    const std::lock_guard lock(mutex_);
    node->next = chain.load(std::memory_order_relaxed);
    chain.store(node.get(), std::memory_order_release);
    size_.fetch_add(1, std::memory_order_relaxed);
    return node.release()->variant;
}

const Variant& VariantTable::add(std::size_t hash,
                                 const VariantKey& key,
                                 const std::function<VariantCode()>& load) {
    const Variant* variant = flights_.get(key, [&] {
        // Another thread may have published it after the search in get().
        if (const Variant* known = find(hash, key.types, key.baked, key.device)) return known;
        return &publish(hash, {key, lay_out_block(key.baked, key.types.dtypes), load()});
    });
    flights_.forget(key);
    return *variant;
}

}  // namespace kgen
