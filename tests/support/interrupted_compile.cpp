// SPDX-License-Identifier: MIT
//
// A program that ends while one of its threads compiles. Its argument names the way in which it ends.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <kgen/kgen.hpp>
#include <string>
#include <thread>

namespace {

void compile() {
    try {
        const kgen::ElementwiseKernel kernel("float32 x", "float32 z", "z = x", "interrupted");
        kernel(kgen::empty({1}, kgen::float32, {.device = kgen::Device::host()}));
    } catch (const std::exception&) {
    }
}

}  // namespace

int main(int /*count*/, char** arguments) {
    const std::string way = arguments[1];
    std::thread(compile).detach();
    // The compiler creates this file when all of its processes run.
    const char* started = std::getenv("KGEN_TEST_STARTED");
    while (!std::filesystem::exists(started)) ::usleep(1000);
    if (way == "exit") std::exit(0);
    if (way == "quick_exit") std::quick_exit(0);
    if (way == "_exit") ::_exit(0);
    if (way == "abort") std::abort();
    if (way == "exec") ::execl("/bin/sh", "sh", "-c", "exit 0", static_cast<char*>(nullptr));
    if (way == "SIGINT to the group") {
        ::setpgid(0, 0);
        ::kill(0, SIGINT);
    }
    if (way == "SIGKILL after a fork") {
        // The forked child lives until the test has finished.
        if (::fork() == 0) {
            while (::access(started, F_OK) == 0) ::usleep(1000);
            ::_exit(0);
        }
        ::raise(SIGKILL);
    }
    for (const auto& [name, signal] : {std::pair{"SIGINT", SIGINT},
                                       std::pair{"SIGTERM", SIGTERM},
                                       std::pair{"SIGHUP", SIGHUP},
                                       std::pair{"SIGSEGV", SIGSEGV},
                                       std::pair{"SIGKILL", SIGKILL}}) {
        if (way == name) ::raise(signal);
    }
    return 0;
}
