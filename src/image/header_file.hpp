// SPDX-License-Identifier: MIT
//
// HeaderText: what kgen knows of a file that is included. Files on disk are read and scanned once per
// process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/include_scan.hpp"

namespace kgen {

struct HeaderText {
    std::string text;
    std::vector<IncludeUse> includes;
    std::string digest;  // digest of the text
    // Whether the text names __DATE__ or the like. Not searched in headers of a toolkit.
    bool mentions_time = false;
    // Device and inode of a file: two paths with the same numbers are one file.
    dev_t device = 0;
    ino_t inode = 0;
};

// Whether a file may change while the process runs. Headers of a toolkit do not, like its compiler. The
// user's files are checked at each use.
enum class FileTrust : std::uint8_t { changing, unchanging };

std::shared_ptr<const HeaderText> scan_header(std::string text, FileTrust trust);

// Returns the current contents of the file, or nullptr if it is not a regular file that can be read (a pipe
// would block). A file is read again only if its size, time of change or inode differs. Thread-safe.
std::shared_ptr<const HeaderText> read_header(const std::string& path, FileTrust trust);

}  // namespace kgen
