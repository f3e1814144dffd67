// SPDX-License-Identifier: MIT
//
// ReadOnlyPlaces: the places of a store that are never written, in the order in which they are asked.
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

// Thread safe.
class ReadOnlyPlaces {
public:
    void add(std::unique_ptr<ReadOnlyPlace> place);

    // The entry of the request in the first place that has one; else why the first that has a file
    // for it does not serve. `warn` is told once of each place that cannot be used.
    FindResult find(const Digest& request, const std::function<void(const std::string&)>& warn);

    // Entries of that request and producer are not given any more.
    void reject(const Digest& request, const Digest& producer);

    bool is_rejected(const Entry& entry) const;

    // Each place and what keeps it from being used; empty if nothing does.
    std::vector<std::pair<std::string, std::string>> problems() const;

private:
    struct Known {
        std::unique_ptr<ReadOnlyPlace> place;
        std::atomic<bool> is_warned_of{false};
    };
    // Places are added at the end and never removed.
    std::vector<Known*> known() const;

    std::atomic<bool> is_empty_{true};
    mutable ForkMutex mutex_;  // of the next two
    std::vector<std::unique_ptr<Known>> places_;
    std::set<std::pair<Digest, Digest>> rejected_;
};

}  // namespace kgen::cache
