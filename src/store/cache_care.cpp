// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/cache.hpp>

#include "disk_totals.hpp"
#include "image/process_store.hpp"
#include "pack_file.hpp"
#include "store/cared_cache.hpp"
#include "store_care.hpp"
#include "store_scan.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

cache::DryRun to_store(CacheDryRun dry_run) {
    return dry_run == CacheDryRun::yes ? cache::DryRun::yes : cache::DryRun::no;
}

CacheRemoval take(const CaredCache& cared, const cache::RemovalResult& result) {
    throw_for(result.error, cared.full_path(result.failed), "removed");
    CacheRemoval removal;
    for (const cache::RemovedFile& file : result.removed) {
        removal.paths.push_back(cared.full_path(file.path));
        removal.bytes += file.size_bytes;
    }
    return removal;
}

std::uint64_t entries_in_pack(const CaredCache& cared, const std::string& path) {
    const cache::OpenedPack pack =
        cache::open_pack(cared.root(), path, cared.trust, cache::KeepFile::no);
    return pack.reader == nullptr ? 0 : pack.reader->index().size();
}

void count(const CaredCache& cared, const cache::StoreScan& scan, CacheUsage& usage) {
    for (const cache::StoredFile& file : scan.files) {
        switch (file.kind) {
            case cache::FileKind::entry:
                ++usage.entries;
                usage.entry_bytes += file.size_bytes();
                break;
            case cache::FileKind::pack:
                ++usage.packs;
                usage.pack_bytes += file.size_bytes();
                usage.packed_entries += entries_in_pack(cared, file.path);
                break;
            case cache::FileKind::temporary:
                ++usage.temporary_files;
                usage.temporary_bytes += file.size_bytes();
                break;
            case cache::FileKind::quarantined:
                ++usage.quarantined_files;
                usage.quarantined_bytes += file.size_bytes();
                break;
        }
    }
}

}  // namespace

CacheUsage cache_usage(const std::string& directory) try {
    const CaredCache cared = open_cared_cache(directory);
    const cache::StoreSettings settings = process_store_settings();
    CacheUsage usage;
    usage.directory = cared.path;
    usage.max_bytes = settings.max_bytes;
    usage.max_files = settings.max_files;
    if (cared.is_empty()) return usage;
    for (const cache::StoreScan& scan :
         {cache::scan_entries(cared.root()), cache::scan_quarantine(cared.root())}) {
        throw_for(scan.error, cared.path, "read");
        count(cared, scan, usage);
    }
    const cache::Totals totals = cache::read_totals(cared.root());
    usage.totals.assign(totals.begin(), totals.end());
    return usage;
} catch (...) {
    rethrow_as_error();
}

void zero_cache_totals(const std::string& directory) try {
    const CaredCache cared = open_cared_cache(directory);
    if (cared.is_empty()) return;
    throw_for(cache::remove_totals(cared.root()), cared.full_path("v1/stats"), "emptied");
} catch (...) {
    rethrow_as_error();
}

CacheCheck verify_cache(CacheRepair repair, CacheDryRun dry_run, const std::string& directory) try {
    const CaredCache cared = open_cared_cache(directory);
    CacheCheck check;
    if (cared.is_empty()) return check;
    const cache::VerifyResult result =
        cache::verify_store(cared.root(),
                            cared.trust,
                            repair == CacheRepair::yes ? cache::Repair::yes : cache::Repair::no,
                            to_store(dry_run));
    throw_for(result.error, cared.path, "read");
    check.sound_files = result.sound;
    for (const cache::EntryProblem& problem : result.problems) {
        check.problems.push_back({cared.full_path(problem.path), problem.problem, problem.moved});
    }
    for (const std::string& path : result.newer) check.newer.push_back(cared.full_path(path));
    return check;
} catch (...) {
    rethrow_as_error();
}

CacheRemoval prune_cache(const CacheBounds& bounds,
                         CacheDryRun dry_run,
                         const std::string& directory) try {
    const CaredCache cared = open_cared_cache(directory);
    if (cared.is_empty()) return {};
    cache::PruneBounds given{bounds.max_bytes, bounds.max_files, bounds.max_age_s};
    if (!given.max_bytes && !given.max_files && !given.max_age_s) {
        const cache::StoreSettings settings = process_store_settings();
        given.max_bytes = settings.max_bytes;
        given.max_files = settings.max_files;
    }
    return take(cared, cache::prune_store(cared.root(), given, to_store(dry_run)));
} catch (...) {
    rethrow_as_error();
}

CacheRemoval clear_cache(CacheVersions versions,
                         CacheDryRun dry_run,
                         const std::string& directory) try {
    const CaredCache cared = open_cared_cache(directory);
    if (cared.is_empty()) return {};
    const auto which =
        versions == CacheVersions::every ? cache::Versions::all : cache::Versions::own;
    return take(cared, cache::clear_store(cared.root(), which, to_store(dry_run)));
} catch (...) {
    rethrow_as_error();
}

void flush_cache_totals() noexcept {
    flush_process_store();
}

}  // namespace kgen
