// SPDX-License-Identifier: MIT
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <kgen/error.hpp>
#include <optional>
#include <string>
#include <thread>

#include "host/compile/host_toolchain.hpp"
#include "host/compile/run_child.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

namespace {

ChildJob shell(const std::string& command) {
    ChildJob job;
    job.arguments = {"/bin/sh", "-c", command};
    return job;
}

}  // namespace

TEST_CASE("a child's output and status come back, stdout and stderr together") {
    const ChildResult result = run_child(shell("echo one; echo two >&2; exit 7"));
    CHECK(result.output == "one\ntwo\n");
    CHECK(result.exit_status == 7);
    CHECK(result.signal == 0);
    CHECK_FALSE(result.timed_out);
}

TEST_CASE("a child reads its input file") {
    const TempDir directory;
    std::ofstream(directory / "in") << "hello";
    ChildJob job = shell("cat");
    job.input_path = directory / "in";
    CHECK(run_child(job).output == "hello");
}

TEST_CASE("a child that a signal ends says which") {
    const ChildResult result = run_child(shell("kill -SEGV $$"));
    CHECK(result.signal == SIGSEGV);
    CHECK_FALSE(result.exit_status);
}

TEST_CASE("a child that hangs is ended with all that it started") {
    const TempDir directory;
    ChildJob job = shell("sleep 1000 & echo $! > " + directory / "pid" + "; wait");
    job.timeout = std::chrono::milliseconds(300);
    const ChildResult result = run_child(job);
    CHECK(result.timed_out);
    CHECK(result.signal == SIGKILL);
    int pid = 0;
    std::ifstream(directory / "pid") >> pid;
    REQUIRE(pid > 0);
    // The process is gone or an unreaped zombie. A signal takes time to arrive, so this is tried repeatedly.
    const auto is_ended = [&] {
        std::string state;
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        stat >> state >> state >> state;
        return state.empty() || state == "Z" || state == "X";
    };
    for (int k = 0; k < 1000 && !is_ended(); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(is_ended());
}

TEST_CASE("something left behind that holds the pipe open does not keep the caller") {
    const ChildResult result = run_child(shell("sleep 5 & echo done"));
    CHECK(result.output == "done\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("output beyond the limit is read and dropped") {
    ChildJob job = shell("head -c 1000000 /dev/zero | tr '\\0' x");
    job.output_limit_bytes = 1000;
    const ChildResult result = run_child(job);
    CHECK(result.output == std::string(1000, 'x'));
    CHECK(result.exit_status == 0);
}

TEST_CASE("the environment of a child has nothing that changes what a compiler reads") {
    const ScopedVariable preload("LD_PRELOAD", "/nonexistent.so");
    const ScopedVariable path("CPATH", "/nonexistent");
    const ScopedVariable include("CPLUS_INCLUDE_PATH", "/nonexistent");
    const ScopedVariable library("LIBRARY_PATH", "/nonexistent");
    const ScopedVariable prefix("GCC_EXEC_PREFIX", "/nonexistent");
    const ScopedVariable locale("LC_ALL", "de_DE.UTF-8");
    const ScopedVariable kept("KGEN_TEST_KEPT", "yes");
    const std::string text = "\n" + run_child([] {
                                        ChildJob job = shell("env");
                                        job.temporary_directory = "/tmp/there";
                                        return job;
                                    }())
                                        .output;
    CHECK(text.find("/nonexistent") == std::string::npos);
    CHECK(text.find("\nLC_ALL=C\n") != std::string::npos);
    CHECK(text.find("\nTMPDIR=/tmp/there\n") != std::string::npos);
    CHECK(text.find("\nKGEN_TEST_KEPT=yes\n") != std::string::npos);
}

TEST_CASE("a child has default signal handling where this process ignores signals") {
    CHECK(said_by_child([]() -> std::string {
              ::signal(SIGCHLD, SIG_IGN);
              ::signal(SIGPIPE, SIG_IGN);
              sigset_t all;
              ::sigfillset(&all);
              ::sigprocmask(SIG_SETMASK, &all, nullptr);
              const ChildResult result = run_child(shell(
                  "grep -E '^Sig(Ign|Blk)' /proc/self/status | sed 's/.*\\(.\\{7\\}\\)$/\\1/'"));
              return result.output + (result.exit_status ? "status" : "no status");
          }) == "0000000\n0000000\nno status");
}

TEST_CASE("signals that interrupt system calls do not harm") {
    CHECK(said_by_child([]() -> std::string {
              struct sigaction action {};
              action.sa_handler = [](int) {};
              ::sigaction(SIGALRM, &action, nullptr);  // without SA_RESTART
              itimerval every{{0, 1000}, {0, 1000}};
              ::setitimer(ITIMER_REAL, &every, nullptr);
              const ChildResult result = run_child(shell("sleep 0.1; echo done; exit 3"));
              return result.output + std::to_string(result.exit_status.value_or(-1));
          }) == "done\n3");
}

TEST_CASE("a program that is not there is an error that names it") {
    ChildJob job;
    job.arguments = {"/nonexistent/g++"};
    CHECK(KGEN_MESSAGE_OF(DeviceError, run_child(job)) ==
          "'/nonexistent/g++' cannot be started: No such file or directory");
}

TEST_CASE("a child and its watch have no file of this process open") {
    const TempDir directory;
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);  // without O_CLOEXEC
    REQUIRE(::dup2(ends[1], 200) == 200);
    // The group leader is the process that watches the child. It may not have started yet.
    const ChildResult result = run_child(shell(
        "group=$(cut -d' ' -f5 /proc/$$/stat); "
        "while [ \"$(cat /proc/$group/comm)\" != sh ]; do sleep 0.01; done; "
        "for process in $$ $group; do for file in " +
        std::to_string(ends[0]) + " " + std::to_string(ends[1]) +
        " 200; do [ ! -e /proc/$process/fd/$file ] || echo $file is open; done; done; echo done"));
    CHECK(result.output == "done\n");
    for (const int file : {ends[0], ends[1], 200}) ::close(file);
}

TEST_CASE("a child runs where this process has closed its standard files") {
    CHECK(said_by_child([]() -> std::string {
              for (const int file : {0, 1, 2}) ::close(file);
              return run_child(shell("cat; echo out; echo error >&2")).output;
          }) == "out\nerror\n");
}

TEST_CASE("a program that waits for any child does not disturb compiles") {
    CHECK(said_by_child([]() -> std::string {
              std::atomic<bool> is_over{false};
              std::thread thief([&] {
                  while (!is_over) {
                      ::waitpid(-1, nullptr, WNOHANG);
                      std::this_thread::yield();
                  }
              });
              int right = 0;
              for (int k = 0; k < 20; ++k) {
                  const ChildResult result = run_child(shell("sleep 0.01; echo done"));
                  if (result.output == "done\n" && result.exit_status.value_or(0) == 0) ++right;
              }
              is_over = true;
              thief.join();
              return std::to_string(right);
          }) == "20");
}

TEST_CASE("a limit of memory holds for the child and what it starts") {
    ChildJob job = shell("sh -c 'ulimit -v; ulimit -f; ulimit -c'");
    job.memory_limit_bytes = 64 << 20;
    CHECK(run_child(job).output == "65536\n131072\n0\n");
}

TEST_CASE("without PATH a child and the search for the compiler have the usual folders") {
    for (const std::optional<std::string>& value :
         {std::optional<std::string>(""), std::optional<std::string>()}) {
        const ScopedVariable path("PATH", value);
        CHECK(program_path() == "/usr/bin:/bin");
        CHECK(run_child(shell("/usr/bin/env | /usr/bin/grep ^PATH=")).output ==
              "PATH=/usr/bin:/bin\n");
        CHECK(find_host_toolchain().path.starts_with("/"));
    }
    const ScopedVariable path("PATH", "/nonexistent");
    CHECK(program_path() == "/nonexistent");
}
