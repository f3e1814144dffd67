// SPDX-License-Identifier: MIT
//
// The floating-point environment under which kernels run.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace kgen {

// Gives this thread the default environment (round to nearest, subnormals kept, no traps) for a block of
// code, and restores the previous environment afterwards.
class DefaultFloatEnvironment {
public:
#if defined(__x86_64__)
    DefaultFloatEnvironment() noexcept : saved_(_mm_getcsr()) {
        if ((saved_ & ~flags) != standard) _mm_setcsr(standard);
    }
    ~DefaultFloatEnvironment() {
        if ((saved_ & ~flags) != standard) _mm_setcsr(saved_);
    }
#else
    DefaultFloatEnvironment() noexcept {
        std::fegetenv(&saved_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloatEnvironment() {
        std::fesetenv(&saved_);
    }
#endif
    DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
    DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

private:
#if defined(__x86_64__)
    static constexpr unsigned standard = 0x1f80;  // MXCSR after a reset: traps masked, nearest
    static constexpr unsigned flags = 0x3f;       // exceptions raised so far
    unsigned saved_;
#else
    std::fenv_t saved_;
#endif
};

}  // namespace kgen
