// SPDX-License-Identifier: MIT
#include "cli/text/sass_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <kgen/error.hpp>
#include <string_view>
#include <vector>

namespace kgen::cli {

namespace {

// Returns the directories of PATH, then those of installed toolkits.
std::vector<std::string> folders() {
    std::vector<std::string> folders;
    const char* path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        if (!folder.empty()) folders.emplace_back(folder);
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    }
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* toolkit = std::getenv(name))
            folders.push_back(toolkit + std::string("/bin"));
    }
    folders.emplace_back("/usr/local/cuda/bin");
    return folders;
}

std::string find_nvdisasm() {
    for (const std::string& folder : folders()) {
        std::string file = folder + "/nvdisasm";
        if (::access(file.c_str(), X_OK) == 0) return file;
    }
    throw Error(
        "nvdisasm was not found on PATH, in CUDA_HOME/bin or in /usr/local/cuda/bin\nit comes with "
        "the CUDA toolkit");
}

[[noreturn]] void fail(const std::string& program, const std::string& why) {
    throw Error(fmt::format("'{}' cannot disassemble the cubin: {}", program, why));
}

// Returns an open file without a name. The child opens it as /proc/self/fd/N.
int file_of(const std::string& program, const std::string& bytes) {
    const int file = ::memfd_create("kgen-cubin", 0);
    if (file < 0) fail(program, std::strerror(errno));
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const ssize_t count = ::write(file, rest.data(), rest.size());
        if (count <= 0) fail(program, std::strerror(errno));
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    return file;
}

std::string read_to_end(int file) {
    std::string text;
    std::array<char, 65536> buffer{};
    for (ssize_t count = 0; (count = ::read(file, buffer.data(), buffer.size())) != 0;) {
        if (count < 0 && errno != EINTR) break;
        if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
}

}  // namespace

std::string sass_text(const std::string& cubin) {
    std::string program = find_nvdisasm();
    const int file = file_of(program, cubin);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(program, std::strerror(errno));
    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string argument = fmt::format("/proc/self/fd/{}", file);
    std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
    ::pid_t child = 0;
    const int error =
        ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), ::environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    const std::string text = error == 0 ? read_to_end(ends[0]) : std::string();
    ::close(ends[0]);
    ::close(file);
    if (error != 0) fail(program, std::strerror(error));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) fail(program, fmt::format("it ended with status {}", status));
    return text;
}

}  // namespace kgen::cli
