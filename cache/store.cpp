// SPDX-License-Identifier: MIT
#include "store.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "disk_totals.hpp"
#include "entry_file.hpp"
#include "eviction.hpp"
#include "quarantine.hpp"
#include "store_root.hpp"

namespace kgen::cache {

namespace {

constexpr int failures_before_stop = 3;
constexpr std::string_view consequence =
    "; kernels still run, but are compiled anew in each process";

constexpr std::string_view nearly_full =
    "the file system is nearly full (2 % of it or 256 MiB are left free)";

using Root = std::shared_ptr<const FileDescriptor>;

}  // namespace

std::string_view to_text(MissReason reason) noexcept {
    switch (reason) {
        case MissReason::none:
            return "a hit";
        case MissReason::store_off:
            return "the cache is off";
        case MissReason::refreshing:
            return "hits are ignored (KGEN_CACHE=refresh)";
        case MissReason::absent:
            return "no entry";
        case MissReason::other_producer:
            return "only entries of other compilers";
        case MissReason::newer_format:
            return "the entry is of a newer kgen";
        case MissReason::damaged:
            return "the entry is damaged";
        case MissReason::foreign_request:
            return "the entry's name is not its own";
        case MissReason::not_a_file:
            return "the entry is not a file";
        case MissReason::foreign_owner:
            return "the entry belongs to another user";
        case MissReason::unreadable:
            return "the entry cannot be read";
    }
    return "unknown reason";
}

std::uint64_t StoreStatistics::miss_count() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : misses) sum += count;
    return sum;
}

struct Store::Impl {
    explicit Impl(StoreSettings given)
        : settings(std::move(given)), eviction(settings.max_bytes, settings.max_files) {
        if (!settings.problem.empty()) warn(settings.problem);
    }

    // --- Policy ---

    bool may_write() const noexcept {
        return settings.mode == StoreMode::read_write || settings.mode == StoreMode::refresh;
    }

    // The open root, or nullptr: not there, or not to be used (`error` says why, for this call).
    Root open(CreateRoot create, std::string* error = nullptr) {
        std::string refusal;
        {
            const std::lock_guard lock(mutex);
            if (root != nullptr || refused) return root;
            RootResult result = open_root(settings.root, settings.trust, create);
            if (result.directory.is_open()) {
                root = std::make_shared<const FileDescriptor>(std::move(result.directory));
                return root;
            }
            if (result.absent) return nullptr;
            if (result.transient) {
                if (error != nullptr) *error = result.problem;
                return nullptr;
            }
            refused = true;
            refusal = std::move(result.problem);
        }
        warn("cache: off: " + refusal);
        return nullptr;
    }

    // Somebody removed the directory that is open: the next open() makes and checks it again.
    void close(const Root& stale) {
        const std::lock_guard lock(mutex);
        if (root == stale) root = nullptr;
    }

    bool is_refused() {
        const std::lock_guard lock(mutex);
        return refused;
    }

    // --- Finding ---

    FindResult find(const Digest& request, std::optional<std::string_view> producer_identity) {
        if (settings.mode == StoreMode::off) return miss(MissReason::store_off);
        if (settings.mode == StoreMode::refresh) return miss(MissReason::refreshing);
        std::string error;
        const Root directory = open(CreateRoot::no, &error);
        if (directory == nullptr) {
            if (is_refused()) return miss(MissReason::store_off);
            return error.empty() ? miss(MissReason::absent)
                                 : miss(MissReason::unreadable, {}, std::move(error));
        }
        if (!producer_identity) return find_of_any(directory->get(), request);
        const Digest producer = sha256(*producer_identity);
        const std::string path = entry_file_path(request, producer);
        FindResult result = read(directory->get(), path, request, &producer);
        if (result.reason == MissReason::absent) {
            std::vector<std::string> others;
            list_entry_files(directory->get(), request, others);
            if (!others.empty()) result.reason = MissReason::other_producer;
        }
        return result;
    }

    FindResult find_of_any(int directory, const Digest& request) {
        std::vector<std::string> paths;
        if (const int error = list_entry_files(directory, request, paths); error != 0) {
            ReadResult failed = miss_of_errno(error);
            return miss(failed.reason, {}, std::move(failed.detail));
        }
        FindResult first = miss(MissReason::absent);
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
                return miss(MissReason::damaged, full_path(path), "it was rejected before");
            }
        }
        ReadResult found = read_entry_file(directory, path, request, producer, settings.trust);
        if (found.entry) {
            if (may_write()) mark_used(directory, path, found.status);
            FindResult hit;
            hit.entry = std::move(found.entry);
            hit.path = full_path(path);
            return hit;
        }
        const bool in_the_way =
            found.reason == MissReason::damaged || found.reason == MissReason::foreign_request ||
            found.reason == MissReason::not_a_file || found.reason == MissReason::foreign_owner;
        if (in_the_way) drop(directory, path, found.detail, found.status);
        return miss(found.reason, full_path(path), std::move(found.detail));
    }

    // Moves what is no usable entry away, once, and warns, once.
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
            if (is_first && move_to_quarantine(directory, path, status)) ++quarantined;
        }
        if (!warned_of_damage.exchange(true)) {
            warn("cache: " + std::string(may_write() ? "dropped" : "ignored") + " '" +
                 full_path(path) + "': " + std::string(detail));
        }
    }

    void reject(const Digest& request, std::string_view producer_identity, std::string_view why) {
        if (settings.mode == StoreMode::off) return;
        const std::string path = entry_file_path(request, sha256(producer_identity));
        {
            // Where the file cannot be moved it must not be found again either.
            const std::lock_guard lock(mutex);
            rejected.insert(path);
            has_rejected.store(true, std::memory_order_release);
        }
        const Root directory = open(CreateRoot::no);
        if (directory == nullptr) return;
        if (may_write() && move_to_quarantine(directory->get(), path, {})) ++quarantined;
        if (!warned_of_damage.exchange(true)) {
            warn("cache: " + std::string(may_write() ? "dropped" : "ignored") + " '" +
                 full_path(path) + "': " + std::string(why));
        }
    }

    // --- Storing ---

    bool put(Entry&& entry) {
        if (!may_write() || failures_in_row.load() >= failures_before_stop) return false;
        if (entry.created_s == 0) {
            entry.created_s = std::chrono::duration_cast<std::chrono::seconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
        }
        const std::string path = entry_file_path(entry.request, sha256(entry.producer_identity));
        std::string error;
        try {
            const std::vector<std::byte> bytes = encode_entry(entry);
            if (eviction.is_too_large(bytes.size())) return decline(path, bytes.size());
            error = write(path, bytes);
        } catch (const std::exception& problem) {  // over a limit of the format, or out of memory
            error = problem.what();
        }
        if (error.empty()) {
            failures_in_row = 0;
            ++stores;
            return true;
        }
        ++failures_in_row;
        ++store_failures;
        // A refused directory has had its own warning.
        if (!is_refused() && !warned_of_storing.exchange(true)) {
            warn("cache: cannot store '" + full_path(path) + "': " + error +
                 std::string(consequence));
        }
        return false;
    }

    bool decline(const std::string& path, std::size_t size_bytes) {
        ++declined;
        if (!warned_of_size.exchange(true)) {
            warn("cache: not stored '" + full_path(path) + "': it has " +
                 std::to_string(size_bytes) + " bytes, more than a fifth of the cache's bound of " +
                 std::to_string(settings.max_bytes) + std::string(consequence));
        }
        return false;
    }

    // Returns what went wrong; empty if the entry is on disk.
    std::string write(const std::string& path, const std::vector<std::byte>& bytes) {
        int error = ENOENT;
        for (int attempt = 0; attempt < 2 && error != 0; ++attempt) {
            std::string problem;
            const Root directory = open(CreateRoot::yes, &problem);
            if (directory == nullptr) return problem.empty() ? "the cache is off" : problem;
            if (eviction.missing_space(directory->get()) != 0) return std::string(nearly_full);
            error = write_entry_file(directory->get(), path, bytes);
            if (error == 0) eviction.after_put(directory->get(), bytes.size());
            if (error == ENOENT) {
                close(directory);
            } else if (error == EISDIR || error == ENOTEMPTY || error == EEXIST) {
                // A directory in the entry's place.
                if (!move_to_quarantine(directory->get(), path, {})) break;
                ++quarantined;
            } else {
                break;
            }
        }
        if (error != 0) return error_text(error);
        const std::lock_guard lock(mutex);
        rejected.erase(path);
        return {};
    }

    // --- Reporting ---

    std::string full_path(const std::string& path) const { return settings.root + '/' + path; }

    static FindResult miss(MissReason reason, std::string path = {}, std::string detail = {}) {
        FindResult result;
        result.reason = reason;
        result.path = std::move(path);
        result.detail = std::move(detail);
        return result;
    }

    void warn(const std::string& message) const {
        if (!settings.warn) return;
        try {
            settings.warn(message);
        } catch (...) {
            // A logger that fails is no reason for a kernel not to run.
        }
    }

    const StoreSettings settings;

    Eviction eviction;
    DiskTotals totals;

    std::mutex mutex;  // of the next four
    Root root;
    bool refused = false;
    std::set<std::string> dropped;
    std::set<std::string> rejected;

    std::atomic<bool> has_rejected{false};
    std::atomic<bool> warned_of_damage{false};
    std::atomic<bool> warned_of_storing{false};
    std::atomic<bool> warned_of_size{false};
    std::atomic<int> failures_in_row{0};

    std::atomic<std::uint64_t> hits{0};
    std::array<std::atomic<std::uint64_t>, miss_reasons> misses{};
    std::atomic<std::uint64_t> stores{0};
    std::atomic<std::uint64_t> store_failures{0};
    std::atomic<std::uint64_t> declined{0};
    std::atomic<std::uint64_t> quarantined{0};
};

Store::Store(StoreSettings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Store::~Store() = default;

const StoreSettings& Store::settings() const noexcept {
    return impl_->settings;
}

FindResult Store::find(const Digest& request, std::optional<std::string_view> producer_identity) {
    FindResult result;
    try {
        result = impl_->find(request, producer_identity);
    } catch (const std::exception& problem) {  // out of memory
        result = Impl::miss(MissReason::unreadable, {}, problem.what());
    }
    if (result) {
        ++impl_->hits;
    } else {
        ++impl_->misses[static_cast<std::size_t>(result.reason)];
    }
    return result;
}

bool Store::put(Entry entry) {
    try {
        if (!impl_->put(std::move(entry))) return false;
        if (const Root directory = impl_->open(CreateRoot::no)) {
            impl_->totals.flush_sometimes(directory->get(), statistics());
        }
        return true;
    } catch (const std::bad_alloc&) {
        ++impl_->store_failures;
        return false;
    }
}

void Store::flush_statistics() noexcept {
    try {
        if (impl_->settings.mode == StoreMode::off || !impl_->may_write()) return;
        if (const Root directory = impl_->open(CreateRoot::no)) {
            impl_->totals.flush(directory->get(), statistics());
        }
    } catch (const std::exception&) {
        // Out of memory: lost.
    }
}

void Store::reject(const Digest& request,
                   std::string_view producer_identity,
                   std::string_view reason) {
    impl_->reject(request, producer_identity, reason);
}

std::string Store::entry_path(const Digest& request, std::string_view producer_identity) const {
    if (impl_->settings.root.empty()) return {};
    return impl_->full_path(entry_file_path(request, sha256(producer_identity)));
}

StoreStatistics Store::statistics() const noexcept {
    StoreStatistics statistics;
    statistics.hits = impl_->hits;
    for (std::size_t k = 0; k < miss_reasons; ++k) statistics.misses[k] = impl_->misses[k];
    statistics.stores = impl_->stores;
    statistics.store_failures = impl_->store_failures;
    statistics.declined = impl_->declined;
    statistics.evictions = impl_->eviction.evicted();
    statistics.quarantined = impl_->quarantined;
    return statistics;
}

}  // namespace kgen::cache
