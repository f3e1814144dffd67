// SPDX-License-Identifier: MIT
//
// ReadOnlyPlace: a source of entries besides the root, such as a directory that was filled when a program was
// installed. It is never written, locked or cleaned up. An entry of any producer is a hit, because the
// producers on the machines that use the place are not known in advance.
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
    // Returns whether an entry may be used. False if it was rejected before.
    using Filter = std::function<bool(const Entry&)>;

    virtual ~ReadOnlyPlace() = default;

    // Name for messages, such as the path of a directory.
    virtual std::string name() const = 0;

    // Returns the first entry of the request that the filter accepts. All its bytes are verified by this
    // call. Thread-safe. Throws nothing but std::bad_alloc.
    virtual FindResult find(const Digest& request, const Filter& is_wanted) = 0;

    // Returns why the place cannot be used, or an empty string. May open the place.
    virtual std::string problem() { return {}; }
};

// A directory with the layout of a store's root, including packs. Its path must be trusted like that of a
// root. An entry is trusted if it belongs to this user or root and no one else may write it. Opened on first
// use.
class ReadOnlyDirectory final : public ReadOnlyPlace {
public:
    // `trust` is that of the store. TrustMode::any omits the checks of owner and mode here too.
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
    ForkMutex mutex_;  // guards the next two
    std::shared_ptr<const FileDescriptor> directory_;
    std::string problem_;
};

// Returns the place for a path of KGEN_CACHE_RO_DIRS: a directory, or a pack file ("*.kgp").
std::unique_ptr<ReadOnlyPlace> make_read_only_place(const std::string& path, TrustMode trust);

}  // namespace kgen::cache
