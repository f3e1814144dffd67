// SPDX-License-Identifier: MIT
// kgen's stand-in for <stdlib.h>. abs, malloc and free need no header.
#pragma once
#ifndef NULL
#define NULL 0
#endif
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
struct div_t {
    int quot, rem;
};
struct ldiv_t {
    long quot, rem;
};
struct lldiv_t {
    long long quot, rem;
};
__host__ __device__ constexpr div_t div(int x, int y) { return {x / y, x % y}; }
__host__ __device__ constexpr ldiv_t ldiv(long x, long y) { return {x / y, x % y}; }
__host__ __device__ constexpr lldiv_t lldiv(long long x, long long y) { return {x / y, x % y}; }
[[noreturn]] __device__ inline void abort() {
    __trap();
#ifdef __CUDACC_RTC__
    while (true) {
    }
#endif
}
