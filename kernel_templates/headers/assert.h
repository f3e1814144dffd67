// SPDX-License-Identifier: MIT
// kgen's stand-in for <assert.h>. assert() needs no header. NDEBUG turns it off.
#ifdef NDEBUG
#undef assert
#define assert(...) ((void)0)
#endif
