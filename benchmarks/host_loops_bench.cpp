// SPDX-License-Identifier: MIT
//
// kgen_host_loops [REPETITIONS]: the host's loops beside loops compiled ahead of time, as a table.
#include <fmt/format.h>

#include <cstdlib>

#include "host_loops.hpp"

int main(int argc, char** argv) {
    const int repetitions = argc > 1 ? std::atoi(argv[1]) : 15;
    fmt::print("{:<30}{:>8}{:>11}{:>11}{:>8}{:>11}{:>11}\n",
               "loop",
               "threads",
               "kgen ms",
               "ahead ms",
               "speed",
               "kgen cpu",
               "ahead cpu");
    int wrong = 0;
    for (const kgen::bench::HostLoopRow& row : kgen::bench::measure_host_loops(repetitions)) {
        fmt::print("{:<30}{:>8}{:>11.4f}{:>11.4f}{:>8.2f}{:>11.4f}{:>11.4f}{}\n",
                   row.name,
                   row.threads,
                   row.kgen_ms,
                   row.reference_ms,
                   row.speed(),
                   row.kgen_cpu_ms,
                   row.reference_cpu_ms,
                   row.equal ? "" : "  wrong values");
        wrong += row.equal ? 0 : 1;
    }
    return wrong == 0 ? 0 : 1;
}
