// SPDX-License-Identifier: MIT
//
// A program that is run without a compiler and without the files of its templates. Its kernels were compiled
// when the program was built.
#include <fmt/format.h>

#include <kgen/kernel_template.hpp>
#include <kgen/kgen.hpp>

int main() {
    const kgen::Array x = kgen::arange(3, kgen::float32);
    fmt::print("{}\n", kgen::kernel_template("relu")(x));
    fmt::print("{}\n", kgen::kernel_template("triple")(x));
    fmt::print("{}\n", kgen::kernel_template("exp")(kgen::zeros({1}, kgen::float32)));
    try {
        kgen::kernel_template("square")(x);
    } catch (const kgen::CompileError&) {
        fmt::print("not compiled ahead\n");
    }
}
