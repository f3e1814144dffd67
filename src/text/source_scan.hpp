// SPDX-License-Identifier: MIT
//
// What a source depends on beside its own bytes. Errs on the safe side: a "yes" costs a compile, a
// wrong "no" would serve stale code from the cache.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgen {

bool contains(std::string_view text, std::string_view word) noexcept;

// Whether compiling reads other files: #include and its kin in any spelling (digraphs, comments and
// line continuations inside the directive), __has_include, or an option that includes a file.
bool reads_files(std::string_view source, const std::vector<std::string>& options);

// Whether the text or an option names __DATE__, __TIME__ or __TIMESTAMP__.
bool depends_on_time(std::string_view source, const std::vector<std::string>& options);

}  // namespace kgen
