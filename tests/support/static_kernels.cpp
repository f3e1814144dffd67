// SPDX-License-Identifier: MIT
//
// A program, and a module of the same source, with kernels and arrays in static objects. Constructors and
// destructors of other static objects use them and report what they compute (support/fresh_process.hpp).
#include <cstdint>
#include <kgen/kgen.hpp>
#include <optional>
#include <string>

#include "support/fresh_process.hpp"

using namespace kgen;

namespace {

// True if the module is only opened and closed.
const bool is_idle = std::getenv("KGEN_TEST_IDLE") != nullptr;

struct Kernels {
    ElementwiseKernel twice{"T x", "T y", "y = 2 * x", "twice"};
    ReductionKernel total{"T x", "T y", "x", "a + b", "y = a", "0", "total"};
    RawKernel turn{
        "__global__ void turn(long long* x) {\n"
        "    extern __shared__ long long kept[];\n"
        "    kept[threadIdx.x] = x[threadIdx.x];\n"
        "    __syncthreads();\n"
        "    x[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];\n}\n",
        "turn"};

    // Returns two results for the elements 0 to count - 1, which are enough to occupy all
    // threads: twice their sum, and the first of 32 elements in reverse order.
    std::string results(std::int64_t count = 1 << 20) const {
        const Array numbers = arange(count, int64);
        const Array sum = total(twice(numbers));
        const Array turned = arange(32, int64);
        turn.launch({.grid = {1}, .block = {32}, .shared_bytes = 32 * 8}, turned);
        return std::to_string(sum.item<std::int64_t>()) + " " +
               std::to_string(turned.to_vector<std::int64_t>().front());
    }
};

// An object that is destroyed after everything that kgen creates on first use. It creates what
// it needs itself.
struct Last {
    ~Last() {
        if (is_idle) return;
        try {
            report("last: " + Kernels().results() + "\n");
            const ElementwiseKernel thrice("T x", "T y", "y = 3 * x", "thrice");
            const Array fifteen = thrice(full({1}, Scalar(5), int32));
            report("new: " + std::to_string(fifteen.item<std::int32_t>()) + "\n");
        } catch (const Error& error) {
            report(std::string(error.what()) + "\n");
        }
    }
} last;

const Kernels kernels;
std::optional<Array> kept;

struct User {
    User() {
        if (is_idle) return;
        kept = arange(4, float32);
        report("constructor: " + kernels.results() + "\n");
    }
    ~User() {
        if (!is_idle) report("destructor: " + kernels.results() + "\n");
    }
};
const User user;

}  // namespace

// The function that a program calls after it opened the module.
extern "C" void run_static_kernels() {
    thread_local const Kernels own;
    thread_local std::optional<Array> array;
    array = arange(4, float32);
    report("run: " + own.results() + "\n");
}

int main() {
    run_static_kernels();
}
