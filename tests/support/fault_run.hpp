// SPDX-License-Identifier: MIT
//
// run_with_faults: a hidden test case of this program in a fresh process that has the fault library loaded.
#pragma once

#include <cstdlib>
#include <filesystem>
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
