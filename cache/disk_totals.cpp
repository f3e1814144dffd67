// SPDX-License-Identifier: MIT
#include "disk_totals.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <exception>
#include <optional>
#include <string_view>

#include "entry_file.hpp"
#include "file_descriptor.hpp"
#include "whole_file_lock.hpp"

namespace kgen::cache {

namespace {

constexpr const char* folder = "v1/stats";
constexpr int slots = 16;
constexpr std::size_t max_file_bytes = 1 << 16;
constexpr std::string_view heading = "kgen-totals 1 ";

// Names in the order of MissReason.
constexpr std::array<std::string_view, miss_reasons> reason_names = {"none",
                                                                     "store_off",
                                                                     "refreshing",
                                                                     "absent",
                                                                     "other_producer",
                                                                     "newer_format",
                                                                     "damaged",
                                                                     "foreign_request",
                                                                     "not_a_file",
                                                                     "foreign_owner",
                                                                     "unreadable"};

std::string encode(const Totals& totals) {
    std::string lines;
    for (const auto& [name, count] : totals) lines += name + ' ' + std::to_string(count) + '\n';
    return std::string(heading) + sha256(lines).short_hex() + '\n' + lines;
}

std::optional<Totals> decode(std::string_view text) {
    const std::size_t end = text.find('\n');
    if (!text.starts_with(heading) || end == std::string_view::npos) return std::nullopt;
    std::string_view rest = text.substr(end + 1);
    if (text.substr(heading.size(), end - heading.size()) != sha256(rest).short_hex()) {
        return std::nullopt;
    }
    Totals totals;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const std::size_t space = line.rfind(' ');
        if (space == std::string_view::npos) return std::nullopt;
        std::uint64_t count = 0;
        const auto [stop, error] =
            std::from_chars(line.data() + space + 1, line.data() + line.size(), count);
        if (error != std::errc() || stop != line.data() + line.size()) return std::nullopt;
        totals[std::string(line.substr(0, space))] = count;
    }
    return totals;
}

void add(Totals& sum, const Totals& more) {
    for (const auto& [name, count] : more) sum[name] += count;
}

// Returns the totals in a file, or nothing if it cannot be decoded.
std::optional<Totals> read_file(int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    std::string text;
    if (read_to_end(file, text, max_file_bytes) != 0 || text.size() == max_file_bytes)
        return std::nullopt;
    return decode(text);
}

std::string host_name() {
    std::array<char, 65> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "host";
    std::string text = name.data();
    for (char& c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
    }
    return text;
}

// Returns whether a file name is "<host>-0" to "<host>-15".
bool is_slot_name(std::string_view name) {
    const std::size_t dash = name.rfind('-');
    if (dash == std::string_view::npos || dash == 0) return false;
    const std::string_view number = name.substr(dash + 1);
    int slot = slots;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), slot);
    return error == std::errc() && stop == number.data() + number.size() && slot >= 0 &&
           slot < slots && std::to_string(slot) == number;
}

// Adds to one file. Returns false if another process has locked it or it cannot be written.
bool add_to_file(int file, const Totals& more) {
    // If the file system has no locks, two processes may overwrite each other's counts.
    const WholeFileLock lock(file);
    if (lock.is_busy()) return false;
    Totals sum = read_file(file).value_or(Totals{});
    add(sum, more);
    const std::string text = encode(sum);
    const bool is_written = write_all(file, 0, as_bytes(text)) == 0;
    return ::ftruncate(file, static_cast<off_t>(text.size())) == 0 && is_written;
}

}  // namespace

Totals named_counters(const StoreStatistics& statistics) {
    Totals totals = {{"hits", statistics.hits},
                     {"read_only_hits", statistics.read_only_hits},
                     {"stores", statistics.stores},
                     {"store_failures", statistics.store_failures},
                     {"declined", statistics.declined},
                     {"evictions", statistics.evictions},
                     {"quarantined", statistics.quarantined},
                     {"rejections", statistics.rejections},
                     {"lock_waits", statistics.lock_waits},
                     {"lock_timeouts", statistics.lock_timeouts}};
    for (std::size_t k = 1; k < miss_reasons; ++k) {
        totals["misses." + std::string(reason_names[k])] = statistics.misses[k];
    }
    return totals;
}

std::vector<std::string> totals_paths(int root) {
    std::vector<std::string> names;
    list_directory(root, folder, names);
    std::vector<std::string> paths;
    for (const std::string& name : names) {
        if (is_slot_name(name)) paths.push_back(std::string(folder) + '/' + name);
    }
    return paths;
}

Totals read_totals(int root) {
    Totals sum;
    for (const std::string& path : totals_paths(root)) {
        const FileDescriptor file = open_to_read(root, path.c_str(), Links::refused);
        if (!file.is_open()) continue;
        if (const std::optional<Totals> totals = read_file(file.get())) add(sum, *totals);
    }
    return sum;
}

bool add_totals(int root, const Totals& more, TrustMode trust) {
    const std::string start = std::string(folder) + '/' + host_name() + '-';
    for (int k = 0; k < slots; ++k) {
        const std::string path = start + std::to_string((::getpid() + k) % slots);
        FileDescriptor file = open_to_change(root, path.c_str(), trust);
        if (!file.is_open() && errno == ENOENT) {
            if (make_directory_at(root, folder, trust) == ENOENT) return false;
            file = open_to_change(root, path.c_str(), trust);
        }
        if (file.is_open() && add_to_file(file.get(), more)) return true;
    }
    return false;
}

int remove_totals(int root) {
    int error = 0;
    for (const std::string& path : totals_paths(root)) {
        if (::unlinkat(root, path.c_str(), 0) != 0 && errno != ENOENT && error == 0) error = errno;
    }
    return error;
}

void DiskTotals::flush(int root, const StoreCounters& counters) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        last_ = std::chrono::steady_clock::now();
        const Totals now = named_counters(counters.read());
        Totals more;
        for (const auto& [name, count] : now) {
            if (const std::uint64_t difference = count - flushed_[name]; difference != 0) {
                more[name] = difference;
            }
        }
        if (!more.empty() && add_totals(root, more, trust_)) flushed_ = now;
    } catch (const std::exception&) {
        // Out of memory: the counts are added by a later flush, or lost.
    }
}

void DiskTotals::flush_sometimes(int root, const StoreCounters& counters) noexcept {
    {
        const std::lock_guard lock(mutex_);
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::seconds(1)) return;
    }
    flush(root, counters);
}

}  // namespace kgen::cache
