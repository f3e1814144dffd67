// SPDX-License-Identifier: MIT
//
// What of cubins and fatbins is checked before the driver sees them, which tells nothing of a damaged
// one but that it is invalid.
#pragma once

#include <string>
#include <string_view>

namespace kgen {

// The architecture of a cubin: "sm_90". Throws IoError for an ELF file that is of another machine,
// truncated or not linked.
std::string check_cubin(std::string_view bytes);

bool is_fatbin(std::string_view bytes);
// Throws IoError for one that is truncated.
void check_fatbin(std::string_view bytes);

}  // namespace kgen
