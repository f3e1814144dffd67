// SPDX-License-Identifier: MIT
//
// run_with_faults: runs a hidden test case of this program in a fresh process that has the
// fault library loaded. In that process with_fault and for_each_call make calls fail.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/fault_preload.hpp"
#include "support/fresh_process.hpp"
#include "support/memory_folder.hpp"

inline FreshResult run_with_faults(const std::string& test_case) {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    const char* options = std::getenv("ASAN_OPTIONS");
    return run_fresh(test_case,
                     {{"TMPDIR", memory_folder()},
                      {"LD_PRELOAD", program.parent_path() / "libkgen_fault.so"},
                      {"ASAN_OPTIONS",
                       (options == nullptr ? std::string() : options + std::string(":")) +
                           "verify_asan_link_order=0:detect_leaks=0"}});
}

// Does the work with that fault and returns the number of counted calls.
template <class Work>
long with_fault(const kgen::test::Fault& fault, Work work) {
    static const auto library = kgen::test::FaultLibrary::find();
    library.arm(&fault);
    work();
    library.arm(nullptr);
    return library.count();
}

// Runs the check once for each call of that kind and each error. Returns the first problem, or "good".
inline std::string for_each_call(
    kgen::test::FaultCall call,
    const std::vector<int>& errors,
    const std::function<std::string(const kgen::test::Fault&, long& calls)>& check) {
    for (const int error : errors) {
        for (long number = 1; number < 10'000; ++number) {
            long calls = 0;
            const std::string problem =
                check({call, number, number, kgen::test::FaultAction::fail, error}, calls);
            if (!problem.empty()) {
                return "call " + std::to_string(number) + ", error " + std::to_string(error) +
                       ": " + problem + "\n";
            }
            if (calls < number) break;
        }
    }
    return "good\n";
}
