// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "cuda/driver/loader_cache.hpp"
#include "cuda/nvrtc/nvrtc_location.hpp"
#include "files/elf_identity.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

namespace {

void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

// Makes a loader cache of the new format.
std::string make_cache(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string strings;
    std::string table;
    const std::size_t strings_at = 48 + 24 * entries.size();
    const auto put = [](std::string& to, std::uint64_t value, std::size_t size) {
        to.append(reinterpret_cast<const char*>(&value), size);
    };
    for (const auto& [name, path] : entries) {
        put(table, 0x303, 4);
        put(table, strings_at + strings.size(), 4);
        strings += name + '\0';
        put(table, strings_at + strings.size(), 4);
        strings += path + '\0';
        put(table, 0, 4);
        put(table, 0, 8);
    }
    std::string cache = "glibc-ld.so.cache1.1";
    put(cache, entries.size(), 4);
    put(cache, strings.size(), 4);
    cache.append(20, '\0');
    return cache + table + strings;
}

NvrtcSearch search_only(const std::string& file) {
    NvrtcSearch search;
    search.file = file;
    search.use_loader_cache = false;
    return search;
}

// Returns the NVRTC of this machine, if it has one.
std::optional<NvrtcLocation> real_nvrtc() {
    return locate_nvrtc(NvrtcSearch::from_environment());
}

}  // namespace

TEST_CASE("the loader's cache is read for a name, in its order", "[cuda]") {
    const std::string cache = make_cache({{"libz.so.1", "/lib/libz.so.1"},
                                          {"libnvrtc.so.13", "/a/libnvrtc.so.13"},
                                          {"libnvrtc.so.13x", "/x"},
                                          {"libnvrtc.so.13", "/b/libnvrtc.so.13"}});
    CHECK(find_in_loader_cache(cache, "libnvrtc.so.13") ==
          std::vector<std::string>{"/a/libnvrtc.so.13", "/b/libnvrtc.so.13"});
    CHECK(find_in_loader_cache(cache, "libnvrtc.so.1").empty());
    // A table of the old format may come first.
    CHECK(find_in_loader_cache("ld.so-1.7.0" + std::string(5, '\0') + cache, "libz.so.1") ==
          std::vector<std::string>{"/lib/libz.so.1"});
}

TEST_CASE("a damaged loader's cache lists nothing that lies outside it", "[cuda]") {
    const std::string cache = make_cache({{"libnvrtc.so.13", "/a/libnvrtc.so.13"}});
    for (std::size_t size = 0; size < cache.size(); ++size) {
        CHECK(find_in_loader_cache(cache.substr(0, size), "libnvrtc.so.13").empty());
    }
    for (std::size_t at = 0; at < cache.size(); ++at) {
        std::string damaged = cache;
        damaged[at] = '\xff';
        for (const std::string& path : find_in_loader_cache(damaged, "libnvrtc.so.13")) {
            CHECK(path.size() < cache.size());
        }
    }
}

TEST_CASE("a library without a build-id is loadable but not identified", "[cuda]") {
    const ElfIdentity identity = read_elf_identity(KGEN_FAKE_NVRTC);
    CHECK(identity.exists);
    CHECK(identity.is_loadable);
    CHECK(identity.build_id.empty());
}

TEST_CASE("files that are no libraries are not loadable", "[cuda]") {
    const TempDir folder;
    CHECK_FALSE(read_elf_identity(folder / "absent").exists);
    write(folder / "empty", "");
    CHECK(read_elf_identity(folder / "empty").exists);
    CHECK_FALSE(read_elf_identity(folder / "empty").is_loadable);
    write(folder / "text", "INPUT(libnvrtc.so.13)");
    CHECK_FALSE(read_elf_identity(folder / "text").is_loadable);
    CHECK_FALSE(read_elf_identity(folder.path()).is_loadable);

    std::ifstream library(KGEN_FAKE_NVRTC, std::ios::binary);
    std::string head(4096, '\0');
    library.read(head.data(), static_cast<std::streamsize>(head.size()));
    for (const std::size_t size : {std::size_t{4}, std::size_t{63}, std::size_t{100}}) {
        write(folder / "cut", head.substr(0, size));
        CHECK_FALSE(read_elf_identity(folder / "cut").is_loadable);
    }
    head[18] = 2;  // another machine architecture
    head[19] = 0;
    write(folder / "sparc", head);
    CHECK_FALSE(read_elf_identity(folder / "sparc").is_loadable);
}

TEST_CASE("NVRTC is looked for in the order of library path, then toolkits, 13 before 12",
          "[cuda]") {
    const TempDir folder;
    namespace fs = std::filesystem;
    for (const char* name : {"path", "toolkit-12.4/lib64", "toolkit-13.1/lib64", "old/lib64"}) {
        fs::create_directories(folder / name);
    }
    const auto put = [&](const std::string& file) {
        fs::create_symlink(KGEN_FAKE_NVRTC, folder / file);
    };
    NvrtcSearch search;
    search.use_loader_cache = false;
    search.library_path = {folder / "path"};
    search.toolkits = {folder / "old", folder / "toolkit-*"};
    CHECK_FALSE(locate_nvrtc(search));
    const auto found = [&] { return locate_nvrtc(search).value_or(NvrtcLocation()).path; };

    put("toolkit-12.4/lib64/libnvrtc.so.12");
    CHECK(found() == folder / "toolkit-12.4/lib64/libnvrtc.so.12");
    put("toolkit-13.1/lib64/libnvrtc.so.13");
    CHECK(found() == folder / "toolkit-13.1/lib64/libnvrtc.so.13");
    put("old/lib64/libnvrtc.so.12");
    CHECK(found() == folder / "old/lib64/libnvrtc.so.12");
    put("path/libnvrtc.so.12");
    CHECK(found() == folder / "path/libnvrtc.so.12");
    write(folder / "path/libnvrtc.so.13", "no library");  // not a library, so it is skipped
    CHECK(found() == folder / "path/libnvrtc.so.12");
    fs::remove(folder / "path/libnvrtc.so.13");
    put("path/libnvrtc.so.13");
    CHECK(found() == folder / "path/libnvrtc.so.13");
}

TEST_CASE("an NVRTC without a build-id or without its builtins has no identity", "[cuda]") {
    const TempDir folder;
    std::filesystem::create_symlink(KGEN_FAKE_NVRTC, folder / "libnvrtc.so.13");
    const auto location = locate_nvrtc(search_only(folder / "libnvrtc.so.13"));
    REQUIRE(location);
    CHECK(location->identity().empty());
    CHECK(location->builtins_path.empty());

    const auto real = real_nvrtc();
    if (!real) {
        WARN("skipped: no NVRTC on this machine");
        return;
    }
    std::filesystem::create_symlink(real->path, folder / "libnvrtc.so.12");
    const auto alone = locate_nvrtc(search_only(folder / "libnvrtc.so.12"));
    REQUIRE(alone);
    CHECK(alone->build_id == real->build_id);
    // The builtins are found in the toolkit's folder, which the link leads to.
    CHECK(alone->identity() == real->identity());
}

TEST_CASE("a search says where it looked and how to get NVRTC", "[cuda]") {
    NvrtcSearch search;
    search.library_path = {"/opt/a"};
    search.system_folders = {"/usr/lib64"};
    search.toolkits = {"/usr/local/cuda-*"};
    const std::string text = nvrtc_absence(search);
#if defined(__x86_64__)
    CHECK(
        text ==
        "no NVRTC: looked for libnvrtc.so.13 or libnvrtc.so.12 in /opt/a, /etc/ld.so.cache, "
        "/usr/lib64, /usr/local/cuda-*/lib64, /usr/local/cuda-*/targets/x86_64-linux/lib; install "
        "the CUDA toolkit's NVRTC 12.4 or newer (package cuda-nvrtc-13-0 of NVIDIA's repository), "
        "or "
        "set KGEN_NVRTC_PATH to its file");
#endif
    const TempDir folder;
    CHECK(nvrtc_absence(search_only("/nowhere/x.so")) ==
          "no NVRTC: KGEN_NVRTC_PATH='/nowhere/x.so' cannot be opened; set it to the file of "
          "libnvrtc.so.13");
    CHECK(nvrtc_absence(search_only(folder.path())) ==
          fmt::format("no NVRTC: KGEN_NVRTC_PATH='{}' is a folder without libnvrtc.so.13 or "
                      "libnvrtc.so.12; set it to the file of libnvrtc.so.13",
                      folder.path()));
    write(folder / "text", "x");
    CHECK(nvrtc_absence(search_only(folder / "text")) ==
          fmt::format("no NVRTC: KGEN_NVRTC_PATH='{}/text' is not a shared library for this "
                      "machine; set it to the file of libnvrtc.so.13",
                      folder.path()));
}
