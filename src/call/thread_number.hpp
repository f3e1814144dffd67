// SPDX-License-Identifier: MIT
//
// Numbers for threads, small and used again, so that what each thread keeps can lie in a plain list.
#pragma once

namespace kgen {

// Which 0-based number this thread has among those that live; a number goes to a new thread when its
// thread has ended, and all that the old one did with it happened before. -1 for a thread whose
// thread_local objects are gone already (static destructors run then).
int this_thread_number() noexcept;

namespace detail {

inline constexpr int thread_without_number = -1;
inline constexpr int thread_that_ends = -2;
extern constinit thread_local int thread_number;
int assign_thread_number() noexcept;

}  // namespace detail

inline int this_thread_number() noexcept {
    const int number = detail::thread_number;
    return number >= 0 ? number : detail::assign_thread_number();
}

}  // namespace kgen
