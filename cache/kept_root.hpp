// SPDX-License-Identifier: MIT
//
// KeptRoot: the root directory of a store, opened and checked when it is first needed and kept open;
// opened anew if somebody removed it meanwhile.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "file_descriptor.hpp"
#include "fork_mutex.hpp"
#include "store_root.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

// Thread safe.
class KeptRoot {
public:
    using Directory = std::shared_ptr<const FileDescriptor>;

    // The settings outlive it; they are told if the directory is not to be trusted, once.
    explicit KeptRoot(const StoreSettings& settings) : settings_(settings) {}

    // The open directory, or nullptr: not there, or not to be used (`error` says why, for this call).
    Directory open(CreateRoot create, std::string* error = nullptr);

    // Somebody removed the directory that is open: the next open() makes and checks it again.
    void close(const Directory& stale);

    // It is not to be trusted, or cannot be made: there is no more to come from it.
    bool is_refused() const;

private:
    const StoreSettings& settings_;
    mutable ForkMutex mutex_;  // of the next two
    Directory directory_;
    bool is_refused_ = false;
};

}  // namespace kgen::cache
