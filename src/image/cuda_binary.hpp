// SPDX-License-Identifier: MIT
//
// Checks cubins and fatbins before the driver gets them, because the driver only says that a damaged one is
// invalid.
#pragma once

#include <string>
#include <string_view>

namespace kgen {

// Returns the architecture of a cubin: "sm_90". Throws IoError if the ELF file is for another machine,
// truncated or not linked.
std::string check_cubin(std::string_view bytes);

bool is_fatbin(std::string_view bytes);
// Throws IoError if the fatbin is truncated.
void check_fatbin(std::string_view bytes);

}  // namespace kgen
