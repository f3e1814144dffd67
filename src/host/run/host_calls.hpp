// SPDX-License-Identifier: MIT
//
// What a compiled host kernel may call back: it gets this table at each call of its entry point, so
// that its shared object depends on no library of kgen. The host skeleton declares the same struct.
#pragma once

namespace kgen {

struct HostCalls {
    // Integer division that has no result. `file`, `line` and `column` are those of the #line
    // directives, the operands as 64-bit patterns of a signed or unsigned type. Does not return.
    void (*division_failed)(const char* file,
                            unsigned line,
                            unsigned column,
                            bool is_signed,
                            unsigned long long left,
                            unsigned long long right);
};

// The entry point of a host kernel: runs iterations [begin, end) of the loop.
using HostEntry = void (*)(const void* parameters,
                           const HostCalls* calls,
                           long long begin,
                           long long end);

}  // namespace kgen
