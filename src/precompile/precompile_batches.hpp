// SPDX-License-Identifier: MIT
//
// Jobs compiled together: what their sources share is read once by the compiler.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "entry.hpp"
#include "precompile/precompile_jobs.hpp"

namespace kgen {

// Indices of jobs that one program compiles, in their order. The same jobs make the same batches.
using PrecompileBatch = std::vector<std::size_t>;
std::vector<PrecompileBatch> make_batches(const std::vector<PrecompileJob>& jobs);

struct CompiledJobs {
    std::vector<std::optional<cache::Entry>> entries;  // one a job; none if it failed
    std::vector<PrecompileFailure> failures;           // in the order of the jobs
    std::size_t programs = 0;
};

// Compiles all batches with so many threads. Where a batch does not compile, its members are compiled
// alone. Throws DeviceError if there is no compiler. What was compiled is no function of the number of
// threads.
CompiledJobs compile_batches(const std::vector<PrecompileJob>& jobs,
                             const std::vector<PrecompileBatch>& batches,
                             const PrecompileOptions& options);

}  // namespace kgen
