// SPDX-License-Identifier: MIT
//
// PackFolder: the packs in v1/packs below a root. Their indexes stay in memory. A pack's file is open only
// while an entry is read from it, so a removed pack does not occupy disk space.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "digest.hpp"
#include "find_result.hpp"
#include "fork_mutex.hpp"
#include "pack_file.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

struct PackFolderResult {
    FindResult found;  // with its path relative to the root
    // Whether the pack at found.path is unusable as a whole and should be moved to the quarantine.
    bool is_unusable = false;
    struct stat status {};  // of the file of that pack
};

// Thread-safe. The directory is examined at most once a second. A miss costs one binary search per pack.
class PackFolder {
public:
    explicit PackFolder(TrustMode trust) : trust_(trust) {}

    // Whether a hit renews the time of use of the pack's file.
    enum class Renew : bool { no, yes };

    // Finds an entry of the request that the filter accepts. Prefers an entry of `producer`; otherwise an
    // entry of any producer will do.
    PackFolderResult find(int root,
                          const Digest& request,
                          const std::optional<Digest>& producer,
                          const PackReader::Filter& is_wanted,
                          Renew renew);

    // Call this after this process has added a pack. The next find() examines the directory.
    void notice_change();

private:
    struct Pack : OpenedPack {
        std::string path;  // relative to the root
    };
    using Packs = std::vector<Pack>;

    std::shared_ptr<const Packs> look(int root);
    Packs list(int root, const Packs& known) const;

    const TrustMode trust_;
    ForkMutex mutex_;  // guards the rest
    std::shared_ptr<const Packs> packs_;
    std::chrono::steady_clock::time_point looked_at_;
    struct stat directory_ {};  // when it was listed; all zero if it does not exist
    bool is_settled_ = false;   // any later change will alter its modification time
};

}  // namespace kgen::cache
