// SPDX-License-Identifier: MIT
//
// sass_text: the machine instructions of a cubin, as the toolkit's nvdisasm prints them.
#pragma once

#include <string>

namespace kgen::cli {

// Throws kgen::Error if there is no nvdisasm or it fails.
std::string sass_text(const std::string& cubin);

}  // namespace kgen::cli
