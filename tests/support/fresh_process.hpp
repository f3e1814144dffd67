// SPDX-License-Identifier: MIT
//
// Runs a hidden test case of this program (tag [.fresh]) by exec in a new process, with its own
// environment and none of this process's state. The test case answers with report(). Its name
// must not contain a comma, which Catch2 reads as "or".
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
    std::string text;     // text that the test case reported
    int exit_status = 0;  // 128 + signal if it was killed
    std::string output;   // what the program printed to its standard output, such as failed checks
};

// Runs another program, which also answers with report().
inline FreshResult run_program(
    const std::string& program,
    const std::string& argument,
    const std::vector<std::pair<std::string, std::string>>& environment) {
    const TempDir folder;
    const std::string file = folder / "report";
    const std::string printed = folder / "printed";
    const pid_t pid = ::fork();
    if (pid == 0) {
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        ::setenv("KGEN_TEST_REPORT", file.c_str(), 1);
        const int sink = ::open(printed.c_str(), O_WRONLY | O_CREAT, 0600);
        ::dup2(sink, 1);
        ::execl(program.c_str(), program.c_str(), argument.c_str(), static_cast<char*>(nullptr));
        ::_exit(125);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    FreshResult result;
    for (const auto& [name, text] :
         {std::pair(&file, &result.text), std::pair(&printed, &result.output)}) {
        std::ifstream from(*name);
        text->assign(std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>());
    }
    result.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

inline FreshResult run_fresh(const std::string& test_case,
                             const std::vector<std::pair<std::string, std::string>>& environment) {
    return run_program(std::filesystem::read_symlink("/proc/self/exe"), test_case, environment);
}

// Appends to the text that run_fresh() returns.
inline void report(const std::string& text) {
    const char* file = std::getenv("KGEN_TEST_REPORT");
    std::ofstream(file == nullptr ? "/dev/stderr" : file, std::ios::app) << text;
}
