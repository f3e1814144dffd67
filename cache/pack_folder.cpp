// SPDX-License-Identifier: MIT
#include "pack_folder.hpp"

#include <fcntl.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "eviction.hpp"
#include "store_scan.hpp"

namespace kgen::cache {

namespace {

constexpr std::chrono::seconds between_looks{1};
// A second change within this time may leave the modification time as it is, because file system clocks are
// coarse.
constexpr std::int64_t settling_ns = 2'000'000'000;

bool is_same_file(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size;
}

std::int64_t now_ns() {
    struct timespec now {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return to_ns(now);
}

}  // namespace

PackFolderResult PackFolder::find(int root,
                                  const Digest& request,
                                  const std::optional<Digest>& producer,
                                  const PackReader::Filter& is_wanted,
                                  Renew renew) {
    const std::shared_ptr<const Packs> packs = look(root);
    PackFolderResult result;
    result.found = make_miss(MissReason::absent);
    std::vector<const Pack*> candidates;
    for (const Pack& pack : *packs) {
        if (pack.reader == nullptr) {
            if (result.found.reason != MissReason::absent) continue;
            if (pack.reason == MissReason::newer_format) continue;
            result.found = make_miss(pack.reason, pack.path, pack.detail);
            result.is_unusable = pack.reason != MissReason::unreadable;
            result.status = pack.status;
        } else if (pack.reader->has(request)) {
            candidates.push_back(&pack);
        }
    }
    // For a miss, `result` keeps the first damage that was found.
    const auto read = [&](const Pack& pack, const std::optional<Digest>& wanted) {
        const OpenedPackFile opened = open_pack_file(root, pack.path, trust_);
        // The file was removed or replaced. That changed the directory's time too, so a later find() lists it
        // again.
        if (!opened.file.is_open() || !is_same_file(opened.status, pack.status)) return false;
        PackFind found = pack.reader->find_in(pack_bytes(opened.file), request, wanted, is_wanted);
        if (found.entry) {
            if (renew == Renew::yes) mark_used(root, pack.path, opened.status);
            result = {.found = make_hit(std::move(*found.entry), pack.path, Tier::read_only)};
        } else if (found.problem != PackProblem::none &&
                   result.found.reason == MissReason::absent) {
            result.found = make_miss(
                miss_reason_of(found.problem), pack.path, std::string(to_text(found.problem)));
        }
        return static_cast<bool>(result.found);
    };
    for (const bool any : {false, true}) {
        if (!any && !producer) continue;
        for (const Pack* pack : candidates) {
            if (read(*pack, any ? std::nullopt : producer)) return result;
        }
    }
    return result;
}

void PackFolder::notice_change() {
    const std::lock_guard lock(mutex_);
    packs_ = nullptr;
}

std::shared_ptr<const PackFolder::Packs> PackFolder::look(int root) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (packs_ != nullptr && now - looked_at_ < between_looks) return packs_;
    looked_at_ = now;
    struct stat status {};
    if (::fstatat(root, pack_folder, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        directory_ = {};
        packs_ = std::make_shared<const Packs>();
        return packs_;
    }
    const bool is_same = status.st_dev == directory_.st_dev && status.st_ino == directory_.st_ino &&
                         to_ns(status.st_mtim) == to_ns(directory_.st_mtim);
    if (packs_ != nullptr && is_same && is_settled_) return packs_;
    const std::int64_t listed_at = now_ns();
    packs_ =
        std::make_shared<const Packs>(list(root, packs_ == nullptr ? Packs() : Packs(*packs_)));
    directory_ = status;
    is_settled_ = listed_at - to_ns(status.st_mtim) > settling_ns;
    return packs_;
}

PackFolder::Packs PackFolder::list(int root, const Packs& known) const {
    Packs packs;
    for (const StoredFile& file : scan_packs(root).files) {
        if (file.kind != FileKind::pack) continue;
        const auto same = std::find_if(known.begin(), known.end(), [&](const Pack& pack) {
            return pack.path == file.path && is_same_file(pack.status, file.status);
        });
        Pack pack = same != known.end()
                        ? *same
                        : Pack{open_pack(root, file.path, trust_, KeepFile::no), file.path};
        if (pack.reason != MissReason::absent) packs.push_back(std::move(pack));
    }
    return packs;
}

}  // namespace kgen::cache
