// SPDX-License-Identifier: MIT
//
// The disk cache, looked at and looked after: what `kgen cache` does. Kernels need none of this. Other
// processes may use the cache meanwhile. `directory` is the cache's; empty: the one that this process uses.
#pragma once

#include <cstdint>
#include <kgen/error.hpp>
#include <kgen/export.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

// The directory is no cache of kgen's or not to be trusted, or has no such entry. A directory that
// does not exist or is empty is an empty cache.
class KGEN_EXPORT CacheError : public Error {
public:
    using Error::Error;
};

// One entry. Texts are empty where it cannot be read: `problem` says why. They are what the file says: print
// them through terminal_text().
struct CacheEntry {
    std::string path;  // of its file, or of the pack that it is in
    bool is_packed = false;
    std::string request;  // what it is found by: 64 hexadecimal digits
    std::string kernel;
    std::string symbol;  // the kernel's name in the compiled code
    std::string target;  // "sm_90"
    std::string producer;
    std::string kgen_version;
    // Of its file. In a pack: its share of the bytes, of which those that several entries have in common
    // are divided among them.
    std::uint64_t size_bytes = 0;
    std::int64_t created_s = 0;  // since 1970; 0 in a pack
    std::int64_t used_s = 0;     // within an hour; in a pack: when the pack was
    std::string problem;
};

// In the order of their paths, and in a pack of their requests; a pack that cannot be read is one without
// a request. Throws CacheError and IoError, as all functions here.
KGEN_EXPORT std::vector<CacheEntry> list_cache(const std::string& directory = {});

// The entries of a pack anywhere. What they say of themselves is checked, their code is not.
KGEN_EXPORT std::vector<CacheEntry> list_pack(const std::string& file);

struct CacheSection {
    std::string name;  // "cubin", "ptx", "host object", or the tag of another
    std::string sha256;
    std::string bytes;
};

struct CacheKernelResources {
    std::string symbol;
    std::int64_t registers = 0;     // a thread
    std::int64_t shared_bytes = 0;  // static, a block
    std::int64_t stack_bytes = 0;   // a thread: arrays and spilled registers in local memory
};

struct CacheEntryContents {
    CacheEntry entry;
    std::string producer_identity;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::vector<CacheSection> sections;
    std::vector<CacheKernelResources> resources;  // of the entry's kernels in a cubin
};

// The entry in that file, or the only one whose request begins with these digits, checked in full. Digits
// after a '-' are those of the producer: a file's name has both.
KGEN_EXPORT CacheEntryContents inspect_cache_entry(const std::string& file_or_request,
                                                   const std::string& directory = {});

// What lies in the cache, and what all its users counted together; cache_statistics() has this process alone.
struct CacheUsage {
    std::string directory;
    std::uint64_t entries = 0;
    std::uint64_t entry_bytes = 0;
    std::uint64_t packs = 0;
    std::uint64_t pack_bytes = 0;
    std::uint64_t packed_entries = 0;
    std::uint64_t temporary_files = 0;  // being written, or left by a killed process
    std::uint64_t temporary_bytes = 0;
    std::uint64_t quarantined_files = 0;
    std::uint64_t quarantined_bytes = 0;
    std::uint64_t max_bytes = 0;  // this process's settings
    std::uint64_t max_files = 0;
    // About: "hits", "misses.absent", "stores", ... by name.
    std::vector<std::pair<std::string, std::uint64_t>> totals;
};

KGEN_EXPORT CacheUsage cache_usage(const std::string& directory = {});

enum class CacheDryRun : bool { no, yes };

// Sets the totals to zero.
KGEN_EXPORT void zero_cache_totals(const std::string& directory = {});

enum class CacheRepair : bool { no, yes };

struct CacheProblem {
    std::string path;
    std::string problem;
    bool moved = false;  // to the quarantine; in a dry run: would be
};

struct CacheCheck {
    std::uint64_t sound_files = 0;  // entries and packs
    std::vector<CacheProblem> problems;
    std::vector<std::string> newer;  // files of a newer kgen: no problem
};

// Reads each entry and pack with every check that a look-up makes; with a repair, damaged ones are taken out
// of use.
KGEN_EXPORT CacheCheck verify_cache(CacheRepair repair = CacheRepair::no,
                                    CacheDryRun dry_run = CacheDryRun::no,
                                    const std::string& directory = {});

struct CacheBounds {
    std::optional<std::uint64_t> max_bytes = {};
    std::optional<std::uint64_t> max_files = {};
    std::optional<std::int64_t> max_age_s = {};  // since the entry was last used
};

struct CacheRemoval {
    std::vector<std::string> paths;
    std::uint64_t bytes = 0;
};

// Removes the entries and packs that were used longest ago until no bound is exceeded; without any, down to the
// settings' bounds.
KGEN_EXPORT CacheRemoval prune_cache(const CacheBounds& bounds,
                                     CacheDryRun dry_run = CacheDryRun::no,
                                     const std::string& directory = {});

enum class CacheVersions : bool { own, all };

// Removes all entries, packs and the totals; `all`: also what other versions of kgen keep there.
KGEN_EXPORT CacheRemoval clear_cache(CacheVersions versions = CacheVersions::own,
                                     CacheDryRun dry_run = CacheDryRun::no,
                                     const std::string& directory = {});

// Adds this process's counts to the totals, which else happens only after a kernel was stored. Best
// effort.
KGEN_EXPORT void flush_cache_totals() noexcept;

}  // namespace kgen
