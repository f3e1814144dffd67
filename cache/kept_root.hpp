// SPDX-License-Identifier: MIT
//
// KeptRoot: the root directory of a store. It is opened and checked on first use and kept open. It can be
// opened again if it was removed in the meantime.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "file_descriptor.hpp"
#include "fork_mutex.hpp"
#include "store_root.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

// Thread-safe.
class KeptRoot {
public:
    using Directory = std::shared_ptr<const FileDescriptor>;

    // The settings must outlive this object. Calls settings.warn once if the directory is refused.
    explicit KeptRoot(const StoreSettings& settings) : settings_(settings) {}

    // Returns the open directory, or nullptr if it does not exist, is refused, or cannot be opened now. In
    // the last case, a lack of descriptors or memory, `error` receives the reason.
    Directory open(CreateRoot create, std::string* error = nullptr);

    // Call this if the open directory was removed. The next open() opens and checks it again.
    void close(const Directory& stale);

    // Whether the directory is not trusted or cannot be created. open() then always returns nullptr.
    bool is_refused() const;

private:
    const StoreSettings& settings_;
    mutable ForkMutex mutex_;  // guards the next two
    Directory directory_;
    bool is_refused_ = false;
};

}  // namespace kgen::cache
