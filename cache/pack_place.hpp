// SPDX-License-Identifier: MIT
//
// PackPlace: one pack as a read-only place: a file anywhere, or memory that stays, such as a part of
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

// Opened on first use.
class PackPlace final : public ReadOnlyPlace {
public:
    // The file of that absolute path. `trust` is the store's: under TrustMode::any nothing is checked
    // here either, else the directories on the way must be trustworthy, and the file must belong to
    // this user or root and be writable by no one else.
    PackPlace(std::string path, TrustMode trust);
    // `name` names it in messages.
    PackPlace(std::string name, std::span<const std::byte> memory);

    std::string name() const override { return name_; }
    FindResult find(const Digest& request, const Filter& is_wanted) override;
    std::string problem() override;

private:
    const PackReader* open();
    void open_file(TrustMode trust);
    void open_memory();

    const std::string name_;
    const std::optional<TrustMode> trust_;  // of a file
    const std::span<const std::byte> memory_;
    ForkMutex mutex_;  // of the next two
    std::unique_ptr<const PackReader> reader_;
    std::string problem_;
};

}  // namespace kgen::cache
