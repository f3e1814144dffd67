// SPDX-License-Identifier: MIT
//
// HeaderText: what kgen knows of a file that is included; files on disk are read and scanned once in
// a process.
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
    std::string digest;          // of the text
    bool mentions_time = false;  // __DATE__ or the like; not looked for in a toolkit's
    // Of a file: two paths with the same numbers are one file.
    dev_t device = 0;
    ino_t inode = 0;
};

// A toolkit stays as it is while a process lives, like the compiler that belongs to it; files of the
// user's are looked at each time.
enum class FileTrust : std::uint8_t { changing, unchanging };

std::shared_ptr<const HeaderText> scan_header(std::string text, FileTrust trust);

// The file as it is now, or nullptr if there is no regular file that can be read: a pipe would wait
// for somebody to write. Read again only if its size, time of change, or inode differs. Thread safe.
std::shared_ptr<const HeaderText> read_header(const std::string& path, FileTrust trust);

}  // namespace kgen
