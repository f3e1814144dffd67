// SPDX-License-Identifier: MIT
//
// Functions on the names of GPU architectures ("sm_90", "sm_90a").
#pragma once

#include <string_view>

namespace kgen {

// Returns "sm_90" for "sm_90" and for "sm_90a"; empty if the name has no digit. The suffix after the digits
// marks code that runs only on this architecture, or only on its family.
inline std::string_view without_arch_suffix(std::string_view arch) noexcept {
    return arch.substr(0, arch.find_last_of("0123456789") + 1);
}

}  // namespace kgen
