// SPDX-License-Identifier: MIT
//
// Command: runs `kgen` as a process in a directory of its own, with its own cache and home.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iomanip>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

inline std::vector<std::string> words(std::vector<std::string> start,
                                      const std::vector<std::string>& rest) {
    start.insert(start.end(), rest.begin(), rest.end());
    return start;
}

struct CommandResult {
    int exit_status = 0;   // 128 + signal if it was killed
    std::string output;    // stdout
    std::string messages;  // stderr
};

class Command {
public:
    // Environment variables of the process besides PATH. An empty value removes the variable.
    std::map<std::string, std::string> environment = {{"KGEN_DEVICE", "host"}};

    std::string path(const std::string& name) const { return folder_ / name; }

    CommandResult run(const std::vector<std::string>& arguments) const {
        return run(arguments, folder_ / "stdout");
    }

    // Redirects stdout to the file `output`. If `output` is "", stdout is closed.
    CommandResult run(const std::vector<std::string>& arguments, const std::string& output) const {
        return run_to(
            [&] {
                if (output.empty()) {
                    ::close(STDOUT_FILENO);
                } else {
                    redirect(output, STDOUT_FILENO);
                }
            },
            arguments);
    }

    // Runs the command with a stdout whose reader has gone.
    CommandResult run_with_closed_pipe(const std::vector<std::string>& arguments) const {
        int ends[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        ::close(ends[0]);
        const CommandResult result = run_to([&] { ::dup2(ends[1], STDOUT_FILENO); }, arguments);
        ::close(ends[1]);
        return result;
    }

    // Runs the command after `prepare` has changed the child's stdout and limits.
    CommandResult run_to(const std::function<void()>& prepare,
                         const std::vector<std::string>& arguments) const {
        const ::pid_t pid = ::fork();
        REQUIRE(pid >= 0);
        if (pid == 0) execute(arguments, prepare);
        int status = 0;
        while (::waitpid(pid, &status, 0) < 0) REQUIRE(errno == EINTR);
        return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                read(folder_ / "stdout"),
                read(folder_ / "stderr")};
    }

    // The words of the line stand between spaces. 'some text' is one word.
    CommandResult run_line(const std::string& line) const {
        std::vector<std::string> arguments;
        std::istringstream words(line);
        for (std::string word; words >> std::quoted(word, '\'');) arguments.push_back(word);
        return run(arguments);
    }

    static std::string read(const std::string& file) {
        std::ifstream stream(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    }

private:
    [[noreturn]] void execute(const std::vector<std::string>& arguments,
                              const std::function<void()>& prepare) const {
        const char* search_path = std::getenv("PATH");
        std::map<std::string, std::string> variables = {
            {"PATH", search_path == nullptr ? "/usr/bin:/bin" : search_path},
            {"HOME", folder_.path()},
            {"KGEN_CACHE_DIR", folder_ / "cache"}};
        for (const auto& [name, value] : environment) variables[name] = value;
        std::vector<std::string> texts;
        for (const auto& [name, value] : variables) {
            if (!value.empty()) texts.push_back(name + "=" + value);
        }
        std::vector<char*> variable_pointers = pointers(texts);
        std::vector<std::string> words = {"kgen"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> word_pointers = pointers(words);
        if (::chdir(folder_.path().c_str()) != 0) ::_exit(125);
        redirect(folder_ / "stderr", STDERR_FILENO);
        prepare();
        ::execve(KGEN_COMMAND, word_pointers.data(), variable_pointers.data());
        ::_exit(125);
    }

    static void redirect(const std::string& file, int descriptor) {
        const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(125);
        ::close(opened);
    }

    static std::vector<char*> pointers(std::vector<std::string>& texts) {
        std::vector<char*> list;
        for (std::string& text : texts) list.push_back(text.data());
        list.push_back(nullptr);
        return list;
    }

    TempDir folder_;
};
