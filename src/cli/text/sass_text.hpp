// SPDX-License-Identifier: MIT
//
// sass_text: a cubin as the machine instructions that the toolkit's nvdisasm shows.
#pragma once

#include <string>

namespace kgen::cli {

// Throws kgen::Error if there is no nvdisasm or it fails.
std::string sass_text(const std::string& cubin);

}  // namespace kgen::cli
