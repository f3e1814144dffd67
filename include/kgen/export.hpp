// SPDX-License-Identifier: MIT
//
// KGEN_EXPORT marks the symbols that a shared libkgen exports; all others are hidden. The CMake target
// kgen::kgen defines KGEN_SHARED if the library is shared.
#pragma once

#ifdef KGEN_SHARED
#define KGEN_EXPORT __attribute__((visibility("default")))
#else
#define KGEN_EXPORT
#endif
