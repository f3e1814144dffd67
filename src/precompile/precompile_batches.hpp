// SPDX-License-Identifier: MIT
//
// Compiles jobs in batches, so that the compiler reads the text that their sources share only once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "entry.hpp"
#include "precompile/precompile_jobs.hpp"

namespace kgen {

// Indices, in ascending order, of the jobs that are compiled as one program.
using PrecompileBatch = std::vector<std::size_t>;
// Deterministic: equal jobs give equal batches.
std::vector<PrecompileBatch> make_batches(const std::vector<PrecompileJob>& jobs);

struct CompiledJobs {
    std::vector<cache::Entry> entries;  // in the order of the jobs, without those that failed
    PrecompileSummary summary;          // its compiled, programs and failures
};

// Compiles the batches of the jobs with thread_count(options) threads. If a batch does not compile, its
// members are compiled one by one. The entries do not depend on the number of threads. Throws DeviceError if
// there is no compiler.
CompiledJobs compile_batches(const std::vector<PrecompileJob>& jobs,
                             const PrecompileOptions& options);

}  // namespace kgen
