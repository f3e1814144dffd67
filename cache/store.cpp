// SPDX-License-Identifier: MIT
#include "store.hpp"

#include <atomic>
#include <cerrno>
#include <exception>
#include <mutex>
#include <new>
#include <set>

#include "entry_file.hpp"
#include "entry_lock.hpp"
#include "entry_writer.hpp"
#include "eviction.hpp"
#include "fork_mutex.hpp"
#include "pack_file.hpp"
#include "pack_folder.hpp"
#include "pack_reader.hpp"
#include "quarantine.hpp"
#include "read_only_place.hpp"
#include "store_root.hpp"

namespace kgen::cache {

namespace {

using Directory = KeptRoot::Directory;

}  // namespace

struct Store::Impl {
    explicit Impl(StoreSettings given) : settings(std::move(given)) {
        if (!settings.problem.empty()) warn(settings.problem);
        for (const std::string& warning : settings.warnings) warn(warning);
        for (const std::string& path : settings.read_only) {
            places.add(make_read_only_place(path, settings.trust));
        }
    }

    // --- Policy ---

    bool may_write() const noexcept {
        return settings.mode == StoreMode::read_write || settings.mode == StoreMode::refresh;
    }

    // --- Finding ---

    FindResult find(const Digest& request, std::optional<std::string_view> producer_identity) {
        if (settings.mode == StoreMode::refresh) return make_miss(MissReason::refreshing);
        FindResult result = find_in_root(request, producer_identity);
        if (result) return result;
        FindResult elsewhere = find_in_packs(request, producer_identity);
        if (elsewhere) return elsewhere;
        FindResult placed = places.find(request, [this](const std::string& text) { warn(text); });
        if (placed) return placed;
        if (elsewhere.reason == MissReason::absent) elsewhere = std::move(placed);
        if (elsewhere.reason != MissReason::absent) {
            warn_of_damage("ignored", elsewhere.path, elsewhere.detail);
            if (result.reason == MissReason::absent) result = std::move(elsewhere);
        }
        if (result.reason == MissReason::absent && producer_identity) {
            const Directory directory = root.open(CreateRoot::no);
            std::vector<std::string> others;
            if (directory != nullptr) list_entry_files(directory->get(), request, others);
            if (!others.empty()) result.reason = MissReason::other_producer;
        }
        return result;
    }

    FindResult find_in_root(const Digest& request,
                            std::optional<std::string_view> producer_identity) {
        if (settings.mode == StoreMode::off) return make_miss(MissReason::store_off);
        std::string error;
        const Directory directory = root.open(CreateRoot::no, &error);
        if (directory == nullptr) {
            if (root.is_refused()) return make_miss(MissReason::store_off);
            return error.empty() ? make_miss(MissReason::absent)
                                 : make_miss(MissReason::unreadable, {}, std::move(error));
        }
        if (!producer_identity) return find_of_any(directory->get(), request);
        const Digest producer = sha256(*producer_identity);
        return read(directory->get(), entry_file_path(request, producer), request, &producer);
    }

    // Looks in the packs below the root.
    FindResult find_in_packs(const Digest& request,
                             std::optional<std::string_view> producer_identity) {
        const Directory directory =
            settings.mode == StoreMode::off ? nullptr : root.open(CreateRoot::no);
        if (directory == nullptr) return make_miss(MissReason::absent);
        std::optional<Digest> producer;
        if (producer_identity) producer = sha256(*producer_identity);
        PackFolderResult result = packs.find(
            directory->get(),
            request,
            producer,
            [this](const Entry& entry) { return !places.is_rejected(entry); },
            may_write() ? PackFolder::Renew::yes : PackFolder::Renew::no);
        if (result.is_unusable) {
            drop(directory->get(), result.found.path, result.found.detail, result.status);
            return make_miss(MissReason::absent);
        }
        if (!result.found.path.empty()) result.found.path = full_path(result.found.path);
        return std::move(result.found);
    }

    FindResult find_of_any(int directory, const Digest& request) {
        std::vector<std::string> paths;
        if (const int error = list_entry_files(directory, request, paths); error != 0) {
            ReadResult failed = miss_of_errno(error);
            return make_miss(failed.reason, {}, std::move(failed.detail));
        }
        FindResult first = make_miss(MissReason::absent);
        for (const std::string& path : paths) {
            FindResult result = read(directory, path, request, nullptr);
            if (result) return result;
            if (first.reason == MissReason::absent) first = std::move(result);
        }
        return first;
    }

    FindResult read(int directory,
                    const std::string& path,
                    const Digest& request,
                    const Digest* producer) {
        if (has_rejected.load(std::memory_order_acquire)) {
            const std::lock_guard lock(mutex);
            if (rejected.contains(path)) {
                return make_miss(MissReason::damaged, full_path(path), "it was rejected before");
            }
        }
        ReadResult found = read_entry_file(directory, path, request, producer, settings.trust);
        if (found.entry) {
            if (may_write()) mark_used(directory, path, found.status);
            return make_hit(std::move(*found.entry), full_path(path), Tier::root);
        }
        const bool in_the_way =
            found.reason == MissReason::damaged || found.reason == MissReason::foreign_request ||
            found.reason == MissReason::not_a_file || found.reason == MissReason::foreign_owner;
        if (in_the_way) drop(directory, path, found.detail, found.status);
        return make_miss(found.reason, full_path(path), std::move(found.detail));
    }

    // Moves an unusable file to the quarantine once, and warns once per process.
    void drop(int directory,
              const std::string& path,
              std::string_view detail,
              const struct stat& status) {
        if (may_write()) {
            bool is_first = false;
            {
                const std::lock_guard lock(mutex);
                is_first = dropped.insert(path).second;
            }
            if (is_first) quarantine(directory, path, status);
        }
        warn_of_damage(may_write() ? "dropped" : "ignored", full_path(path), detail);
    }

    void reject(const Digest& request,
                std::string_view producer_identity,
                std::string_view why,
                Tier tier,
                std::string_view place) {
        ++counters.rejections;
        if (tier == Tier::read_only) {
            places.reject(request, sha256(producer_identity));
            warn_of_damage("ignored", place, why);
            return;
        }
        if (settings.mode == StoreMode::off) return;
        const std::string path = entry_file_path(request, sha256(producer_identity));
        {
            // The file must not be found again even if it cannot be moved.
            const std::lock_guard lock(mutex);
            rejected.insert(path);
            has_rejected.store(true, std::memory_order_release);
        }
        const Directory directory = root.open(CreateRoot::no);
        if (directory == nullptr) return;
        if (may_write()) quarantine(directory->get(), path, {});
        warn_of_damage(may_write() ? "dropped" : "ignored", full_path(path), why);
    }

    void quarantine(int directory, const std::string& path, const struct stat& status) {
        if (move_to_quarantine(directory, path, status, settings.trust)) ++counters.quarantined;
    }

    // --- Waiting for other processes ---

    FindResult wait_for_turn(const Digest& request,
                             std::string_view producer_identity,
                             EntryLock& lock) {
        // If the entry cannot be stored, waiting processes would not find it. In refresh mode no process
        // looks for entries.
        if (settings.mode != StoreMode::read_write || writer.has_failed()) {
            return make_miss(MissReason::absent);
        }
        return turns.wait(
            request, [&] { return find_in_root(request, producer_identity); }, lock);
    }

    // --- Storing ---

    bool put(Entry&& entry) {
        const std::string path = entry_file_path(entry.request, sha256(entry.producer_identity));
        if (!may_write() || !writer.put(std::move(entry), path)) return false;
        const std::lock_guard lock(mutex);
        rejected.erase(path);
        return true;
    }

    PutPackResult put_pack(std::span<const std::byte> pack) {
        if (!may_write()) {
            return {
                {},
                settings.mode == StoreMode::off ? "the cache is off" : "the cache is read-only"};
        }
        const PackProblem problem = verify_pack(pack);
        if (problem != PackProblem::none) return {{}, std::string(to_text(problem))};
        if (pack.size() > settings.max_bytes) {
            return {{},
                    "the pack has " + std::to_string(pack.size()) +
                        " bytes, more than the cache's bound of " +
                        std::to_string(settings.max_bytes) + "\nraise KGEN_CACHE_MAX_SIZE"};
        }
        const std::string path = pack_file_path(pack_digest(pack));
        EntryWriter::Result result = writer.write(path, pack);
        packs.notice_change();
        if (result.error != 0) return {{}, std::move(result.problem)};
        return {full_path(path), {}};
    }

    // --- Reporting ---

    std::string full_path(const std::string& path) const { return settings.root + '/' + path; }

    void warn_of_damage(const char* done, std::string_view path, std::string_view detail) {
        if (warned_of_damage.exchange(true)) return;
        warn("cache: " + std::string(done) + " '" + std::string(path) +
             "': " + std::string(detail));
    }

    void warn(const std::string& message) const { tell(settings.warn, message); }

    const StoreSettings settings;
    PackFolder packs{settings.trust};
    ReadOnlyPlaces places;
    StoreCounters counters;
    KeptRoot root{settings};
    EntryTurns turns{settings, root, counters};
    EntryWriter writer{settings, root, counters};

    ForkMutex mutex;  // guards the next two
    std::set<std::string> dropped;
    std::set<std::string> rejected;

    std::atomic<bool> has_rejected{false};
    std::atomic<bool> warned_of_damage{false};
};

Store::Store(StoreSettings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Store::~Store() = default;

const StoreSettings& Store::settings() const noexcept {
    return impl_->settings;
}

void Store::add_place(std::unique_ptr<ReadOnlyPlace> place) {
    impl_->places.add(std::move(place));
}

FindResult Store::find(const Digest& request, std::optional<std::string_view> producer_identity) {
    FindResult result;
    try {
        result = impl_->find(request, producer_identity);
    } catch (const std::exception& problem) {  // out of memory
        result = make_miss(MissReason::unreadable, {}, problem.what());
    }
    impl_->counters.count(result);
    return result;
}

bool Store::put(Entry entry) {
    try {
        return impl_->put(std::move(entry));
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void Store::flush_statistics() noexcept {
    if (impl_->may_write()) impl_->writer.flush_totals();
}

PutPackResult Store::put_pack(std::span<const std::byte> pack) {
    try {
        return impl_->put_pack(pack);
    } catch (const std::bad_alloc&) {
        return {{}, error_text(ENOMEM)};
    }
}

FindResult Store::wait_for_turn(const Digest& request,
                                std::string_view producer_identity,
                                EntryLock& lock) {
    try {
        FindResult result = impl_->wait_for_turn(request, producer_identity, lock);
        if (result) impl_->counters.count(result);
        return result;
    } catch (const std::exception& problem) {  // out of memory
        return make_miss(MissReason::unreadable, {}, problem.what());
    }
}

void Store::reject(const Digest& request,
                   std::string_view producer_identity,
                   std::string_view reason,
                   Tier tier,
                   std::string_view path) {
    impl_->reject(request, producer_identity, reason, tier, path);
}

std::string Store::entry_path(const Digest& request, std::string_view producer_identity) const {
    if (impl_->settings.root.empty()) return {};
    return impl_->full_path(entry_file_path(request, sha256(producer_identity)));
}

std::vector<std::pair<std::string, std::string>> Store::read_only_places() const {
    return impl_->places.problems();
}

StoreStatistics Store::statistics() const {
    return impl_->counters.read();
}

}  // namespace kgen::cache
