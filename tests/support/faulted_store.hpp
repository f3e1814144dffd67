// SPDX-License-Identifier: MIT
//
// A store in a fresh directory for fault tests: functions that prepare it, and checks of what a
// fault left behind.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "eviction.hpp"
#include "file_descriptor.hpp"
#include "pack_file.hpp"
#include "pack_format.hpp"
#include "pack_reader.hpp"
#include "store.hpp"
#include "store_care.hpp"
#include "store_scan.hpp"
#include "support/cache_fixtures.hpp"
#include "support/temp_dir.hpp"

namespace kgen::cache {

// All entries share one shard, so scans are fast.
inline Entry faulted_entry(char name) {
    Entry entry = sample_entry(std::string(1, name), 3000);
    entry.request.bytes[0] = std::byte{7};
    return entry;
}

struct FaultedStore {
    TempDir folder;
    std::string root = folder / "a/root";
    Warnings warnings;

    StoreSettings settings() { return settings_for(root, warnings); }
    bool put(char name) { return Store(settings()).put(faulted_entry(name)); }
    // Stores one pack of these entries. Returns its path, even if storing it failed.
    std::string put_pack(const std::string& names) {
        std::vector<Entry> entries;
        for (const char name : names) entries.push_back(faulted_entry(name));
        const std::vector<std::byte> pack = encode_pack(std::move(entries));
        Store(settings()).put_pack(pack);
        return root + '/' + pack_file_path(pack_digest(pack));
    }
    bool has(char name) {
        Store store(settings());
        const FindResult found = store.find(faulted_entry(name).request, sample_producer);
        if (!found) return false;
        Entry expected = faulted_entry(name);
        if (found.tier == Tier::read_only) expected.created_s = 0;  // entries of packs have no time
        return *found.entry == expected;
    }
    std::string path(char name) {
        return Store(settings()).entry_path(faulted_entry(name).request, sample_producer);
    }
    // Flips a bit of the last byte.
    void damage(char name) {
        std::vector<std::byte> bytes = read_file(path(name));
        bytes.back() ^= std::byte{1};
        write_file(path(name), bytes);
    }
    void set_age(const std::string& file, std::int64_t seconds) const {
        const timespec time = {::time(nullptr) - seconds, 0};
        const timespec times[2] = {time, time};
        ::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW);
    }

    // Calls the function with the open root, or with -1 if there is none.
    template <class Function>
    auto with_root(Function function) const {
        const FileDescriptor directory(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        return function(directory.get());
    }

    std::size_t temporary_files() const {
        return with_root([](int directory) {
            const std::vector<StoredFile> files = scan_entries(directory).files;
            return static_cast<std::size_t>(
                std::count_if(files.begin(), files.end(), [](const StoredFile& file) {
                    return file.kind == FileKind::temporary;
                }));
        });
    }

    // Returns the first violation below the root, or "" if there is none. `damaged` names
    // entries that were damaged before.
    std::string disorder(const std::string& damaged = {}) {
        namespace fs = std::filesystem;
        if (!fs::exists(root)) return {};
        bool has_other = false;
        for (const auto& item : fs::recursive_directory_iterator(root)) {
            const std::string below = item.path().lexically_relative(root);
            const std::string name = item.path().filename();
            if (below == "CACHEDIR.TAG") {
                if (as_text(read_file(item.path())) != directory_tag_text) return "a torn tag";
                continue;
            }
            const bool is_temporary = kind_in_shard(name) == FileKind::temporary;
            if (is_temporary && item.path().parent_path() == root) continue;
            has_other = true;
            if (item.is_directory() || is_temporary || below == "v1/evict.lock" ||
                below == "v1/locks" || below.starts_with("v1/stats/") ||
                below.starts_with("quarantine/")) {
                continue;
            }
            if (is_pack_file_name(name)) {
                const PackProblem problem = verify_pack(read_file(item.path()));
                if (problem != PackProblem::none) return "a pack that is not sound: " + below;
                continue;
            }
            if (!request_of_path(below)) return "a file that is not the store's: " + below;
            const bool was_damaged = std::any_of(damaged.begin(), damaged.end(), [&](char each) {
                return path(each) == item.path();
            });
            const DecodeResult decoded = decode_entry(read_file(item.path()));
            if (!decoded.entry && !was_damaged) return "an entry that is not sound: " + below;
        }
        if (has_other && !fs::exists(root + "/CACHEDIR.TAG")) return "no tag";
        return {};
    }

    // Makes temporary files old and evicts, which must remove them. Returns a problem if some stay.
    std::string sweep() {
        if (!std::filesystem::exists(root)) return {};
        with_root([&](int directory) {
            for (const StoredFile& file : scan_entries(directory).files) {
                if (file.kind == FileKind::temporary) set_age(root + '/' + file.path, 7200);
            }
            evict(directory, {UINT64_MAX, UINT64_MAX});
            return 0;
        });
        return temporary_files() == 0 ? "" : "temporary files stay";
    }
};

}  // namespace kgen::cache
