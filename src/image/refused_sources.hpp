// SPDX-License-Identifier: MIT
//
// RefusedSources: remembers the errors of sources that a compiler refused in this process, so that asking
// again costs no compile. Keeps the latest few.
#pragma once

#include <cstddef>
#include <deque>
#include <kgen/error.hpp>
#include <optional>
#include <string>

#include "digest.hpp"
#include "fork_mutex.hpp"

namespace kgen {

// The key of a refusal: the request, the producer, and the kernel's name in the message.
struct RefusalKey {
    cache::Digest request;
    std::string producer_identity;
    std::string kernel;
    friend bool operator==(const RefusalKey&, const RefusalKey&) = default;
};

// Thread-safe.
class RefusedSources {
public:
    explicit RefusedSources(std::size_t capacity) : capacity_(capacity) {}

    void remember(RefusalKey key, const CompileError& error);
    std::optional<CompileError> find(const RefusalKey& key) const;
    std::size_t size() const;

private:
    struct Refusal {
        RefusalKey key;
        CompileError error;
    };
    const std::size_t capacity_;
    mutable cache::ForkMutex mutex_;
    std::deque<Refusal> refusals_;
};

// The refusals of this process.
RefusedSources& process_refusals();

}  // namespace kgen
