// SPDX-License-Identifier: MIT
//
// Tells whether this program is built with ThreadSanitizer, which ends a forked child that starts a thread.
#pragma once

#if defined(__SANITIZE_THREAD__)
inline constexpr bool cannot_thread_after_fork = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool cannot_thread_after_fork = true;
#else
inline constexpr bool cannot_thread_after_fork = false;
#endif
#else
inline constexpr bool cannot_thread_after_fork = false;
#endif
