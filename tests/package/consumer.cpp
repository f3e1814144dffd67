// SPDX-License-Identifier: MIT
//
// A program of another project: it runs a kernel, prints the result, and catches an error by its type.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

int main() {
    const kgen::ElementwiseKernel scale("T x, T gain", "T y", "y = x * gain", "scale");
    fmt::print("{}\n", scale(kgen::arange(4, kgen::float32), 2.5));
    try {
        const kgen::ElementwiseKernel wrong("flaot32 x", "float32 y", "y = x", "wrong");
    } catch (const kgen::SignatureError&) {
        fmt::print("unknown dtype refused\n");
    }
}
