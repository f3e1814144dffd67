// SPDX-License-Identifier: MIT
//
// kgen's host loops and those compiled ahead of time, in turn and on as many threads.
#pragma once

#include <cstdint>
#include <functional>

#include "benchmarks/host_loops.hpp"

// Compiled for each width of vectors, as kgen compiles for the CPU that is there. Sanitizers do not bear
// what chooses among them.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define KGEN_BENCH_EVERY_WIDTH __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define KGEN_BENCH_EVERY_WIDTH
#endif

namespace kgen::bench {

using Size = std::int64_t;

// As many as kgen may use.
int host_thread_count();

// Calls `work(begin, end, thread)` for parts of [0, count); in this thread alone where the `elements`
// behind them are few.
void split_over_threads(Size count,
                        Size elements,
                        int threads,
                        const std::function<void(Size begin, Size end, int thread)>& work);

// Sets the times of the row to medians of interleaved repetitions of `calls` calls each.
void time_in_turn(HostLoopRow& row,
                  const std::function<void()>& ours,
                  const std::function<void()>& theirs,
                  int calls,
                  int repetitions);

}  // namespace kgen::bench
