// SPDX-License-Identifier: MIT
//
// The system's C++ compiler: where it is and which one it is, found without running it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

enum class CompilerFamily : std::uint8_t { gnu, clang };

struct HostToolchain {
    CompilerFamily family = CompilerFamily::gnu;
    std::string path;                    // what is run: "/usr/bin/g++"
    std::vector<std::string> arguments;  // words after the program in KGEN_HOST_CXX or CXX
    std::string driver;                  // the file behind the path
    std::string name;                    // "g++ 12": as precise as its directories say
    std::string identity;                // of the driver and of the compiler proper behind it
};

// Takes the first that is there of KGEN_HOST_CXX, CXX, g++, c++, clang++: g++ comes first because
// it compiles small kernels in half the time of clang. A KGEN_HOST_CXX that is not there is an
// error; a CXX that is not there, or is no g++ or clang, is passed over. A word ccache or sccache
// in front is dropped, as kgen has a cache of its own. Throws DeviceError if there is none: what
// was looked for, where, and how to get it.
HostToolchain find_host_toolchain();

// Whether it is clang++ of this version or newer; false if the version is not known.
bool is_clang_from(const HostToolchain& toolchain, int major);

// "g++ 12.2.0": for messages. Reads the driver's file, in up to a millisecond.
std::string full_name(const HostToolchain& toolchain);

}  // namespace kgen
