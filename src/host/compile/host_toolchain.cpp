// SPDX-License-Identifier: MIT
#include "host/compile/host_toolchain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <kgen/error.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "files/absolute_path.hpp"
#include "host/compile/compiler_file.hpp"
#include "host/compile/run_child.hpp"
#include "text/environment.hpp"
#include "text/list.hpp"
#include "text/log.hpp"
#include "text/split.hpp"

namespace kgen {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> default_names = {"g++", "c++", "clang++"};
constexpr std::array<std::string_view, 3> compiler_caches = {"ccache", "sccache", "distcc"};

std::string real_path(const std::string& path) {
    std::error_code error;
    const fs::path resolved = fs::canonical(path, error);
    return error ? std::string() : resolved.string();
}

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_program(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

// A link such as /usr/lib/ccache/g++ leads to ccache, which searches PATH for the compiler itself.
bool is_compiler_cache(const std::string& path) {
    return is_one_of(file_name(path), compiler_caches);
}

// Returns the program that a word names, which is a path or a name on PATH. Relative directories on PATH are
// skipped, because the choice must not depend on the working directory.
std::optional<std::string> find_program(const std::string& word) {
    if (word.find('/') != std::string::npos) {
        if (!is_program(word)) return std::nullopt;
        if (is_compiler_cache(real_path(word))) return find_program(file_name(word));
        return absolute_path(word).string();
    }
    const std::string searched = program_path();
    for (const std::string_view directory : split(searched, ':')) {
        if (!directory.starts_with('/')) continue;
        std::string path = fmt::format("{}/{}", directory, word);
        if (is_program(path) && !is_compiler_cache(real_path(path))) return path;
    }
    return std::nullopt;
}

std::optional<CompilerFamily> family_of(const std::string& path, const std::string& resolved) {
    for (const std::string& name : {file_name(resolved), file_name(path)}) {
        if (name.find("clang") != std::string::npos) return CompilerFamily::clang;
        if (name.find("g++") != std::string::npos) return CompilerFamily::gnu;
        if (name == "c++" || name.find("-c++") != std::string::npos) return CompilerFamily::gnu;
    }
    return std::nullopt;
}

std::vector<fs::path> subdirectories(const fs::path& directory) {
    std::vector<fs::path> result;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error)) {
        result.push_back(at->path());
    }
    std::sort(result.begin(), result.end());
    return result;
}

// Returns "12" for x86_64-linux-gnu-g++-12. Empty if the name has no version.
std::string version_suffix(const std::string& name) {
    const std::size_t dash = name.rfind('-');
    if (dash == std::string::npos || dash + 1 == name.size()) return {};
    const std::string suffix = name.substr(dash + 1);
    return std::isdigit(static_cast<unsigned char>(suffix[0])) != 0 ? suffix : std::string();
}

bool is_version(const std::string& version, const std::string& wanted) {
    return wanted.empty() || version == wanted ||
           version.substr(0, wanted.size() + 1) == wanted + ".";
}

std::string major_of(const std::string& version) {
    return version.substr(0, version.find('.'));
}

struct CompilerFiles {
    std::string version;
    std::vector<std::string> identities;  // "cc1plus 68b310b9"
};

// Finds gcc's compiler proper, lib/gcc/<machine>/<version>/cc1plus beside the driver's directory. Returns all
// that fit if the driver does not tell which one it uses.
CompilerFiles gnu_files(const std::string& driver) {
    CompilerFiles files;
    const fs::path root = fs::path(driver).parent_path().parent_path();
    const std::string wanted = version_suffix(file_name(driver));
    for (const char* library : {"lib/gcc", "libexec/gcc", "lib64/gcc"}) {
        for (const fs::path& machine : subdirectories(root / library)) {
            for (const fs::path& version : subdirectories(machine)) {
                if (!is_version(version.filename().string(), wanted)) continue;
                const std::string id = identify_file((version / "cc1plus").string());
                if (id.empty()) continue;
                files.identities.push_back("cc1plus " + id);
                files.version = version.filename().string();
            }
        }
    }
    if (files.identities.size() > 1 && wanted.empty()) files.version.clear();
    return files;
}

// clang's driver is small if the compiler is in shared libraries, and otherwise contains the whole compiler.
CompilerFiles clang_files(const std::string& driver) {
    CompilerFiles files;
    const fs::path root = fs::path(driver).parent_path().parent_path();
    const std::string wanted = version_suffix(file_name(driver));
    for (const fs::path& version : subdirectories(root / "lib/clang")) {
        if (is_version(version.filename().string(), wanted)) {
            files.version = version.filename().string();
        }
    }
    const std::string major = major_of(files.version);
    for (const char* library : {"lib", "lib64"}) {
        for (const char* pattern : {"libclang-cpp.so.{}",
                                    "libclang-cpp.so.{}.1",
                                    "libLLVM-{}.so",
                                    "libLLVM.so.{}.0",
                                    "libLLVM.so.{}.1"}) {
            const std::string name = fmt::format(fmt::runtime(pattern), major);
            const std::string id = identify_file((root / library / name).string());
            if (!id.empty()) files.identities.push_back(fmt::format("{} {}", name, id));
        }
    }
    return files;
}

HostToolchain identified(std::string path,
                         const std::string& resolved,
                         CompilerFamily family,
                         std::vector<std::string> arguments) {
    const CompilerFiles files =
        family == CompilerFamily::gnu ? gnu_files(resolved) : clang_files(resolved);
    HostToolchain result;
    result.family = family;
    result.name = family == CompilerFamily::gnu ? "g++" : "clang++";
    if (!files.version.empty()) result.name += " " + files.version;
    result.identity =
        fmt::format("{}; {} {}", result.name, file_name(resolved), identify_file(resolved));
    for (const std::string& identity : files.identities) result.identity += "; " + identity;
    for (const std::string& argument : arguments) result.identity += "; argument " + argument;
    result.path = std::move(path);
    result.driver = resolved;
    result.arguments = std::move(arguments);
    return result;
}

// Splits "ccache g++ -m64" into "g++" and "-m64". A path with spaces is one word if it names a program.
std::vector<std::string> command_words(const std::string& command) {
    if (is_program(command)) return {command};
    std::vector<std::string> words;
    for (const std::string_view word : split(command, ' ')) {
        if (!word.empty()) words.emplace_back(word);
    }
    if (words.size() > 1 && is_compiler_cache(words[0])) words.erase(words.begin());
    return words;
}

// Returns the compiler that a command names, or nothing if there is no such program. `family` is that of a
// program whose name does not tell it; without it such a program is not used.
std::optional<HostToolchain> find_command(std::vector<std::string> words,
                                          std::optional<CompilerFamily> family) {
    const std::optional<std::string> path = words.empty() ? std::nullopt : find_program(words[0]);
    if (!path) return std::nullopt;
    const std::string resolved = real_path(*path);
    if (const auto known = family_of(*path, resolved)) family = known;
    if (!family) return std::nullopt;
    words.erase(words.begin());
    return identified(*path, resolved, *family, std::move(words));
}

std::string missing_message(const std::optional<std::string>& from_cxx) {
    std::vector<std::string> names;
    if (from_cxx) names.push_back(fmt::format("'{}' (CXX)", *from_cxx));
    names.insert(names.end(), default_names.begin(), default_names.end());
    return fmt::format(
        "no C++ compiler for the host device: looked for {} on PATH, which is '{}'; install one "
        "(apt-get install g++) or name one in KGEN_HOST_CXX",
        fmt::join(names, ", "),
        program_path());
}

}  // namespace

HostToolchain find_host_toolchain() {
    if (const std::optional<std::string> command = environment("KGEN_HOST_CXX")) {
        if (auto found = find_command(command_words(*command), CompilerFamily::gnu)) return *found;
        throw DeviceError(fmt::format(
            "KGEN_HOST_CXX names a compiler that does not exist: got '{}', expected the path of a "
            "g++ or clang++ or its name on PATH, which is '{}'",
            *command,
            program_path()));
    }
    const std::optional<std::string> from_cxx = environment("CXX");
    if (from_cxx) {
        if (auto found = find_command(command_words(*from_cxx), std::nullopt)) return *found;
        log().debug("CXX is ignored: '{}' is not an existing g++ or clang++", *from_cxx);
    }
    for (const char* name : default_names) {
        if (auto found = find_command({name}, std::nullopt)) return *found;
    }
    throw DeviceError(missing_message(from_cxx));
}

bool is_clang_from(const HostToolchain& toolchain, int major) {
    const std::size_t space = toolchain.name.find(' ');
    return toolchain.family == CompilerFamily::clang && space != std::string::npos &&
           std::atoi(toolchain.name.c_str() + space) >= major;
}

std::string full_name(const HostToolchain& toolchain) {
    const std::size_t space = toolchain.name.find(' ');
    if (space == std::string::npos) return toolchain.name;
    const std::string version = toolchain.name.substr(space + 1);
    if (std::count(version.begin(), version.end(), '.') >= 2) return toolchain.name;
    const std::string found = find_version(toolchain.driver, major_of(version));
    return found.empty() ? toolchain.name : toolchain.name.substr(0, space + 1) + found;
}

}  // namespace kgen
