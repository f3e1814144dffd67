// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvrtc_location.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cuda/driver/loader_cache.hpp"
#include "files/elf_identity.hpp"
#include "text/environment.hpp"

namespace kgen {

namespace {

constexpr std::array<std::string_view, 2> sonames = {"libnvrtc.so.13", "libnvrtc.so.12"};
constexpr std::string_view soname_prefix = "libnvrtc.so.";
constexpr int newest_minor = 9;

#if defined(__aarch64__)
constexpr std::array<const char*, 3> library_folders = {
    "lib64", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"};
#else
constexpr std::array<const char*, 2> library_folders = {"lib64", "targets/x86_64-linux/lib"};
#endif

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

void add_library_folders(const std::string& toolkit, std::vector<std::string>& folders) {
    for (const char* folder : library_folders)
        folders.push_back(fmt::format("{}/{}", toolkit, folder));
}

bool is_folder(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

// Resolves symbolic links, because the real name has a longer version: libnvrtc.so.13 -> libnvrtc.so.13.0.88.
std::string real_path(const std::string& path) {
    std::error_code failed;
    const std::filesystem::path resolved = std::filesystem::canonical(path, failed);
    return failed ? path : resolved.string();
}

// Returns the version after "libnvrtc.so." in the name, such as "13" or "13.0.88"; empty if there is none.
std::string version_in(std::string_view file_name) {
    if (file_name.substr(0, soname_prefix.size()) != soname_prefix) return {};
    const std::string_view version = file_name.substr(soname_prefix.size());
    const bool is_version = std::all_of(version.begin(), version.end(), [](unsigned char c) {
        return std::isdigit(c) != 0 || c == '.';
    });
    return is_version ? std::string(version) : std::string();
}

// Looks for libnvrtc-builtins.so.<major>.<minor>, the name by which NVRTC opens it: first next to libnvrtc,
// then in the loader's cache. Listing the folder would take far longer in /usr/lib.
void find_builtins(const NvrtcSearch& search, NvrtcLocation& location) {
    const std::string real = real_path(location.path);
    location.version = version_in(name_of(real));
    std::string version = location.version;
    if (version.empty()) version = version_in(name_of(location.path));

    const std::size_t dot = version.find('.');
    const std::string major = version.substr(0, dot);
    std::vector<std::string> majors = {major};
    if (major.empty()) majors = {"13", "12"};
    std::vector<std::string> names;
    for (const std::string& each : majors) {
        if (dot != std::string::npos) {
            names.push_back(version.substr(0, version.find('.', dot + 1)));
            continue;
        }
        for (int minor = 0; minor <= newest_minor; ++minor) {
            names.push_back(fmt::format("{}.{}", each, minor));
        }
    }
    const std::string folder = folder_of(location.path);
    const std::string real_folder = folder_of(real);
    const auto take = [&](const std::string& path, const std::string& name) {
        ElfIdentity identity = read_elf_identity(path);
        if (!identity.is_loadable) return false;
        location.builtins_path = path;
        location.builtins_build_id = std::move(identity.build_id);
        if (location.version.find('.') == std::string::npos) location.version = name;
        return true;
    };
    for (const std::string& name : names) {
        const std::string file = "/libnvrtc-builtins.so." + name;
        if (take(folder + file, name)) return;
        if (real_folder != folder && take(real_folder + file, name)) return;
    }
    if (!search.use_loader_cache) return;
    const std::string cache = read_loader_cache();
    for (const std::string& name : names) {
        for (const std::string& path :
             find_in_loader_cache(cache, "libnvrtc-builtins.so." + name)) {
            if (take(path, name)) return;
        }
    }
}

std::optional<NvrtcLocation> take_file(const NvrtcSearch& search, const std::string& path) {
    ElfIdentity identity = read_elf_identity(path);
    if (!identity.is_loadable) return std::nullopt;
    NvrtcLocation location;
    location.path = path;
    location.build_id = std::move(identity.build_id);
    find_builtins(search, location);
    return location;
}

std::vector<std::string> split_path(const char* value) {
    std::vector<std::string> folders;
    std::string_view rest = value == nullptr ? "" : value;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find_first_of(":;"));
        // To the loader an empty element means the working directory, which kgen never searches.
        if (!folder.empty()) folders.emplace_back(folder);
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    }
    return folders;
}

}  // namespace

NvrtcSearch NvrtcSearch::from_environment() {
    NvrtcSearch search;
    search.file = environment("KGEN_NVRTC_PATH").value_or("");
    search.library_path = split_path(::secure_getenv("LD_LIBRARY_PATH"));
#if defined(__aarch64__)
    search.system_folders = {"/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"};
#else
    search.system_folders = {"/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"};
#endif
    for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
        if (const auto folder = environment(name)) search.toolkits.push_back(*folder);
    }
    search.toolkits.emplace_back("/usr/local/cuda");
    search.toolkits.emplace_back("/usr/local/cuda-*");
    return search;
}

std::vector<std::string> toolkit_library_folders(const NvrtcSearch& search) {
    std::vector<std::string> folders;
    for (const std::string& pattern : search.toolkits) {
        std::vector<std::string> toolkits = {pattern};
        if (pattern.find('*') != std::string::npos) {
            toolkits.clear();
            glob_t matches = {};
            if (::glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
                // glob() sorts by name, so the newest toolkit is the last one.
                for (std::size_t k = matches.gl_pathc; k-- > 0;) {
                    toolkits.emplace_back(matches.gl_pathv[k]);
                }
            }
            ::globfree(&matches);
        }
        for (const std::string& toolkit : toolkits) add_library_folders(toolkit, folders);
    }
    return folders;
}

std::vector<std::string> toolkit_folder_patterns(const NvrtcSearch& search) {
    std::vector<std::string> folders;
    for (const std::string& toolkit : search.toolkits) add_library_folders(toolkit, folders);
    return folders;
}

std::optional<NvrtcLocation> locate_nvrtc(const NvrtcSearch& search) {
    const auto find_in = [&](const std::vector<std::string>& folders, std::string_view soname) {
        std::optional<NvrtcLocation> found;
        for (std::size_t k = 0; k < folders.size() && !found; ++k)
            found = take_file(search, fmt::format("{}/{}", folders[k], soname));
        return found;
    };
    if (!search.file.empty() && !is_folder(search.file)) return take_file(search, search.file);
    if (!search.file.empty()) {
        for (const std::string_view soname : sonames) {
            if (auto found = find_in({search.file}, soname)) return found;
        }
        return std::nullopt;
    }
    const std::string cache = search.use_loader_cache ? read_loader_cache() : std::string();
    for (const std::string_view soname : sonames) {
        if (auto found = find_in(search.library_path, soname)) return found;
        for (const std::string& path : find_in_loader_cache(cache, soname)) {
            if (auto found = take_file(search, path)) return found;
        }
        if (auto found = find_in(search.system_folders, soname)) return found;
    }
    for (const std::string& folder : toolkit_library_folders(search)) {
        for (const std::string_view soname : sonames) {
            if (auto found = find_in({folder}, soname)) return found;
        }
    }
    return std::nullopt;
}

std::string nvrtc_absence(const NvrtcSearch& search) {
    const std::string names = fmt::format("{} or {}", sonames[0], sonames[1]);
    if (!search.file.empty()) {
        const std::string problem = is_folder(search.file)
                                        ? fmt::format("is a folder without {}", names)
                                    : read_elf_identity(search.file).exists
                                        ? std::string("is not a shared library for this machine")
                                        : std::string("cannot be opened");
        return fmt::format("no NVRTC: KGEN_NVRTC_PATH='{}' {}; set it to the file of {}",
                           search.file,
                           problem,
                           sonames[0]);
    }
    std::vector<std::string> places = search.library_path;
    if (search.use_loader_cache) places.emplace_back("/etc/ld.so.cache");
    places.insert(places.end(), search.system_folders.begin(), search.system_folders.end());
    for (std::string& folder : toolkit_folder_patterns(search)) places.push_back(std::move(folder));
    return fmt::format(
        "no NVRTC: looked for {} in {}; install the CUDA toolkit's NVRTC 12.4 or newer (package "
        "cuda-nvrtc-13-0 of NVIDIA's repository), or set KGEN_NVRTC_PATH to its file",
        names,
        fmt::join(places, ", "));
}

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
