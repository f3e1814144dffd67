// SPDX-License-Identifier: MIT
#include "eviction.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <tuple>

#include "entry_file.hpp"
#include "file_descriptor.hpp"
#include "whole_file_lock.hpp"

namespace kgen::cache {

namespace {

constexpr std::int64_t hour_s = 3600;
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t temporary_life_ns = hour_s * second_ns;
constexpr std::int64_t quarantine_life_ns = 7 * 24 * hour_s * second_ns;

// On average the store is scanned once per 1/64 of a bound that is stored. The amount stored between two
// scans is distributed exponentially. A scan evicts from 0.9 of the bound on, so the store exceeds 1.1 of the
// bound with probability exp(-0.2 * 64), about 3 in a million.
constexpr std::uint64_t looks_per_bound = 64;

constexpr std::uint64_t least_free_bytes = std::uint64_t{256} << 20;

// Returns count/10 of the bound without overflow.
std::uint64_t tenths(std::uint64_t bound, std::uint64_t count) noexcept {
    return bound / 10 * count + bound % 10 * count / 10;
}

// Returns the time of the file system's clock, which other machines may share.
std::optional<std::int64_t> file_system_time_ns(int file) noexcept {
    struct stat status {};
    if (::futimens(file, nullptr) != 0 || ::fstat(file, &status) != 0) return std::nullopt;
    return to_ns(status.st_mtim);
}

class Run {
public:
    Run(int root, const EvictionBounds& bounds, TrustMode trust)
        : root_(root), bounds_(bounds), trust_(trust) {}

    EvictionResult run() {
        const FileDescriptor file = open_to_change(root_, "v1/evict.lock", trust_);
        if (!file.is_open()) return result_;
        const WholeFileLock lock(file.get());
        if (lock.is_busy()) return result_;
        look(file_system_time_ns(file.get()));
        result_.done = true;
        const bool is_over = result_.bytes > tenths(bounds_.max_bytes, 9) ||
                             result_.files > tenths(bounds_.max_files, 9);
        if (is_over || bounds_.missing_bytes != 0) make_room();
        return result_;
    }

private:
    void look(std::optional<std::int64_t> now_ns) {
        std::vector<StoredFile> files = scan_quarantine(root_).files;
        for (StoredFile& file : scan_entries(root_).files) files.push_back(std::move(file));
        for (StoredFile& file : files) {
            if (now_ns && is_stale(file, *now_ns) && remove_if_unchanged(root_, file)) continue;
            result_.bytes += file.size_bytes();
            ++result_.files;
            if (file.kind == FileKind::temporary) continue;
            if (now_ns) bring_to_present(file, *now_ns);
            candidates_.push_back(std::move(file));
        }
        sort_for_removal(candidates_, now_ns.value_or(INT64_MAX));
    }

    // Corrects times of use in the far future, because such an entry would never become the oldest.
    void bring_to_present(StoredFile& file, std::int64_t now_ns) {
        const bool is_far = to_ns(file.status.st_mtim) - now_ns > hour_s * second_ns;
        if (!is_far || file.kind == FileKind::quarantined) return;
        mark_used(root_, file.path, file.status);
        ::fstatat(root_, file.path.c_str(), &file.status, AT_SYMLINK_NOFOLLOW);
    }

    void make_room() {
        std::uint64_t freed = 0;
        for (const StoredFile& file : candidates_) {
            if (result_.bytes <= tenths(bounds_.max_bytes, 8) &&
                result_.files <= tenths(bounds_.max_files, 8) && freed >= bounds_.missing_bytes) {
                return;
            }
            if (file.path == bounds_.kept || !file.is_regular()) continue;
            if (!remove_if_unchanged(root_, file)) continue;
            freed += file.size_bytes();
            result_.bytes -= file.size_bytes();
            --result_.files;
            if (file.kind != FileKind::quarantined) ++result_.evicted;
        }
    }

    const int root_;
    const EvictionBounds& bounds_;
    const TrustMode trust_;
    EvictionResult result_;
    std::vector<StoredFile> candidates_;  // in the order of removal
};

// Returns true with a probability of count * looks_per_bound / bound.
bool falls(std::uint64_t count, std::uint64_t bound) noexcept {
    if (count >= bound / looks_per_bound) return true;
    std::uint32_t random = 0;
    if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != ssize_t{sizeof random}) return true;
    const double probability = static_cast<double>(count) * static_cast<double>(looks_per_bound) /
                               static_cast<double>(bound);
    return random < probability * 4294967296.0;
}

// Returns how far the free space is below 2 % of the file system's size, or below 256 MiB if that is less.
std::uint64_t space_below_floor(int root) noexcept {
    struct statvfs status {};
    if (::fstatvfs(root, &status) != 0) return 0;
    const std::uint64_t total = std::uint64_t{status.f_blocks} * status.f_frsize;
    const std::uint64_t available = std::uint64_t{status.f_bavail} * status.f_frsize;
    const std::uint64_t floor = std::min(total / 50, least_free_bytes);
    return available < floor ? floor - available : 0;
}

}  // namespace

void sort_for_removal(std::vector<StoredFile>& files, std::int64_t now_ns) {
    const auto order = [now_ns](const StoredFile& file) {
        return std::tuple(file.kind != FileKind::quarantined,
                          std::min(to_ns(file.status.st_mtim), now_ns));
    };
    std::stable_sort(files.begin(), files.end(), [&](const StoredFile& a, const StoredFile& b) {
        return order(a) < order(b);
    });
}

bool is_stale(const StoredFile& file, std::int64_t now_ns) noexcept {
    if (file.kind == FileKind::temporary) {
        return file.is_regular() && now_ns - to_ns(file.status.st_mtim) > temporary_life_ns;
    }
    return file.kind == FileKind::quarantined &&
           now_ns - to_ns(file.status.st_ctim) > quarantine_life_ns;
}

EvictionResult evict(int root, const EvictionBounds& bounds, TrustMode trust) {
    return Run(root, bounds, trust).run();
}

void mark_used(int root, const std::string& path, const struct stat& status) noexcept {
    const std::int64_t age_s = std::int64_t{::time(nullptr)} - std::int64_t{status.st_mtim.tv_sec};
    if (age_s <= hour_s && age_s >= -hour_s) return;
    const struct timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
    ::utimensat(root, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

EvictionResult Eviction::run(int root,
                             std::uint64_t missing_bytes,
                             const std::string& kept) noexcept {
    EvictionResult result;
    try {
        result = evict(root, {max_bytes_, max_files_, missing_bytes, kept}, trust_);
    } catch (const std::exception&) {  // out of memory: another put will scan
        return result;
    }
    evictions_ += result.evicted;
    if (result.done) {
        // If files cannot be removed, a scan at each put would not help either.
        known_bytes_ = std::min(result.bytes, tenths(max_bytes_, 8));
        known_files_ = std::min(result.files, tenths(max_files_, 8));
    }
    return result;
}

bool Eviction::is_due(std::uint64_t bytes) noexcept {
    const std::uint64_t known_bytes = known_bytes_ += bytes;
    const std::uint64_t known_files = ++known_files_;
    return known_bytes > tenths(max_bytes_, 9) || known_files > tenths(max_files_, 9) ||
           falls(bytes, max_bytes_) || falls(1, max_files_);
}

void Eviction::after_put(int root, std::uint64_t bytes, const std::string& path) noexcept {
    if (is_due(bytes)) run(root, 0, path);
}

std::uint64_t Eviction::missing_space(int root) noexcept {
    const std::uint64_t missing = space_below_floor(root);
    if (missing == 0) {
        is_hopeless_ = false;
        return 0;
    }
    if (is_hopeless_) return missing;
    run(root, missing, {});
    const std::uint64_t left = space_below_floor(root);
    is_hopeless_ = left != 0;
    return left;
}

}  // namespace kgen::cache
