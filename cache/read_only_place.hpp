// SPDX-License-Identifier: MIT
//
// ReadOnlyPlace: where entries come from beside the root, such as a directory that was filled when a
// program was installed. Never written, locked or tidied. There is no saying who compiles where it is
// used, so an entry of any producer serves.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "find_result.hpp"
#include "fork_mutex.hpp"
#include "pack_folder.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

class ReadOnlyPlace {
public:
    // Whether an entry may be given: not if it was rejected before.
    using Filter = std::function<bool(const Entry&)>;

    virtual ~ReadOnlyPlace() = default;

    // Names the place in messages: the path of a directory.
    virtual std::string name() const = 0;

    // The first entry of the request, whole and verified in this call, that the filter lets pass.
    // Thread safe; may throw std::bad_alloc alone.
    virtual FindResult find(const Digest& request, const Filter& is_wanted) = 0;

    // What keeps the place from being used; empty if nothing does. May have to look.
    virtual std::string problem() { return {}; }
};

// A directory of the layout of a store's root, packs included. Its path is trusted as a root's is, and an entry if it
// belongs to this user or root and no one else may write it. Opened on first use.
class ReadOnlyDirectory final : public ReadOnlyPlace {
public:
    // `trust` is the store's: under TrustMode::any nothing is checked here either.
    ReadOnlyDirectory(std::string path, TrustMode trust);

    std::string name() const override { return path_; }
    FindResult find(const Digest& request, const Filter& is_wanted) override;
    std::string problem() override;

private:
    std::shared_ptr<const FileDescriptor> open();
    FindResult find_in_packs(int directory, const Digest& request, const Filter& is_wanted);

    const std::string path_;
    const TrustMode trust_;
    PackFolder packs_;
    ForkMutex mutex_;  // of the next two
    std::shared_ptr<const FileDescriptor> directory_;
    std::string problem_;
};

// The place that KGEN_CACHE_RO_DIRS names: a directory, or the file of a pack ("*.kgp").
std::unique_ptr<ReadOnlyPlace> make_read_only_place(const std::string& path, TrustMode trust);

}  // namespace kgen::cache
