// SPDX-License-Identifier: MIT
//
// ReadOnlyPlace: a source of entries besides the root, such as a directory that was filled when a program was
// installed. It is never written, locked or cleaned up. An entry of any producer is a hit, because the
// producers on the machines that use the place are not known in advance.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "find_result.hpp"
#include "fork_mutex.hpp"
#include "pack_folder.hpp"
#include "pack_reader.hpp"
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

// PackPlace: one pack as a read-only place. The pack is a file or memory that stays valid, such as a part of
// the program. It is opened on first use.
class PackPlace final : public ReadOnlyPlace {
public:
    // A pack file with an absolute path. `trust` is that of the store. Unless it is TrustMode::any, the
    // directories of the path must be trusted, and the file must belong to this user or root and be writable
    // by no one else.
    PackPlace(std::string path, TrustMode trust);
    // A pack in memory, which must outlive this object. `name` is for messages.
    PackPlace(std::string name, std::span<const std::byte> memory);

    std::string name() const override { return name_; }
    FindResult find(const Digest& request, const Filter& is_wanted) override;
    std::string problem() override;

private:
    const PackReader* open();
    void open_file(TrustMode trust);
    void open_memory();

    const std::string name_;
    const std::optional<TrustMode> trust_;  // empty for memory
    const std::span<const std::byte> memory_;
    ForkMutex mutex_;  // guards the next two
    std::shared_ptr<const PackReader> reader_;
    std::string problem_;
};

// ReadOnlyPlaces: the list of a store's read-only places, in the order in which they are searched. A place is
// a directory or a pack from which entries are read but to which none are written. Thread-safe.
class ReadOnlyPlaces {
public:
    void add(std::unique_ptr<ReadOnlyPlace> place);

    // Returns the entry of the request in the first place that has one. Otherwise returns the problem of the
    // first unusable file for the request. Calls `warn` once for each place that cannot be used.
    FindResult find(const Digest& request, const std::function<void(const std::string&)>& warn);

    // Excludes entries of this request and producer from now on.
    void reject(const Digest& request, const Digest& producer);

    bool is_rejected(const Entry& entry) const;

    // Returns the name of each place and why it cannot be used; the reason is empty for a usable place.
    std::vector<std::pair<std::string, std::string>> problems() const;

private:
    struct Known {
        std::unique_ptr<ReadOnlyPlace> place;
        std::atomic<bool> is_warned_of{false};
    };
    // Places are added at the end and never removed.
    std::vector<Known*> known() const;

    std::atomic<bool> is_empty_{true};
    mutable ForkMutex mutex_;  // guards the next two
    std::vector<std::unique_ptr<Known>> places_;
    std::set<std::pair<Digest, Digest>> rejected_;
};

}  // namespace kgen::cache
