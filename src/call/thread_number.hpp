// SPDX-License-Identifier: MIT
//
// Small numbers for threads, reused after a thread ends, so that per-thread data can be kept in an array.
#pragma once

namespace kgen {

// Returns the 0-based number of this thread, which no other living thread has. After the thread ends, a new
// thread may get the number. Everything that the old thread did happens before that. Returns -1 if memory is
// short, or if the thread's thread_local objects are already destroyed (static destructors run then).
int this_thread_number() noexcept;

namespace detail {

inline constexpr int thread_without_number = -1;  // the thread has not asked for a number yet
inline constexpr int thread_that_ends = -2;       // the thread has given its number back
extern constinit thread_local int thread_number;
int assign_thread_number() noexcept;

}  // namespace detail

inline int this_thread_number() noexcept {
    const int number = detail::thread_number;
    return number >= 0 ? number : detail::assign_thread_number();
}

}  // namespace kgen
