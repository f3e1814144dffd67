// SPDX-License-Identifier: MIT
//
// Times kgen's host loops and loops compiled ahead of time alternately, on the same number of threads.
#pragma once

#include <cstdint>
#include <functional>

#include "benchmarks/host_loops.hpp"

// Compiles a function for each vector width, because kgen compiles for the CPU of this machine. Empty with
// sanitizers, which do not work with the resolver that chooses among the versions.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define KGEN_BENCH_EVERY_WIDTH __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define KGEN_BENCH_EVERY_WIDTH
#endif

namespace kgen::bench {

using Size = std::int64_t;

// Returns the number of threads that kgen may use.
int host_thread_count();

// Calls `work(begin, end, thread)` for parts of [0, count) on several threads, or once on this thread if
// `elements` is small.
void split_over_threads(Size count,
                        Size elements,
                        int threads,
                        const std::function<void(Size begin, Size end, int thread)>& work);

// Sets the times of the row to medians of alternating repetitions of `calls` calls each.
void time_in_turn(HostLoopRow& row,
                  const std::function<void()>& ours,
                  const std::function<void()>& theirs,
                  int calls,
                  int repetitions);

}  // namespace kgen::bench
