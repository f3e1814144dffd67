// SPDX-License-Identifier: MIT
//
// Gives the test program its own disk cache before the first use of kgen, unless KGEN_CACHE_DIR
// is set, and removes it at the end.
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "support/temp_dir.hpp"

namespace {

class PrivateCache {
public:
    PrivateCache() : maker_(::getpid()) {
        if (std::getenv("KGEN_CACHE_DIR") == nullptr)
            ::setenv("KGEN_CACHE_DIR", directory_->path().c_str(), 1);
    }
    ~PrivateCache() {
        // A forked child that calls exit() must not remove its parent's directory.
        if (::getpid() != maker_) static_cast<void>(directory_.release());
    }

private:
    std::unique_ptr<TempDir> directory_ = std::make_unique<TempDir>();
    ::pid_t maker_;
};

const PrivateCache private_cache;

}  // namespace
