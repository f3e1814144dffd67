// SPDX-License-Identifier: MIT
//
// NaiveLoop: the loop nest that a programmer writes for one call on the host, one loop for each axis in C
// order. The system's C++ compiler compiles it with -O3 -march=native, in a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/new_process.hpp"
#include "benchmarks/prepared_case.hpp"

namespace kgen::bench {

// What the compiler knows of the call.
enum class NaiveKnows : std::uint8_t {
    layout,  // along which axes elements are neighbours, as for a loop that is compiled before its arrays are known
    all,     // every extent and stride
};

class NaiveLoop {
public:
    // Compiles the loop for the operands of the case, a Kernel or a Reduction, with these options besides its own. Throws Error if
    // the compiler fails.
    NaiveLoop(const Case& given,
              const PreparedCase& prepared,
              NaiveKnows knows,
              std::string_view options = {});
    ~NaiveLoop();
    NaiveLoop(const NaiveLoop&) = delete;
    NaiveLoop& operator=(const NaiveLoop&) = delete;

    // Runs the loop on this thread. It writes the outputs of the case.
    void operator()() const { run_(pointers_.data(), numbers_.data()); }

private:
    std::vector<void*> pointers_;  // inputs, then outputs
    std::vector<long> numbers_;    // extents and strides that the compiler does not know
    void* library_ = nullptr;
    void (*run_)(void* const*, const long*) = nullptr;
};

// The C++ text of the loop, which defines `extern "C" void run(void* const* pointers, const long* numbers)`, and the numbers.
struct NaiveText {
    std::string text;
    std::vector<long> numbers;
};
NaiveText naive_loop_text(const Case& given, const PreparedCase& prepared, NaiveKnows knows);

}  // namespace kgen::bench
