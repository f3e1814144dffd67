// SPDX-License-Identifier: MIT
#include "benchmarks/new_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>
#include <system_error>

namespace kgen::bench {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables) {
    std::vector<std::string> texts;
    for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        bool replaced = false;
        for (const auto& variable : variables) replaced = replaced || variable.first == name;
        if (!replaced) texts.emplace_back(text);
    }
    for (const auto& [name, value] : variables) {
        if (!value.empty()) texts.push_back(fmt::format("{}={}", name, value));
    }
    return texts;
}

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 4096> buffer;
    for (;;) {
        const ::ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

}  // namespace

std::string run_new_process(const std::vector<std::string>& arguments,
                            const std::vector<std::pair<std::string, std::string>>& variables) {
    std::vector<std::string> words = {"kgen"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> texts = environment_with(variables);
    std::vector<char*> word_pointers = pointers(words);
    std::vector<char*> text_pointers = pointers(texts);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw Error(fmt::format("pipe2: {}", std::strerror(errno)));
    }
    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::pid_t pid = 0;
    const int problem = ::posix_spawn(
        &pid, "/proc/self/exe", &actions, nullptr, word_pointers.data(), text_pointers.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string output = problem == 0 ? read_all(ends[0]) : "";
    ::close(ends[0]);
    if (problem != 0) throw Error(fmt::format("posix_spawn: {}", std::strerror(problem)));
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) throw Error(fmt::format("waitpid: {}", std::strerror(errno)));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
    throw Error(fmt::format("'kgen {}' ended with {} {}",
                            fmt::join(arguments, " "),
                            WIFSIGNALED(status) ? "signal" : "status",
                            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
}

ScratchFolder::ScratchFolder() {
    path_ = std::filesystem::temp_directory_path() / "kgen-bench-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) {
        throw IoError(fmt::format("{}: {}", path_, std::strerror(errno)));
    }
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace kgen::bench
