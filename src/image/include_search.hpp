// SPDX-License-Identifier: MIT
//
// IncludeSearch: finds the file that an #include means, in one order for every compiler: the user's headers
// in memory; for "x", the directory of the including file; the user's include directories, then those of -I;
// kgen's stand-ins; the toolkit's directories. For "x" in a header in memory or in the toolkit, the
// neighbours come first.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "image/included_files.hpp"
#include "text/include_scan.hpp"

namespace kgen {

// HeaderText: what kgen knows of a file that is included. Files on disk are read and scanned once per
// process.
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

// The include options among the user's options, in NVRTC's spellings.
struct IncludeOptions {
    std::vector<std::string> directories;  // -I, --include-path
    std::vector<std::string> included;     // -include, --pre-include
    bool probes = false;                   // a -D names __has_include
};
IncludeOptions read_include_options(const std::vector<std::string>& options);

struct FoundHeader {
    HeaderOrigin origin = HeaderOrigin::memory;
    std::string name;                          // of a header in memory
    std::string path;                          // of a file on disk
    std::shared_ptr<const HeaderText> header;  // nullptr: does not exist
};

class IncludeSearch {
public:
    // `toolkit_directories` are searched last. The request must outlive this object.
    IncludeSearch(const IncludeRequest& request, std::vector<std::string> toolkit_directories);

    // Returns the header that a use of known form means, or nullptr. The result lives as long as this object.
    // `includer` is nullptr for the texts that are compiled, which lie in no directory.
    const FoundHeader* find(const IncludeUse& use, const FoundHeader* includer);

    // The user's include directories, then those of -I.
    const std::vector<std::string>& user_directories() const noexcept { return user_directories_; }
    const std::vector<std::string>& toolkit_directories() const noexcept {
        return toolkit_directories_;
    }

private:
    const FoundHeader* find_in_memory(const std::string& name);
    const FoundHeader* find_beside(const std::string& name, const FoundHeader& includer);
    const FoundHeader* find_everywhere(const std::string& name);
    const FoundHeader* search_everywhere(const std::string& name);
    const FoundHeader* find_file(const std::string& path, HeaderOrigin origin);

    const IncludeRequest& request_;
    std::vector<std::string> user_directories_;
    std::vector<std::string> toolkit_directories_;
    std::vector<FoundHeader> in_memory_;  // in the order of the request
    // Keyed by path. Also has paths that do not exist.
    std::unordered_map<std::string, FoundHeader> files_;
    std::unordered_map<std::string, FoundHeader> stand_ins_;     // keyed by name
    std::unordered_map<std::string, const FoundHeader*> known_;  // results of find_everywhere()
};

}  // namespace kgen
