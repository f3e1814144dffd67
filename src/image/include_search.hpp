// SPDX-License-Identifier: MIT
//
// IncludeSearch: which file an #include means, in the one order that holds for every compiler: the
// user's headers in memory; for "x" the directory of the including file; the user's include
// directories and those of -I; kgen's stand-ins; the toolkit's directories.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "image/header_file.hpp"
#include "image/included_files.hpp"
#include "text/include_scan.hpp"

namespace kgen {

// What the user's options say about includes, in the spellings of NVRTC.
struct IncludeOptions {
    std::vector<std::string> directories;  // -I, --include-path
    std::vector<std::string> included;     // -include, --pre-include
    bool probes = false;                   // a -D that names __has_include
};
IncludeOptions read_include_options(const std::vector<std::string>& options);

struct FoundHeader {
    HeaderOrigin origin = HeaderOrigin::memory;
    std::string name;                          // in memory: the header's own
    std::string path;                          // on disk
    std::shared_ptr<const HeaderText> header;  // nullptr: there is none
};

class IncludeSearch {
public:
    // `toolkit_directories` are searched last. The request must outlive the search.
    IncludeSearch(const IncludeRequest& request, std::vector<std::string> toolkit_directories);

    // What a use of known form means, or nullptr; lives as long as the search. `includer` is nullptr
    // for the texts that are compiled: they lie in no directory.
    const FoundHeader* find(const IncludeUse& use, const FoundHeader* includer);

    // The user's, then those of -I.
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
    std::vector<FoundHeader> in_memory_;                  // of the request, in its order
    std::unordered_map<std::string, FoundHeader> files_;  // by path, also those that are not there
    std::unordered_map<std::string, FoundHeader> stand_ins_;     // by name
    std::unordered_map<std::string, const FoundHeader*> known_;  // what find_everywhere() found
};

}  // namespace kgen
