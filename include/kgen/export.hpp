// SPDX-License-Identifier: MIT
//
// KGEN_EXPORT marks what a shared libkgen shows; all else is hidden. The target kgen::kgen defines
// KGEN_SHARED where the library is shared.
#pragma once

#ifdef KGEN_SHARED
#define KGEN_EXPORT __attribute__((visibility("default")))
#else
#define KGEN_EXPORT
#endif
