// SPDX-License-Identifier: MIT
// kgen's stand-in for <string.h>. memcpy and memset need no header.
#pragma once
#ifndef NULL
#define NULL 0
#endif
#ifdef KGEN_ON_HOST
extern "C" {
void* memmove(void*, const void*, size_t);
int memcmp(const void*, const void*, size_t);
size_t strlen(const char*);
int strcmp(const char*, const char*);
int strncmp(const char*, const char*, size_t);
char* strcpy(char*, const char*);
char* strncpy(char*, const char*, size_t);
}
#else
__device__ inline void* memmove(void* to, const void* from, size_t count) {
    char* target = (char*)to;
    const char* source = (const char*)from;
    if (target < source) {
        for (size_t k = 0; k < count; ++k) target[k] = source[k];
    } else {
        for (size_t k = count; k-- > 0;) target[k] = source[k];
    }
    return to;
}
__device__ inline int memcmp(const void* a, const void* b, size_t count) {
    const unsigned char *x = (const unsigned char*)a, *y = (const unsigned char*)b;
    for (size_t k = 0; k < count; ++k) {
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    }
    return 0;
}
__device__ inline size_t strlen(const char* text) {
    size_t length = 0;
    while (text[length] != 0) ++length;
    return length;
}
__device__ inline int strncmp(const char* a, const char* b, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        unsigned char x = (unsigned char)a[k], y = (unsigned char)b[k];
        if (x != y) return x < y ? -1 : 1;
        if (x == 0) break;
    }
    return 0;
}
__device__ inline int strcmp(const char* a, const char* b) { return strncmp(a, b, ~(size_t)0); }
__device__ inline char* strncpy(char* to, const char* from, size_t count) {
    size_t k = 0;
    for (; k < count && from[k] != 0; ++k) to[k] = from[k];
    for (; k < count; ++k) to[k] = 0;
    return to;
}
__device__ inline char* strcpy(char* to, const char* from) {
    size_t k = 0;
    do to[k] = from[k];
    while (from[k++] != 0);
    return to;
}
#endif
