// SPDX-License-Identifier: MIT
//
// Line information keeps a machine's folders out: NVRTC (13.0) writes the working directory before
// each relative name that it puts into the code, those of #line directives and of headers in memory
// too, so that equal requests would make different bytes. (-G writes the working directory once more, by
// itself.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// Whether the options ask for names of files in the code (-lineinfo, -G).
bool has_debug_labels(const std::vector<std::string>& options);

// "saxpy.cu" of a source that begins with "#line 1 "saxpy.cu""; empty if it begins otherwise.
std::string first_label(std::string_view source);

// "#line 1 "saxpy.cu"" becomes "#line 1 "/kgen/saxpy.cu""; absolute names stay.
std::string with_absolute_labels(std::string_view source);

// A header in memory, told what its name is.
std::string with_own_label(const std::string& name, const std::string& text);

// What NVRTC says about such texts, as if their labels were the user's.
std::string with_user_labels(std::string log);

}  // namespace kgen
