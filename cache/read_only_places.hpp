// SPDX-License-Identifier: MIT
//
// ReadOnlyPlaces: the list of a store's read-only places, in the order in which they are searched. A place is
// a directory or a pack from which entries are read but to which none are written.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fork_mutex.hpp"
#include "read_only_place.hpp"

namespace kgen::cache {

// Thread-safe.
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
