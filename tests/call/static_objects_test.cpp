// SPDX-License-Identifier: MIT
//
// kgen in static objects of a program and of a module that is opened and closed (support/static_kernels.cpp).
#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <thread>

#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/devices.hpp"
#include "support/fresh_process.hpp"

namespace {

// Twice the sum of 0 to 2^20 - 1, and the last of 0 to 31.
const std::string results = "1099510579200 31\n";

std::string beside_this_program(const char* name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

void* open_module(int how) {
    const std::string module = beside_this_program("libkgen_static_kernels_module.so");
    return ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL | how);
}

bool is_loaded() {
    void* again = open_module(RTLD_NOLOAD);
    if (again != nullptr) ::dlclose(again);
    return again != nullptr;
}

}  // namespace

TEST_CASE("kernels in static objects run in constructors before main and in destructors after it") {
    const FreshResult result = run_program(beside_this_program("kgen_static_kernels"),
                                           "",
                                           {{"KGEN_HOST_THREADS", "4"}, {"KGEN_DEVICE", "host"}});
    CHECK(result.text == "constructor: " + results + "run: " + results + "destructor: " + results +
                             "last: " + results + "new: 15\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("gpu: kernels in static objects run until the driver goes", "[cuda][gpu]") {
    if (!kgen::test::has_gpu()) {
        WARN("skipped: this test needs a GPU");
        return;
    }
    const FreshResult result =
        run_program(beside_this_program("kgen_static_kernels"), "", {{"KGEN_DEVICE", "cuda"}});
    CHECK(result.text == "constructor: " + results + "run: " + results + "destructor: " + results +
                             "cuda:0: cuCtxSetCurrent failed: CUDA_ERROR_DEINITIALIZED (driver "
                             "shutting down); the process is ending: the driver is unloaded before "
                             "static objects that existed when it was first used\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("fresh: opens and closes a module that embeds kgen", "[.fresh]") {
    const auto open = [] {
        void* module = open_module(0);
        if (module == nullptr) report(::dlerror() + std::string("\n"));
        return module;
    };
    const auto run = [&](void* module) {
        reinterpret_cast<void (*)()>(::dlsym(module, "run_static_kernels"))();
    };
    ::setenv("KGEN_TEST_IDLE", "1", 1);
    void* module = open();
    report(is_loaded() ? "open\n" : "not open\n");
    ::dlclose(module);
    report(is_loaded() ? "stays\n" : "gone\n");
    ::unsetenv("KGEN_TEST_IDLE");
    for (int round = 0; round < 2; ++round) {
        std::thread([&] {
            module = open();
            run(module);
        }).join();
        ::dlclose(module);
        report(is_loaded() ? "stays\n" : "gone\n");
    }
    report(ended_well(wait_for(start_child([] { return 0; }))) ? "forks\n" : "does not fork\n");
}

TEST_CASE("a module that embeds kgen stays once it has used a device") {
    // detect_leaks=0: a sanitizer reports what the module never destroys as leaked, because
    // nothing refers to it after the end.
    const FreshResult result = run_fresh(
        "fresh: opens and closes a module that embeds kgen",
        {{"KGEN_HOST_THREADS", "4"}, {"KGEN_DEVICE", "host"}, {"ASAN_OPTIONS", "detect_leaks=0"}});
    CHECK(result.text == "open\ngone\nconstructor: " + results + "run: " + results + "stays\n" +
                             "run: " + results + "stays\nforks\ndestructor: " + results +
                             "last: " + results + "new: 15\n");
    CHECK(result.exit_status == 0);
}
