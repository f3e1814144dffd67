// SPDX-License-Identifier: MIT
//
// Finds NVRTC's files without opening them as libraries: on the warm path of every process only the
// identity is needed (tens of microseconds), not the 109 MB library (4.4 ms).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgen {

// Where to look, in this order: `file`; libnvrtc.so.13, then libnvrtc.so.12, each as the loader
// would (library_path, /etc/ld.so.cache, the system's folders); then the toolkits' folders.
// /etc/ld.so.cache is parsed, since it is the loader's own answer and asking the loader means
// opening the library. Python's wheels are not searched.
struct NvrtcSearch {
    std::string file;                       // KGEN_NVRTC_PATH: alone if given; a file or its folder
    std::vector<std::string> library_path;  // LD_LIBRARY_PATH
    bool use_loader_cache = true;
    std::vector<std::string> system_folders;
    std::vector<std::string> toolkits;  // CUDA_PATH, CUDA_HOME, /usr/local/cuda, /usr/local/cuda-*

    static NvrtcSearch from_environment();
};

struct NvrtcLocation {
    std::string path;           // of libnvrtc
    std::string build_id;       // empty: none
    std::string builtins_path;  // of libnvrtc-builtins; empty: not found
    std::string builtins_build_id;
    std::string version;  // as the files' names tell it: "13.0", "13.0.88", or only "13"

    // Equal identities compile alike; empty if one of the two files cannot be identified.
    std::string identity() const {
        if (build_id.empty() || builtins_build_id.empty()) return {};
        return build_id + "+" + builtins_build_id;
    }
};

// The folders of libraries that the toolkits have, the newest toolkit of a pattern first.
std::vector<std::string> toolkit_library_folders(const NvrtcSearch& search);
// Likewise, with patterns as they are: for messages.
std::vector<std::string> toolkit_folder_patterns(const NvrtcSearch& search);

// The first usable one, or nothing.
std::optional<NvrtcLocation> locate_nvrtc(const NvrtcSearch& search);

// "no NVRTC: looked for ... in ...; install ..."
std::string nvrtc_absence(const NvrtcSearch& search);

}  // namespace kgen
