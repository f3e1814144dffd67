// SPDX-License-Identifier: MIT
//
// NaiveLoop: the loop nest that a programmer writes for one call on the host, one loop for each axis in C
// order, with the call's extents and strides as constants. The system's C++ compiler compiles it with -O3
// -march=native, in a process of its own.
#pragma once

#include "benchmarks/new_process.hpp"
#include "benchmarks/prepared_case.hpp"

namespace kgen::bench {

class NaiveLoop {
public:
    // Compiles the loop for the operands of the case, a Kernel or a Reduction. Throws Error if the compiler
    // fails.
    NaiveLoop(const Case& given, const PreparedCase& prepared);
    ~NaiveLoop();
    NaiveLoop(const NaiveLoop&) = delete;
    NaiveLoop& operator=(const NaiveLoop&) = delete;

    // Runs the loop on this thread. It writes the outputs of the case.
    void operator()() const { run_(pointers_.data()); }

private:
    std::vector<void*> pointers_;  // inputs, then outputs
    void* library_ = nullptr;
    void (*run_)(void* const*) = nullptr;
};

// Returns the C++ text of the loop, which defines `extern "C" void run(void* const*)`.
std::string naive_loop_text(const Case& given, const PreparedCase& prepared);

}  // namespace kgen::bench
