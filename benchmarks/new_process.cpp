// SPDX-License-Identifier: MIT
#include "benchmarks/new_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>
#include <system_error>

namespace kgen::bench {

namespace {

// Returns the text as one word for the shell.
std::string shell_word(std::string_view text) {
    std::string word = "'";
    for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
    return word + "'";
}

}  // namespace

std::string run_new_process(const std::vector<std::string>& arguments,
                            const std::vector<std::pair<std::string, std::string>>& variables) {
    std::string command;
    for (const auto& [name, value] : variables) {
        command += value.empty() ? fmt::format("unset {}; ", name)
                                 : fmt::format("export {}={}; ", name, shell_word(value));
    }
    command += "exec " + shell_word(std::filesystem::read_symlink("/proc/self/exe").string());
    for (const std::string& argument : arguments) command += " " + shell_word(argument);
    std::FILE* stream = ::popen(command.c_str(), "r");
    if (stream == nullptr) throw Error(fmt::format("popen: {}", std::strerror(errno)));
    std::string output;
    std::array<char, 4096> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stream))
        output.append(buffer.data(), count);
    const int status = ::pclose(stream);
    if (status == 0) return output;
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
