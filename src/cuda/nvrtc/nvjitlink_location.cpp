// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvjitlink_location.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "cuda/driver/loader_cache.hpp"
#include "files/elf_identity.hpp"

namespace kgen {

namespace {

// If the name of NVRTC's file contains no version, the newest one is assumed.
std::string major_version(const NvrtcLocation& nvrtc) {
    const std::string major = nvrtc.version.substr(0, nvrtc.version.find('.'));
    return major.empty() ? "13" : major;
}

std::string soname(const NvrtcLocation& nvrtc) {
    return "libnvJitLink.so." + major_version(nvrtc);
}

// Returns NVRTC's folder, and the folder of the file after resolving symbolic links if it differs.
std::vector<std::string> folders_of(const NvrtcLocation& nvrtc) {
    const std::filesystem::path path = nvrtc.path;
    std::vector<std::string> folders = {path.has_parent_path() ? path.parent_path().string() : "."};
    std::error_code failed;
    const std::string real = std::filesystem::canonical(path, failed).parent_path();
    if (!failed && real != folders[0]) folders.push_back(real);
    return folders;
}

std::optional<NvJitLinkLocation> take_file(const std::string& path) {
    ElfIdentity identity = read_elf_identity(path);
    if (!identity.is_loadable) return std::nullopt;
    return NvJitLinkLocation{path, std::move(identity.build_id)};
}

}  // namespace

std::optional<NvJitLinkLocation> locate_nvjitlink(const NvrtcLocation& nvrtc,
                                                  const NvrtcSearch& search) {
    const std::string name = soname(nvrtc);
    std::vector<std::string> paths;
    const auto add = [&](const std::vector<std::string>& folders) {
        for (const std::string& folder : folders)
            paths.push_back(fmt::format("{}/{}", folder, name));
    };
    add(folders_of(nvrtc));
    add(search.library_path);
    if (search.use_loader_cache) {
        for (std::string& path : find_in_loader_cache(read_loader_cache(), name))
            paths.push_back(std::move(path));
    }
    add(search.system_folders);
    add(toolkit_library_folders(search));
    for (const std::string& path : paths) {
        if (auto found = take_file(path)) return found;
    }
    return std::nullopt;
}

std::string nvjitlink_absence(const NvrtcLocation& nvrtc, const NvrtcSearch& search) {
    std::vector<std::string> places = folders_of(nvrtc);
    places.insert(places.end(), search.library_path.begin(), search.library_path.end());
    if (search.use_loader_cache) places.emplace_back("/etc/ld.so.cache");
    places.insert(places.end(), search.system_folders.begin(), search.system_folders.end());
    for (std::string& folder : toolkit_folder_patterns(search)) places.push_back(std::move(folder));
    return fmt::format(
        "no nvJitLink, which links the sources of a module: looked for {} in {}; install the one "
        "of NVRTC's toolkit (package libnvjitlink-{}-* of NVIDIA's repository)",
        soname(nvrtc),
        fmt::join(places, ", "),
        major_version(nvrtc));
}

}  // namespace kgen
