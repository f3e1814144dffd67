// SPDX-License-Identifier: MIT
#include "image/process_store.hpp"

#include <algorithm>
#include <atomic>
#include <kgen/pack.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fork_mutex.hpp"
#include "image/compile_settings.hpp"
#include "read_only_place.hpp"
#include "text/log.hpp"

namespace kgen {

// The packs that are embedded in the program (EmbeddedPack). Newest first. Filled before main, so `head` is
// initialized at compile time.
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

namespace {

// Adds the packs to the store that were announced since the last call. Costs one load if there are none.
// Thread-safe. Must always be called with the same store.
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

struct ProcessStore {
    std::atomic<cache::Store*> store{nullptr};
    // Guards the next two members, and the making of the store.
    cache::ForkMutex mutex;
    std::optional<cache::StoreSettings> settings;
    std::vector<std::unique_ptr<cache::ReadOnlyPlace>> places;  // added when the store is made
};

// Never destroyed, and the store neither, because threads that outlive main may still store.
ProcessStore& state() {
    static auto* state = new ProcessStore;
    return *state;
}

cache::Store& make_store(ProcessStore& own) {
    const std::lock_guard lock(own.mutex);
    if (cache::Store* store = own.store.load()) return *store;
    static_cast<void>(compile_settings());  // warns of wrong values even if nothing is compiled
    cache::StoreSettings settings =
        own.settings ? std::move(*own.settings) : cache::resolve_settings();
    settings.warn = [](const std::string& text) { log().warn("{}", text); };
    settings.debug = [](const std::string& text) { log().debug("{}", text); };
    auto store = std::make_unique<cache::Store>(std::move(settings));
    for (auto& place : own.places) store->add_place(std::move(place));
    own.places.clear();
    own.store.store(store.get(), std::memory_order_release);
    return *store.release();
}

}  // namespace

cache::Store& process_store() {
    ProcessStore& own = state();
    cache::Store* store = own.store.load(std::memory_order_acquire);
    if (store == nullptr) store = &make_store(own);
    add_embedded_packs(*store);
    return *store;
}

cache::StoreSettings process_store_settings() {
    ProcessStore& own = state();
    const std::lock_guard lock(own.mutex);
    if (const cache::Store* store = own.store.load()) return store->settings();
    return own.settings ? *own.settings : cache::resolve_settings();
}

cache::StoreStatistics process_store_statistics() {
    const cache::Store* store = state().store.load(std::memory_order_acquire);
    return store == nullptr ? cache::StoreStatistics() : store->statistics();
}

void flush_process_store() noexcept {
    cache::Store* store = state().store.load(std::memory_order_acquire);
    if (store != nullptr) store->flush_statistics();
}

bool configure_process_store(cache::StoreSettings settings) {
    ProcessStore& own = state();
    const std::lock_guard lock(own.mutex);
    if (own.store.load() != nullptr) return false;
    own.settings = std::move(settings);
    return true;
}

void add_to_process_store(std::unique_ptr<cache::ReadOnlyPlace> place) {
    ProcessStore& own = state();
    const std::lock_guard lock(own.mutex);
    if (cache::Store* store = own.store.load()) {
        store->add_place(std::move(place));
    } else {
        own.places.push_back(std::move(place));
    }
}

}  // namespace kgen
