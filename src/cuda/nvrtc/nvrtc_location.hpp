// SPDX-License-Identifier: MIT
//
// Finds NVRTC's files without opening NVRTC. A process whose kernels are all in the cache needs only the
// identity of NVRTC. Reading it takes tens of microseconds; opening the 109 MB library takes 4.4 ms.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgen {

// The places to search. If `file` is set, only `file` is searched. Otherwise these, in order:
//   1. libnvrtc.so.13 in library_path, /etc/ld.so.cache and system_folders, as the dynamic loader would
//   2. libnvrtc.so.12 in the same places
//   3. the folders of the toolkits
// /etc/ld.so.cache is parsed because it gives the loader's answer; asking the loader itself would open the
// library. Python wheels are not searched.
struct NvrtcSearch {
    std::string file;                       // KGEN_NVRTC_PATH: a file or its folder
    std::vector<std::string> library_path;  // LD_LIBRARY_PATH
    bool use_loader_cache = true;
    std::vector<std::string> system_folders;
    std::vector<std::string> toolkits;  // CUDA_PATH, CUDA_HOME, /usr/local/cuda, /usr/local/cuda-*

    static NvrtcSearch from_environment();
};

struct NvrtcLocation {
    std::string path;           // file of libnvrtc
    std::string build_id;       // empty if the file has none
    std::string builtins_path;  // file of libnvrtc-builtins; empty if not found
    std::string builtins_build_id;
    std::string version;  // from the files' names: "13.0", "13.0.88", or only "13"

    // Returns both build-ids. Equal identities give equal code. Empty if one of the two files has no
    // build-id.
    std::string identity() const {
        if (build_id.empty() || builtins_build_id.empty()) return {};
        return build_id + "+" + builtins_build_id;
    }
};

// Returns the library folders of the toolkits; for a pattern, the newest matching toolkit comes first.
std::vector<std::string> toolkit_library_folders(const NvrtcSearch& search);
// Returns the same folders for messages, with the patterns not expanded.
std::vector<std::string> toolkit_folder_patterns(const NvrtcSearch& search);

// Returns the first usable NVRTC, or nothing.
std::optional<NvrtcLocation> locate_nvrtc(const NvrtcSearch& search);

// Returns the message "no NVRTC: looked for ... in ...; install ...".
std::string nvrtc_absence(const NvrtcSearch& search);

// Finds the file of nvJitLink, the library that links several sources to one module, without opening it.
struct NvJitLinkLocation {
    std::string path;
    std::string build_id;  // empty if the file has none
};

// Finds libnvJitLink.so of NVRTC's major version. Searches NVRTC's folder first, then the folders that are
// searched for NVRTC.
std::optional<NvJitLinkLocation> locate_nvjitlink(const NvrtcLocation& nvrtc,
                                                  const NvrtcSearch& search);

// Returns the message "no nvJitLink, which ...: looked for ... in ...; install ...".
std::string nvjitlink_absence(const NvrtcLocation& nvrtc, const NvrtcSearch& search);

}  // namespace kgen
