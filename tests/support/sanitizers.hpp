// SPDX-License-Identifier: MIT
//
// Tells which sanitizers this program is built with. g++ defines a macro for each, clang answers __has_feature.
#pragma once

#if defined(__has_feature)
#define KGEN_HAS_FEATURE(name) __has_feature(name)
#else
#define KGEN_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_THREAD__) || KGEN_HAS_FEATURE(thread_sanitizer)
#define KGEN_THREAD_SANITIZER 1
#else
#define KGEN_THREAD_SANITIZER 0
#endif

// Whether a sanitizer's own allocator and locks are in use.
#if defined(__SANITIZE_ADDRESS__) || KGEN_HAS_FEATURE(address_sanitizer) || KGEN_THREAD_SANITIZER
#define KGEN_SANITIZED 1
#else
#define KGEN_SANITIZED 0
#endif

inline constexpr bool is_sanitized = KGEN_SANITIZED != 0;
// ThreadSanitizer ends a forked child that starts a thread.
inline constexpr bool cannot_thread_after_fork = KGEN_THREAD_SANITIZER != 0;
