// SPDX-License-Identifier: MIT
//
// A main thread that ends before the others, by pthread_exit() (support/main_thread_exit.cpp).
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

TEST_CASE("threads run kernels after the end of the main thread, and the process then ends") {
    const TempDir cache;
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kgen_main_thread_exit";
    const std::string output = cache / "output";
    const ::pid_t pid = ::fork();
    if (pid == 0) {
        ::setenv("KGEN_CACHE_DIR", (cache / "cache").c_str(), 1);
        ::setenv("KGEN_HOST_THREADS", "4", 1);
        // What only the stack of the ended main thread refers to would count as leaked.
        ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
        ::dup2(::open(output.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
        ::execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
        ::_exit(125);
    }
    // Idle threads of the pool end within about a second.
    const auto start = std::chrono::steady_clock::now();
    int status = -1;
    ::pid_t ended = 0;
    while ((ended = ::waitpid(pid, &status, WNOHANG)) == 0 &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(60))
        ::usleep(10'000);
    if (ended == 0) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, &status, 0);
    }
    std::ifstream file(output);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    CHECK(text == "4.0\n");
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
