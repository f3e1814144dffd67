// SPDX-License-Identifier: MIT
//
// Checks that the tree follows src/README.md: includes point one way, file names are unique, files are short.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace {

namespace fs = std::filesystem;

struct SourceFile {
    std::string path;    // relative to the repository's root
    std::string folder;  // unit of the layering: "plan", "cache", "include"
    std::vector<std::string> lines;
};

std::vector<SourceFile> files_of(const std::string& top) {
    const fs::path root = KGEN_SOURCE_DIR;
    std::vector<SourceFile> files;
    for (const auto& item : fs::recursive_directory_iterator(root / top)) {
        const std::string extension = item.path().extension().string();
        if (extension != ".cpp" && extension != ".hpp") continue;
        SourceFile file;
        const fs::path below = item.path().lexically_relative(root);
        file.path = below.string();
        file.folder = top == "src" ? std::next(below.begin())->string() : top;
        std::ifstream stream(item.path());
        for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
        files.push_back(std::move(file));
    }
    std::sort(
        files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return files;
}

std::vector<SourceFile> all_files() {
    std::vector<SourceFile> files;
    for (const char* top : {"include", "cache", "src", "benchmarks"}) {
        for (SourceFile& file : files_of(top)) files.push_back(std::move(file));
    }
    return files;
}

std::set<std::string> names_in_cache() {
    std::set<std::string> names;
    for (const SourceFile& file : files_of("cache")) {
        names.insert(fs::path(file.path).filename().string());
    }
    return names;
}

// The folders that each folder uses directly. It may include these and all folders that they
// use. `public` is include/kgen.
const std::map<std::string, std::set<std::string>> used_by = {
    {"include", {}},
    {"cache", {}},
    {"text", {"public"}},
    {"files", {"text", "cache"}},
    {"dtype", {"text"}},
    {"device", {"dtype"}},
    {"cuda", {"device", "files"}},
    {"host", {"device", "files"}},
    {"memory", {"device"}},
    {"signature", {"device"}},
    {"types", {"signature"}},
    {"template", {"types", "cache", "embedded"}},
    {"plan", {"types"}},
    {"expression", {"plan", "template"}},
    {"source", {"plan", "embedded"}},
    {"program", {"source"}},
    {"image", {"program", "files"}},
    {"kernel", {"image", "memory"}},
    {"store", {"image"}},
    {"raw", {"kernel"}},
    {"call", {"kernel", "store", "template"}},
    {"array", {"call"}},
    {"precompile", {"array"}},
    {"api", {"precompile", "raw", "expression"}},
    {"shard", {"api"}},
    {"benchmarks", {"public"}},
    {"cli", {"public", "benchmarks", "embedded"}},
};

// Folders that a file may include although its own folder may not. device/registry.cpp connects the interface
// with the devices that implement it.
const std::map<std::string, std::set<std::string>> exceptions = {
    {"src/device/registry.cpp", {"cuda", "host"}},
};

std::set<std::string> allowed_for(const std::string& folder) {
    std::set<std::string> all;
    std::vector<std::string> open = {folder};
    while (!open.empty()) {
        const auto used = used_by.find(open.back());
        open.pop_back();
        if (used == used_by.end()) continue;
        for (const std::string& each : used->second) {
            if (all.insert(each).second) open.push_back(each);
        }
    }
    return all;
}

// Returns the folder that an #include names: a folder of the tree, "system" for C++, POSIX and the
// C library, the first part of a third party's path ("fmt", "spdlog"), or the whole name (cuda.h).
std::string target_of(const std::string& name, const SourceFile& file) {
    static const std::set<std::string> cache_names = names_in_cache();
    if (name.rfind("kgen/", 0) == 0) return "public";
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) {
        const bool is_beside =
            fs::exists(fs::path(KGEN_SOURCE_DIR) / fs::path(file.path).parent_path() / name);
        if (is_beside) return file.folder;
        if (cache_names.count(name) != 0) return "cache";
        static const std::set<std::string> third_party = {"cuda.h", "nvrtc.h", "zlib.h"};
        return third_party.count(name) != 0 ? name : "system";
    }
    const std::string first = name.substr(0, slash);
    static const std::set<std::string> posix = {"sys", "linux", "netinet", "bits", "asm"};
    return posix.count(first) != 0 ? "system" : first;
}

struct Include {
    std::string where;  // "src/plan/plan.cpp:12"
    std::string target;
};

std::vector<Include> includes_of(const SourceFile& file) {
    static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
    std::vector<Include> includes;
    for (std::size_t k = 0; k < file.lines.size(); ++k) {
        std::smatch match;
        if (!std::regex_match(file.lines[k], match, pattern)) continue;
        includes.push_back({file.path + ":" + std::to_string(k + 1) + ": " + file.lines[k],
                            target_of(match[1].str(), file)});
    }
    return includes;
}

bool is_folder_of_the_tree(const std::string& name) {
    return name == "public" || name == "embedded" || used_by.count(name) != 0;
}

// Joins the violations, one per line, so that a failure shows all of them.
std::string joined(const std::vector<std::string>& violations) {
    std::string text;
    for (const std::string& violation : violations) text += violation + "\n";
    return text;
}

}  // namespace

TEST_CASE("the layering test sees every folder of the tree") {
    std::set<std::string> folders;
    std::size_t include_count = 0;
    for (const SourceFile& file : all_files()) {
        folders.insert(file.folder);
        include_count += includes_of(file).size();
    }
    for (const auto& [folder, targets] : used_by) {
        INFO(folder);
        CHECK(folders.count(folder) == 1);
    }
    CHECK(folders.size() == used_by.size());
    CHECK(include_count > 500);
}

TEST_CASE("includes point one way between the folders of the tree") {
    std::vector<std::string> violations;
    for (const SourceFile& file : all_files()) {
        std::set<std::string> targets = allowed_for(file.folder);
        targets.insert(file.folder);
        if (file.folder == "include") targets.insert("public");
        if (const auto found = exceptions.find(file.path); found != exceptions.end()) {
            targets.insert(found->second.begin(), found->second.end());
        }
        for (const Include& include : includes_of(file)) {
            if (!is_folder_of_the_tree(include.target)) continue;
            if (targets.count(include.target) == 0) violations.push_back(include.where);
        }
    }
    CHECK(joined(violations) == "");
}

// Returns the library's objects, each with the folder that it was compiled from. An object
// contains one file of src/, or a whole folder with CMAKE_UNITY_BUILD.
std::map<std::string, std::string> objects_of_the_library() {
    const fs::path root = KGEN_OBJECTS;
    std::map<std::string, std::string> objects;
    for (const auto& item : fs::recursive_directory_iterator(root)) {
        if (item.path().extension() != ".o") continue;
        const fs::path below = item.path().lexically_relative(root);
        const std::string first = below.begin()->string();
        const std::string name = below.filename().string();
        static const std::regex unity("unity_kgen_([a-z]+)_cxx.cxx.o");
        std::smatch found;
        if (std::regex_match(name, found, unity)) {
            objects[item.path()] = found[1];
        } else if (fs::exists(fs::path(KGEN_SOURCE_DIR) / "src" / below.parent_path() /
                              below.stem())) {
            objects[item.path()] = first;
        }
    }
    return objects;
}

// Returns the symbols of an object that `nm` lists, and whether the object defines them.
std::map<std::string, bool> symbols_of(const std::string& object) {
    std::map<std::string, bool> symbols;
    FILE* const listing = ::popen(("nm '" + object + "'").c_str(), "r");
    REQUIRE(listing != nullptr);
    char line[8192];
    while (std::fgets(line, sizeof line, listing) != nullptr) {
        const std::string text = line;
        if (text.size() < 20 || text.find("4kgen") == std::string::npos) continue;
        const char kind = text[17];
        if (kind == 'U') symbols.emplace(text.substr(19), false);
        if (std::string("TDBR").find(kind) != std::string::npos) symbols[text.substr(19)] = true;
    }
    ::pclose(listing);
    return symbols;
}

// `call` copies overlapping operands with functions of `array`, and these functions call kernels.
const std::set<std::pair<std::string, std::string>> mutual = {{"call", "array"}};

TEST_CASE("functions are defined in the folder itself or in one that it may include") {
    if (fs::path(KGEN_OBJECTS).empty()) {
        WARN("SKIPPED: KGEN_UNITY_ROWS compiles several folders as one");
        return;
    }
    std::map<std::string, std::string> folder_of;
    std::map<std::string, std::set<std::string>> wanted;
    for (const auto& [object, folder] : objects_of_the_library()) {
        for (const auto& [symbol, is_defined] : symbols_of(object)) {
            if (is_defined) folder_of[symbol] = folder;
            if (!is_defined) wanted[folder].insert(symbol);
        }
    }
    CHECK(folder_of.size() > 1000);
    std::vector<std::string> violations;
    for (const auto& [folder, symbols] : wanted) {
        if (folder == "device") continue;  // registry.cpp is an exception, see above
        const std::set<std::string> targets = allowed_for(folder);
        for (const std::string& symbol : symbols) {
            const auto owner = folder_of.find(symbol);
            if (owner == folder_of.end() || owner->second == folder) continue;
            if (targets.contains(owner->second) || mutual.contains({folder, owner->second}))
                continue;
            violations.push_back(folder + " wants of " + owner->second + ": " + symbol);
        }
    }
    CHECK(joined(violations) == "");
}

TEST_CASE("third-party headers are included where they belong") {
    // The folders that may include each third-party header. kgen depends on no other
    // third-party code except fmt.
    const std::map<std::string, std::set<std::string>> owners = {
        {"cuda.h", {"cuda"}},
        {"nvrtc.h", {"cuda"}},
        {"openssl", {"cache"}},
        {"zlib.h", {"array"}},
        {"spdlog", {"text"}},
        {"nlohmann", {"cli", "benchmarks", "template"}},
        {"CLI", {"cli"}},
        {"kernel_templates", {"plan"}},  // structs that device code reads too
    };
    std::vector<std::string> violations;
    for (const SourceFile& file : all_files()) {
        for (const Include& include : includes_of(file)) {
            if (include.target == "system" || is_folder_of_the_tree(include.target)) continue;
            const auto owner = owners.find(include.target);
            const bool is_text = include.target == "fmt" && file.folder != "cache";
            if (is_text || (owner != owners.end() && owner->second.contains(file.folder))) continue;
            violations.push_back(include.where);
        }
    }
    CHECK(joined(violations) == "");
}

TEST_CASE("file names are unique in src, cache and include") {
    // include/kgen/x.hpp is implemented by x.cpp, so a header and its source have the same stem.
    std::map<std::string, std::vector<std::string>> paths;
    for (const SourceFile& file : all_files()) {
        paths[fs::path(file.path).filename().string()].push_back(file.path);
    }
    std::vector<std::string> violations;
    for (const auto& [name, same] : paths) {
        if (same.size() == 1) continue;
        for (const std::string& path : same) violations.push_back(path);
    }
    CHECK(joined(violations) == "");
}

TEST_CASE("no file is longer than 400 lines") {
    std::vector<std::string> violations;
    for (const SourceFile& file : all_files()) {
        if (file.lines.size() <= 400 || file.path == "include/kgen/math.hpp")
            continue;  // written by a test
        violations.push_back(file.path + ": " + std::to_string(file.lines.size()));
    }
    CHECK(joined(violations) == "");
}

TEST_CASE("every file opens with its licence, and every header with what it is for") {
    std::vector<std::string> violations;
    for (const SourceFile& file : all_files()) {
        const bool has_licence =
            !file.lines.empty() && file.lines[0] == "// SPDX-License-Identifier: MIT";
        if (!has_licence) violations.push_back(file.path + ": no licence line");
        if (fs::path(file.path).extension() != ".hpp" || file.path == "include/kgen/kgen.hpp") {
            continue;
        }
        const bool has_purpose =
            file.lines.size() > 2 && file.lines[1] == "//" && file.lines[2].rfind("// ", 0) == 0;
        if (!has_purpose) violations.push_back(file.path + ": no line that says what it is for");
    }
    CHECK(joined(violations) == "");
}

// Under `using namespace kgen` it would clash with CCCL's namespace cuda.
TEST_CASE("no namespace is called cuda") {
    static const std::regex pattern(R"(^\s*(inline\s+)?namespace\s+([\w:]*::)?cuda\b.*)");
    std::vector<std::string> violations;
    for (const SourceFile& file : all_files()) {
        for (std::size_t k = 0; k < file.lines.size(); ++k) {
            if (!std::regex_match(file.lines[k], pattern)) continue;
            violations.push_back(file.path + ":" + std::to_string(k + 1));
        }
    }
    CHECK(joined(violations) == "");
}
