// SPDX-License-Identifier: MIT
//
// Inspection and maintenance of the disk cache, as in the command `kgen cache`. Running kernels needs none of
// it. Other processes may use the cache at the same time. `directory` is the cache directory; if it is empty,
// the one of this process is used. All functions except flush_cache_totals() throw CacheError and IoError.
#pragma once

#include <cstdint>
#include <kgen/error.hpp>
#include <kgen/export.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

// Thrown if the directory is not a kgen cache, its owner or permissions are not trusted, or it has no
// matching entry. A directory that does not exist or is empty counts as an empty cache.
class KGEN_EXPORT CacheError : public Error {
public:
    using Error::Error;
};

// One cache entry. If it cannot be read, `problem` says why, and `kernel` to `layout` are empty. The
// strings are whatever the file contains, so print them through terminal_text().
struct CacheEntry {
    std::string path;  // the entry's file, or the pack that contains the entry
    bool is_packed = false;
    std::string request;  // key of the entry: a digest of 64 hexadecimal digits
    std::string kernel;
    std::string symbol;    // the kernel's name in the compiled code
    std::string target;    // "sm_90"
    std::string producer;  // the compiler that made it
    std::string kgen_version;
    // The dtypes of the parameters, "float32, int64 -> float32", and the layout that the code is for,
    // "contiguous, 4 elements an access". Empty for raw kernels.
    std::string dtypes;
    std::string layout;
    // Size of the entry's file. For an entry in a pack: its share of the pack's bytes; bytes that several
    // entries share are divided among them.
    std::uint64_t size_bytes = 0;
    std::int64_t created_s = 0;  // creation time in seconds since 1970; 0 for an entry in a pack
    // Time of the last use in seconds since 1970, accurate to an hour. For an entry in a pack: the time when
    // the pack was last used.
    std::int64_t used_s = 0;
    std::string problem;
};

// Returns all entries, ordered by path, and within a pack by request. A pack that cannot be read is listed as
// one entry without a request.
KGEN_EXPORT std::vector<CacheEntry> list_cache(const std::string& directory = {});

// Returns the entries of the pack `file`, which may be anywhere. Checks the metadata of the entries, but not
// their code.
KGEN_EXPORT std::vector<CacheEntry> list_pack(const std::string& file);

struct CacheSection {
    std::string name;  // "cubin", "ptx", "host object", or the tag of another kind
    std::string sha256;
    std::string bytes;
};

struct CacheKernelResources {
    std::string symbol;
    std::int64_t registers = 0;     // per thread
    std::int64_t shared_bytes = 0;  // static shared memory per thread block
    std::int64_t stack_bytes = 0;   // per thread: arrays and spilled registers in local memory
};

struct CacheEntryContents {
    CacheEntry entry;
    std::string producer_identity;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::vector<CacheSection> sections;
    std::vector<CacheKernelResources>
        resources;  // one per kernel of the entry; empty without a cubin
};

// Returns the entry in a file, or the only entry whose request begins with the given digits (at least 4).
// Checks the whole entry. Digits after a '-' select the producer, as in the entry's file name.
KGEN_EXPORT CacheEntryContents inspect_cache_entry(const std::string& file_or_request,
                                                   const std::string& directory = {});

// Contents of the cache and the counts of all processes that used it. cache_statistics() counts only this
// process.
struct CacheUsage {
    std::string directory;
    std::uint64_t entries = 0;
    std::uint64_t entry_bytes = 0;
    std::uint64_t packs = 0;
    std::uint64_t pack_bytes = 0;
    std::uint64_t packed_entries = 0;
    std::uint64_t temporary_files = 0;  // being written, or left behind by a killed process
    std::uint64_t temporary_bytes = 0;
    std::uint64_t quarantined_files = 0;
    std::uint64_t quarantined_bytes = 0;
    std::uint64_t max_bytes = 0;  // from this process's settings
    std::uint64_t max_files = 0;  // from this process's settings
    // Approximate counts by name: "hits", "misses.absent", "stores", ...
    std::vector<std::pair<std::string, std::uint64_t>> totals;
};

KGEN_EXPORT CacheUsage cache_usage(const std::string& directory = {});

// yes: nothing is changed, and the result says what would be.
enum class CacheDryRun : bool { no, yes };

// Sets the totals to zero.
KGEN_EXPORT void zero_cache_totals(const std::string& directory = {});

enum class CacheRepair : bool { no, yes };

struct CacheProblem {
    std::string path;
    std::string problem;
    bool moved = false;  // moved to the quarantine; in a dry run: would be moved
};

struct CacheCheck {
    std::uint64_t sound_files = 0;  // entries and packs without a problem
    std::vector<CacheProblem> problems;
    std::vector<std::string> newer;  // files of a newer version of kgen; not a problem
};

// Reads every entry and pack with all checks that a cache lookup makes. CacheRepair::yes also moves damaged
// files to the quarantine.
KGEN_EXPORT CacheCheck verify_cache(CacheRepair repair = CacheRepair::no,
                                    CacheDryRun dry_run = CacheDryRun::no,
                                    const std::string& directory = {});

struct CacheBounds {
    std::optional<std::uint64_t> max_bytes = {};
    std::optional<std::uint64_t> max_files = {};
    std::optional<std::int64_t> max_age_s = {};  // seconds since the last use
};

struct CacheRemoval {
    std::vector<std::string> paths;  // of the removed files; in a dry run: of the files to remove
    std::uint64_t bytes = 0;
};

// Removes the least recently used entries and packs until no bound is exceeded, and temporary files left
// behind by killed processes. If no bound is given, max_bytes and max_files of this process's settings apply.
KGEN_EXPORT CacheRemoval prune_cache(const CacheBounds& bounds,
                                     CacheDryRun dry_run = CacheDryRun::no,
                                     const std::string& directory = {});

enum class CacheVersions : bool { own, every };

// Removes all entries, packs, temporary and quarantined files, and the totals. CacheVersions::every also
// removes what other versions of kgen keep there.
KGEN_EXPORT CacheRemoval clear_cache(CacheVersions versions = CacheVersions::own,
                                     CacheDryRun dry_run = CacheDryRun::no,
                                     const std::string& directory = {});

// Adds this process's counts to the totals. Otherwise they are added only after a kernel is stored. Failures
// are ignored.
KGEN_EXPORT void flush_cache_totals() noexcept;

}  // namespace kgen
