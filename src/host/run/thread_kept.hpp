// SPDX-License-Identifier: MIT
//
// thread_kept<T>(): a T for each thread, destroyed when the thread ends. Code that runs on the thread even
// later, such as static destructors on the main thread, gets a new T that is never destroyed.
#pragma once

#include <utility>

namespace kgen {

template <typename T>
T& thread_kept() {
    static constinit thread_local T* kept = nullptr;
    struct Owner {
        ~Owner() { delete std::exchange(kept, nullptr); }
    };
    if (kept == nullptr) {
        kept = new T;
        static thread_local Owner owner;
        static_cast<void>(owner);
    }
    return *kept;
}

}  // namespace kgen
