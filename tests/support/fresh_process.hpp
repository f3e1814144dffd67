// SPDX-License-Identifier: MIT
//
// What a new process would say: a hidden test case of this program (tag [.fresh]) run by exec, with
// its own environment and nothing of this process's state. The test case answers with report();
// its name has no comma, which Catch2 would read as "or".
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_dir.hpp"

struct FreshResult {
    std::string text;     // what the test case reported
    int exit_status = 0;  // 128 + signal if it was killed
};

// Of another program, which reports likewise.
inline FreshResult run_program(
    const std::string& program,
    const std::string& argument,
    const std::vector<std::pair<std::string, std::string>>& environment) {
    const TempDir folder;
    const std::string file = folder / "report";
    const pid_t pid = ::fork();
    if (pid == 0) {
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        ::setenv("KGEN_TEST_REPORT", file.c_str(), 1);
        const int sink = ::open("/dev/null", O_WRONLY);
        ::dup2(sink, 1);
        ::execl(program.c_str(), program.c_str(), argument.c_str(), static_cast<char*>(nullptr));
        ::_exit(125);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    std::ifstream report(file);
    FreshResult result;
    result.text.assign(std::istreambuf_iterator<char>(report), std::istreambuf_iterator<char>());
    result.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

inline FreshResult run_fresh(const std::string& test_case,
                             const std::vector<std::pair<std::string, std::string>>& environment) {
    return run_program(std::filesystem::read_symlink("/proc/self/exe"), test_case, environment);
}

// Adds to what run_fresh() returns.
inline void report(const std::string& text) {
    const char* file = std::getenv("KGEN_TEST_REPORT");
    std::ofstream(file == nullptr ? "/dev/stderr" : file, std::ios::app) << text;
}
