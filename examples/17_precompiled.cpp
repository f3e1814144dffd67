// SPDX-License-Identifier: MIT
//
// Kernels that are compiled together with the program, by kgen_precompile() in CMakeLists.txt. The program
// needs neither NVRTC nor a compiler for them, and their first calls do not wait for a compilation. The
// kernels of this program are compiled for the host.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    const DeviceScope on_the_host(Device::host());
    configure_cache({.mode = CacheMode::off});  // so that nothing comes from an earlier run
    const Array x = arange(-3, 3, 1, float32).reshape({2, 3});

    fmt::print("{}\n", kernel_template("relu")(x));
    fmt::print("{}\n", kernel_template("l2norm")(x, axis(1)));
    const CacheStatistics statistics = cache_statistics();
    fmt::print(
        "compiled {}, found in the program {}\n", statistics.compiles, statistics.read_only_hits);

    // Layouts that were not precompiled are compiled on their first use. If compiling is forbidden
    // (KGEN_COMPILE=never) or there is no compiler, they run more slowly, through a general variant that
    // every pack contains.

    // A pack may also be a file: kgen compile relu --arch sm_80,sm_90 --output kernels.kgp. If a pack is
    // damaged, all of it is rejected.
    const std::string_view text = "no pack";
    try {
        use_pack(std::as_bytes(std::span(text)), "text");
    } catch (const PackError& error) {
        fmt::print("{}\n", error.what());
    }
}

// Output:
// [[0. 0. 0.]
//  [0. 1. 2.]]
// [3.7416575 2.236068 ]
// compiled 0, found in the program 2
// pack text: it is shorter than a header
