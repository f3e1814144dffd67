// SPDX-License-Identifier: MIT
//
// What the names of GPU architectures are made of.
#pragma once

#include <string_view>

namespace kgen {

// "sm_90" of "sm_90" and of "sm_90a"; empty where no digit is. What follows is a suffix: code for this
// architecture alone, or for its family.
inline std::string_view without_arch_suffix(std::string_view arch) noexcept {
    return arch.substr(0, arch.find_last_of("0123456789") + 1);
}

}  // namespace kgen
