// SPDX-License-Identifier: MIT
//
// HostCalls: the functions of kgen that a compiled host kernel may call. Each call of the kernel's entry
// point passes this table, so the shared object need not be linked against kgen. The generated source
// declares the same struct (kernel_templates/skeletons/division_host.cuh).
#pragma once

namespace kgen {

struct HostCalls {
    // Reports an integer division that has no result. Does not return. `file`, `line` and `column` come from
    // the #line directives. The operands are 64-bit patterns of a signed or unsigned type.
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
