// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/toolkit_headers.hpp"

#include <algorithm>
#include <filesystem>

namespace kgen {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

// Adds the folders that may contain the headers of a library in `folder`.
void add_neighbours(const fs::path& folder, std::vector<fs::path>& places) {
    const fs::path above = folder.parent_path();
    for (const fs::path& place : {
             above / "include",                                 // a toolkit; a wheel of CUDA 13
             above.parent_path() / "include",                   // Debian: lib/x86_64-linux-gnu
             above.parent_path() / "cuda_runtime" / "include",  // wheels of CUDA 12
             above.parent_path() / "cuda_cccl" / "include",
         }) {
        places.push_back(place);
    }
}

}  // namespace

std::vector<std::string> find_toolkit_headers(const std::optional<NvrtcLocation>& location,
                                              const NvrtcSearch& search) {
    std::vector<fs::path> places;
    if (location) {
        const fs::path path = location->path;
        add_neighbours(path.parent_path(), places);
        std::error_code failed;
        const fs::path real = fs::canonical(path, failed);
        if (!failed) add_neighbours(real.parent_path(), places);
    }
    for (const std::string& folder : toolkit_library_folders(search))
        add_neighbours(folder, places);
    std::vector<std::string> found;
    const auto add = [&](const fs::path& place) {
        std::string directory = place.lexically_normal().string();
        if (std::find(found.begin(), found.end(), directory) == found.end())
            found.push_back(std::move(directory));
    };
    const auto has_runtime = [](const fs::path& place) { return is_file(place / "cuda_fp16.h"); };
    const auto runtime = std::find_if(places.begin(), places.end(), has_runtime);
    if (runtime != places.end()) add(*runtime);
    for (const fs::path& place : places) {
        // In CUDA 13, CCCL has its own folder.
        const auto cccl = {place / "cccl", place};
        const auto has_cccl = [](const fs::path& folder) {
            return is_file(folder / "cuda/std/version");
        };
        const auto at = std::find_if(cccl.begin(), cccl.end(), has_cccl);
        if (at == cccl.end()) continue;
        add(*at);
        break;
    }
    return found;
}

}  // namespace kgen
