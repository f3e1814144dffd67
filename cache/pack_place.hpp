// SPDX-License-Identifier: MIT
//
// PackPlace: one pack as a read-only place. The pack is a file or memory that stays valid, such as a part of
// the program.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "fork_mutex.hpp"
#include "pack_reader.hpp"
#include "read_only_place.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

// The pack is opened on first use.
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
    std::unique_ptr<const PackReader> reader_;
    std::string problem_;
};

}  // namespace kgen::cache
