// SPDX-License-Identifier: MIT
#include "store_care.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <set>
#include <utility>

#include "disk_totals.hpp"
#include "eviction.hpp"
#include "file_descriptor.hpp"
#include "pack_file.hpp"
#include "quarantine.hpp"
#include "store_scan.hpp"

namespace kgen::cache {

namespace {

constexpr int deepest = 64;  // nesting of directories of another version

class Removal {
public:
    Removal(int root, DryRun dry_run) : root_(root), dry_run_(dry_run) {}

    void add(StoreScan scan, std::vector<StoredFile>& files) {
        if (scan.error != 0) fail(scan.error, "v1");
        for (StoredFile& file : scan.files) files.push_back(std::move(file));
    }

    // Removes a file that the scan found, and returns whether it was removed. Keeps the file if it has
    // changed since the scan, which is not a failure. A dry run only records the file.
    bool remove(const StoredFile& file) {
        errno = 0;
        if (dry_run_ == DryRun::no && !remove_if_unchanged(root_, file)) {
            if (errno != ENOENT && errno != 0) fail(errno, file.path);
            return false;
        }
        result_.removed.push_back({file.path, file.size_bytes()});
        return true;
    }

    void remove_name(const std::string& path, int flags) {
        struct stat status {};
        if (::fstatat(root_, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
        if (dry_run_ == DryRun::no && ::unlinkat(root_, path.c_str(), flags) != 0) {
            if (errno != ENOENT) fail(errno, path);
            return;
        }
        if (flags == 0) {
            result_.removed.push_back({path, static_cast<std::uint64_t>(status.st_size)});
        }
    }

    // Removes a directory tree. Links are removed but never followed.
    void remove_tree(const std::string& path, int depth = 0) {
        if (depth > deepest) return fail(ELOOP, path);
        for (const std::string& name : names_in(path)) {
            const std::string child = path + '/' + name;
            struct stat status {};
            if (::fstatat(root_, child.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
            if (S_ISDIR(status.st_mode)) {
                remove_tree(child, depth + 1);
            } else {
                remove_name(child, 0);
            }
        }
        remove_name(path, AT_REMOVEDIR);
    }

    std::vector<std::string> names_in(const std::string& path) {
        std::vector<std::string> names;
        const int error = list_directory(root_, path.c_str(), names);
        if (error != 0 && error != ENOENT && error != ENOTDIR) fail(error, path);
        return names;
    }

    void fail(int error, const std::string& path) {
        if (result_.error != 0) return;
        result_.error = error;
        result_.failed = path;
    }

    RemovalResult take() { return std::move(result_); }

private:
    const int root_;
    const DryRun dry_run_;
    RemovalResult result_;
};

// Returns true for "v2", "v3", ..., but not for "v1".
bool is_other_version(const std::string& name) {
    return name.size() >= 2 && name.size() <= 10 && name[0] == 'v' && name != "v1" &&
           name.find_first_not_of("0123456789", 1) == std::string::npos;
}

bool is_directory(int root, const std::string& path) {
    struct stat status {};
    return ::fstatat(root, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(status.st_mode);
}

// Returns the problem of an unusable file: what is wrong with its contents, or why it cannot be opened.
std::string text_of(const ReadResult& read) {
    return read.detail.empty() ? std::string(to_text(read.reason)) : read.detail;
}

ReadResult check_pack(int root, const std::string& path, TrustMode trust) {
    ReadResult result;
    OpenedPack pack = open_pack(root, path, trust, KeepFile::yes);
    result.reason = pack.reason;
    result.detail = std::move(pack.detail);
    if (pack.reader == nullptr) return result;
    const PackProblem problem = pack.reader->verify();
    if (problem != PackProblem::none) {
        result.reason = miss_reason_of(problem);
        result.detail = to_text(problem);
    } else if (pack_file_path(pack.reader->digest()) != path) {
        result.reason = MissReason::foreign_request;
        result.detail = "it holds another pack";
    }
    return result;
}

// Checks a file. The result's reason is MissReason::none for a valid file.
ReadResult check(int root, const StoredFile& file, TrustMode trust) {
    if (file.kind == FileKind::pack) return check_pack(root, file.path, trust);
    const std::optional<Digest> request = request_of_path(file.path);
    return read_entry_file(root, file.path, request.value(), nullptr, trust);
}

}  // namespace

VerifyResult verify_store(int root, TrustMode trust, Repair repair, DryRun dry_run) {
    VerifyResult result;
    StoreScan scan = scan_entries(root);
    result.error = scan.error;
    for (const StoredFile& file : scan.files) {
        if (file.kind != FileKind::entry && file.kind != FileKind::pack) continue;
        const ReadResult read = check(root, file, trust);
        if (read.reason == MissReason::none) {
            ++result.sound;
        } else if (read.reason == MissReason::newer_format) {
            result.newer.push_back(file.path);
        } else if (read.reason != MissReason::absent) {  // removed since the scan
            EntryProblem problem{file.path, text_of(read)};
            if (repair == Repair::yes) {
                problem.moved = dry_run == DryRun::yes ||
                                move_to_quarantine(root, file.path, file.status, trust);
            }
            result.problems.push_back(std::move(problem));
        }
    }
    return result;
}

RemovalResult prune_store(int root, const PruneBounds& bounds, DryRun dry_run) {
    Removal removal(root, dry_run);
    std::vector<StoredFile> files;
    removal.add(scan_quarantine(root), files);
    removal.add(scan_entries(root), files);

    const std::int64_t now_ns = std::int64_t{::time(nullptr)} * 1'000'000'000;
    sort_for_removal(files, now_ns);
    std::uint64_t bytes = 0;
    std::uint64_t count = files.size();
    for (const StoredFile& file : files) bytes += file.size_bytes();
    for (const StoredFile& file : files) {
        const std::int64_t age_s = (now_ns - to_ns(file.status.st_mtim)) / 1'000'000'000;
        const bool is_over = (bounds.max_bytes && bytes > *bounds.max_bytes) ||
                             (bounds.max_files && count > *bounds.max_files) ||
                             (bounds.max_age_s && age_s > *bounds.max_age_s);
        const bool goes = file.kind == FileKind::temporary ? is_stale(file, now_ns)
                                                           : is_over && file.is_regular();
        if (!goes || !removal.remove(file)) continue;
        bytes -= file.size_bytes();
        --count;
    }
    return removal.take();
}

RemovalResult clear_store(int root, Versions versions, DryRun dry_run) {
    Removal removal(root, dry_run);
    std::vector<StoredFile> files;
    removal.add(scan_entries(root), files);
    removal.add(scan_quarantine(root), files);
    for (const StoredFile& file : files)
        removal.remove_name(file.path, S_ISDIR(file.status.st_mode) ? AT_REMOVEDIR : 0);
    for (const std::string& path : totals_paths(root)) removal.remove_name(path, 0);
    if (versions == Versions::all) {
        for (const std::string& name : removal.names_in(".")) {
            // kgen makes no links, so a link with such a name stays.
            if (is_other_version(name) && is_directory(root, name)) removal.remove_tree(name);
        }
    }
    return removal.take();
}

CollectedEntries collect_entries(int root,
                                 TrustMode trust,
                                 const std::function<bool(const Entry&)>& is_wanted) {
    CollectedEntries result;
    std::set<std::pair<Digest, Digest>> known;
    const auto take = [&](std::optional<Entry> entry) {
        if (!entry) {
            ++result.unusable;
        } else if (is_wanted(*entry) &&
                   known.emplace(entry->request, sha256(entry->producer_identity)).second) {
            result.entries.push_back(std::move(*entry));
        }
    };
    const StoreScan scan = scan_entries(root);
    result.error = scan.error;
    // The scan lists packs after entry files.
    for (const StoredFile& file : scan.files) {
        if (file.kind == FileKind::pack) {
            const OpenedPack pack = open_pack(root, file.path, trust, KeepFile::yes);
            if (pack.reader == nullptr) {
                ++result.unusable;
                continue;
            }
            const PackIndex& index = pack.reader->index();
            for (std::size_t k = 0; k < index.size(); ++k)
                take(pack.reader->find(index.request(k), index.producer(k)).entry);
        } else if (const auto request = request_of_path(file.path)) {
            take(read_entry_file(root, file.path, *request, nullptr, trust).entry);
        }
    }
    return result;
}

}  // namespace kgen::cache
