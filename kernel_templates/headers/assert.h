// SPDX-License-Identifier: MIT
// kgen's stand-in for <assert.h>: assert() is there without it; NDEBUG takes it away.
#ifdef NDEBUG
#undef assert
#define assert(...) ((void)0)
#endif
