// SPDX-License-Identifier: MIT
#include "kept_root.hpp"

#include <utility>

namespace kgen::cache {

KeptRoot::Directory KeptRoot::open(CreateRoot create, std::string* error) {
    std::string refusal;
    {
        const std::lock_guard lock(mutex_);
        if (directory_ != nullptr || is_refused_) return directory_;
        RootResult result = open_root(settings_.root, settings_.trust, create);
        if (result.directory.is_open()) {
            directory_ = std::make_shared<const FileDescriptor>(std::move(result.directory));
            return directory_;
        }
        if (result.absent) return nullptr;
        if (result.transient) {
            if (error != nullptr) *error = result.problem;
            return nullptr;
        }
        is_refused_ = true;
        refusal = std::move(result.problem);
    }
    tell(settings_.warn, "cache: off: " + refusal);
    return nullptr;
}

void KeptRoot::close(const Directory& stale) {
    const std::lock_guard lock(mutex_);
    if (directory_ == stale) directory_ = nullptr;
}

bool KeptRoot::is_refused() const {
    const std::lock_guard lock(mutex_);
    return is_refused_;
}

}  // namespace kgen::cache
