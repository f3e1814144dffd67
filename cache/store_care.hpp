// SPDX-License-Identifier: MIT
//
// Maintenance of a whole store: verify, prune, clear and collect. Other processes may use the store at the
// same time. Only files whose names have the layout of a store are moved or removed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "entry.hpp"
#include "entry_file.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

// `yes`: nothing is changed; the result tells what would be changed.
enum class DryRun : bool { no, yes };

enum class Repair : bool { no, yes };

struct EntryProblem {
    std::string path;     // relative to the root
    std::string problem;  // "a section does not match its checksum"
    bool moved = false;   // moved to the quarantine; in a dry run: would be moved
};

struct VerifyResult {
    std::uint64_t sound = 0;  // number of valid entries and packs
    std::vector<EntryProblem> problems;
    std::vector<std::string> newer;  // paths that only a newer kgen can read; not a problem
    int error = 0;                   // errno if a directory could not be read
};

// Reads each entry and pack with all checks of a look-up. Repair::yes moves damaged ones to the quarantine.
VerifyResult verify_store(int root, TrustMode trust, Repair repair, DryRun dry_run = DryRun::no);

struct PruneBounds {
    std::optional<std::uint64_t> max_bytes;
    std::optional<std::uint64_t> max_files;
    std::optional<std::int64_t> max_age_s;  // seconds since the last use
};

struct RemovedFile {
    std::string path;  // relative to the root
    std::uint64_t size_bytes = 0;
};

struct RemovalResult {
    std::vector<RemovedFile> removed;  // in a dry run: files that would be removed
    int error = 0;                     // errno of the first failure to read or remove
    std::string failed;                // path of that failure
};

// Removes quarantined files, then the least recently used entries and packs, until no bound is exceeded. Also
// removes stale temporary files of killed writers.
RemovalResult prune_store(int root, const PruneBounds& bounds, DryRun dry_run);

enum class Versions : bool { own, all };

// Removes all entries, packs, temporary files, quarantined files, and the totals. The directories stay,
// because other processes may use them. Versions::all also removes the files of other versions of kgen in v2,
// v3, ...
RemovalResult clear_store(int root, Versions versions, DryRun dry_run);

// All entries of a store, for an export.
struct CollectedEntries {
    std::vector<Entry> entries;
    std::uint64_t unusable = 0;  // files and entries of packs that cannot be read
    int error = 0;               // errno if a directory could not be read
};

// Returns the verified entries that the filter accepts: first those in entry files, then those in packs. If
// several entries have the same request and producer, the first one is returned.
CollectedEntries collect_entries(int root,
                                 TrustMode trust,
                                 const std::function<bool(const Entry&)>& is_wanted);

}  // namespace kgen::cache
