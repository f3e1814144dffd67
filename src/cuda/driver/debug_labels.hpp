// SPDX-License-Identifier: MIT
//
// Keeps directories of this machine out of line information. NVRTC 13.0 writes the working directory before
// each relative file name that it puts into the code. Equal requests would then give different bytes. This
// includes the labels, which are the file names in #line directives, and the names of headers in memory. kgen
// therefore makes them absolute. With -G, NVRTC also writes the working directory itself; kgen does not
// remove that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// Returns true if an option puts file names into the code (-lineinfo, -G).
bool has_debug_labels(const std::vector<std::string>& options);

// Returns "saxpy.cu" for a source that begins with `#line 1 "saxpy.cu"`; empty for any other first line.
std::string first_label(std::string_view source);

// Replaces `#line 1 "saxpy.cu"` by `#line 1 "/kgen/saxpy.cu"`. Absolute names stay.
std::string with_absolute_labels(std::string_view source);

// Puts a #line directive with the absolute name before the text of a header in memory.
std::string with_own_label(const std::string& name, const std::string& text);

// Removes the added "/kgen/" from NVRTC's log, so that messages show the user's file names.
std::string with_user_labels(std::string log);

}  // namespace kgen
