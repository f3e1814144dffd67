// SPDX-License-Identifier: MIT
//
// PackFolder: the packs in v1/packs below a root. Their indexes stay in memory; a pack's file is opened
// for a hit alone, so that a removed pack takes no space.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "digest.hpp"
#include "find_result.hpp"
#include "fork_mutex.hpp"
#include "pack_reader.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

struct PackFolderResult {
    FindResult found;  // its path is relative to the root
    // A pack of which nothing can be used, to be moved away: its path is found.path.
    bool is_unusable = false;
    struct stat status {};  // of that pack's file
};

// Thread safe. The directory is looked at no more than once a second; a miss costs a bisection in
// each pack.
class PackFolder {
public:
    explicit PackFolder(TrustMode trust) : trust_(trust) {}

    // Whether a hit renews the time of use of the pack's file.
    enum class Renew : bool { no, yes };

    // The entry of that request, by that producer if there is one, else by any, that the filter lets
    // pass.
    PackFolderResult find(int root,
                          const Digest& request,
                          const std::optional<Digest>& producer,
                          const PackReader::Filter& is_wanted,
                          Renew renew);

    // A pack was added by this process: the next find() looks at the directory.
    void notice_change();

private:
    struct Pack {
        std::string path;  // relative to the root
        struct stat status {};
        std::shared_ptr<const PackReader> reader;  // nullptr: of no use
        MissReason reason = MissReason::none;      // then: why
        std::string detail;
    };
    using Packs = std::vector<Pack>;

    std::shared_ptr<const Packs> look(int root);
    Packs list(int root, const Packs& known) const;
    Pack open(int root, std::string path) const;
    bool read(int root,
              const Pack& pack,
              const Digest& request,
              const std::optional<Digest>& producer,
              const PackReader::Filter& is_wanted,
              Renew renew,
              PackFolderResult& result);

    const TrustMode trust_;
    ForkMutex mutex_;  // of the rest
    std::shared_ptr<const Packs> packs_;
    std::chrono::steady_clock::time_point looked_at_;
    struct stat directory_ {};  // as it was listed; all zero if there is none
    bool is_settled_ = false;   // a change since then shows in its times
};

}  // namespace kgen::cache
