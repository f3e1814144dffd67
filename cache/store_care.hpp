// SPDX-License-Identifier: MIT
//
// What looks after a whole store: verify, prune, clear. Other processes may use it meanwhile. Only files
// of the store's own names are moved or removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "entry_file.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

// `yes`: nothing is changed, but told what would be.
enum class DryRun : bool { no, yes };

enum class Repair : bool { no, yes };

struct EntryProblem {
    std::string path;     // relative to the root
    std::string problem;  // "a section does not match its checksum"
    bool moved = false;   // to the quarantine; in a dry run: would be
};

struct VerifyResult {
    std::uint64_t sound = 0;  // entries and packs
    std::vector<EntryProblem> problems;
    std::vector<std::string> newer;  // paths of entries that only a newer kgen can read: no problem
    int error = 0;                   // errno of a directory that could not be read
};

// Reads each entry and pack with every check that a look-up makes.
VerifyResult verify_store(int root, TrustMode trust, Repair repair, DryRun dry_run = DryRun::no);

struct PruneBounds {
    std::optional<std::uint64_t> max_bytes;
    std::optional<std::uint64_t> max_files;
    std::optional<std::int64_t> max_age_s;  // since it was last used
};

struct RemovedFile {
    std::string path;  // relative to the root
    std::uint64_t size_bytes = 0;
};

struct RemovalResult {
    std::vector<RemovedFile> removed;  // in a dry run: what would be
    int error = 0;                     // errno of what could not be removed or read, the first
    std::string failed;                // its path
};

// Removes entries and packs, those first that were used longest ago, until no bound is exceeded; and temporary
// files of killed writers.
RemovalResult prune_store(int root, const PruneBounds& bounds, DryRun dry_run);

enum class Versions : bool { own, all };

// Removes all entries, packs, temporary files, what is in quarantine, and the totals. The directories stay for
// those that use them. `all`: also what other versions of kgen keep in v2, v3, ...
RemovalResult clear_store(int root, Versions versions, DryRun dry_run);

}  // namespace kgen::cache
