// SPDX-License-Identifier: MIT
// kgen's stand-in for <stddef.h>. size_t and ptrdiff_t need no header.
#pragma once
typedef decltype(nullptr) nullptr_t;
typedef struct kgen_max_align_t {
    alignas(16) long long kgen_first;
    alignas(16) long double kgen_second;
} max_align_t;
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#ifdef __CUDACC_RTC__
#define offsetof(type, member) ((size_t)((char*)&(((type*)0)->member) - (char*)0))
#else
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#endif
