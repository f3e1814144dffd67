// SPDX-License-Identifier: MIT
//
// Finds the system's C++ compiler and identifies it without running it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

enum class CompilerFamily : std::uint8_t { gnu, clang };

// As a Producer: its name is as precise as its directories tell ("g++ 12"), its path is the program to run
// ("/usr/bin/g++"), and its identity is that of the driver and of the compiler that it runs.
struct HostToolchain : Producer {
    CompilerFamily family = CompilerFamily::gnu;
    std::vector<std::string> arguments;  // words after the program in KGEN_HOST_CXX or CXX
    std::string driver;                  // the file behind `path`, links resolved
};

// Returns the first compiler that exists among KGEN_HOST_CXX, CXX, g++, c++ and clang++. g++ comes first
// because it compiles small kernels in half the time of clang. It is an error if KGEN_HOST_CXX is set and
// does not exist. A CXX that does not exist, or is neither g++ nor clang++, is skipped. A leading ccache,
// sccache or distcc is dropped because kgen has a cache of its own. Throws DeviceError if no compiler is
// found; the message says what was searched for, where, and how to install one.
HostToolchain find_host_toolchain();

// Returns whether the compiler is clang++ of this major version or newer; false if the version is unknown.
bool is_clang_from(const HostToolchain& toolchain, int major);

// The full version for messages: "g++ 12.2.0". Reads the driver's file, which takes up to a millisecond.
std::string full_name(const HostToolchain& toolchain);

}  // namespace kgen
