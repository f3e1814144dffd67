// SPDX-License-Identifier: MIT
#include "image/embedded_packs.hpp"

#include <algorithm>
#include <atomic>
#include <kgen/pack.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fork_mutex.hpp"
#include "pack_place.hpp"

namespace kgen {

// Newest first. Filled before main, so `head` is initialized at compile time.
struct EmbeddedPackList {
    static constinit std::atomic<const EmbeddedPack*> head;

    static void announce(EmbeddedPack& pack) noexcept {
        const EmbeddedPack* next = head.load(std::memory_order_relaxed);
        do {
            pack.next_ = next;
        } while (!head.compare_exchange_weak(
            next, &pack, std::memory_order_release, std::memory_order_relaxed));
    }

    // Returns the packs from `newest` up to `end`, in the order in which they were announced.
    static std::vector<std::unique_ptr<cache::ReadOnlyPlace>> places(const EmbeddedPack* newest,
                                                                     const EmbeddedPack* end) {
        std::vector<std::unique_ptr<cache::ReadOnlyPlace>> places;
        for (const EmbeddedPack* pack = newest; pack != end; pack = pack->next_) {
            places.push_back(std::make_unique<cache::PackPlace>(
                "embedded pack " + std::string(pack->name_), pack->pack_));
        }
        std::reverse(places.begin(), places.end());
        return places;
    }
};

constinit std::atomic<const EmbeddedPack*> EmbeddedPackList::head{nullptr};

EmbeddedPack::EmbeddedPack(const char* name, std::span<const std::byte> pack) noexcept
    : name_(name), pack_(pack) {
    EmbeddedPackList::announce(*this);
}

void add_embedded_packs(cache::Store& store) {
    static constinit std::atomic<const EmbeddedPack*> added{nullptr};
    static constinit cache::ForkMutex mutex;
    const EmbeddedPack* newest = EmbeddedPackList::head.load(std::memory_order_acquire);
    if (newest == added.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex);
    newest = EmbeddedPackList::head.load(std::memory_order_acquire);
    const EmbeddedPack* known = added.load(std::memory_order_relaxed);
    if (newest == known) return;
    for (auto& place : EmbeddedPackList::places(newest, known)) store.add_place(std::move(place));
    added.store(newest, std::memory_order_release);
}

}  // namespace kgen
