// SPDX-License-Identifier: MIT
//
// Kernels compiled ahead of their first call: what `kgen compile` does. Needs NVRTC, but neither a GPU
// nor a driver.
#pragma once

#include <cstddef>
#include <functional>
#include <kgen/dtype.hpp>
#include <kgen/export.hpp>
#include <kgen/kernel_template.hpp>
#include <span>
#include <string>
#include <vector>

namespace kgen {

// The dtypes of one placeholder, in place of those that templates say are worth compiling.
struct TypeChoice {
    char placeholder = 'T';
    std::vector<DType> dtypes;
};

// How far it is. `done` counts kernels, each for one combination of types, layout and architecture.
struct PrecompileProgress {
    const std::string& kernel;  // the last one that was compiled
    std::size_t done = 0;
    std::size_t all = 0;
    double seconds = 0;
};

struct PrecompileOptions {
    // "sm_90", "sm_90a", or "host": this machine's CPU. None: the first GPU's, else "sm_90".
    std::vector<std::string> archs = {};
    std::vector<TypeChoice> types = {};  // placeholders that are not named here keep their own
    // Threads that compile; 0: KGEN_JOBS. Up to that number, what the program's other threads compile
    // at the same time counts in KGEN_JOBS too; more threads than that take no notice of it.
    int jobs = 0;
    bool ptx = false;  // keep PTX too, for `kgen cache inspect`
    // Called by the threads that compile, one at a time.
    std::function<void(const PrecompileProgress&)> progress = {};
};

struct PrecompileFailure {
    std::string kernel;  // with its types
    std::string arch;
    std::string message;
};

struct PrecompileSummary {
    std::size_t kernels = 0;   // distinct ones that were asked for
    std::size_t compiled = 0;  // of them, now
    std::size_t known = 0;     // of them, before
    std::size_t programs = 0;  // that the compiler was given
    double seconds = 0;        // wall time
    std::vector<PrecompileFailure> failures;
    // Names of templates that asked for no kernel: no dtypes are named for one of their placeholders,
    // or none of those that are fits a form.
    std::vector<std::string> empty;
};

// Compiles what the cache does not have, for each template, combination of types, layout and
// architecture, and puts it into the cache as one pack. A kernel that does not compile is a failure in
// the summary; the others are kept. Throws SignatureError for an architecture that the compiler does
// not have, and lists those it has; DeviceError if there is no NVRTC; IoError if the cache is off or
// does not take the pack.
KGEN_EXPORT PrecompileSummary precompile(std::span<const KernelTemplate> templates,
                                         const PrecompileOptions& options = {});

struct PrecompiledPack {
    std::vector<std::byte> bytes;  // the same for the same templates, options and NVRTC
    PrecompileSummary summary;
};

// The same into a pack alone (kgen/pack.hpp); the cache is neither asked nor changed. `known` is an
// earlier pack: if it holds exactly what is asked for, nothing is compiled.
KGEN_EXPORT PrecompiledPack precompile_pack(std::span<const KernelTemplate> templates,
                                            const PrecompileOptions& options = {},
                                            std::span<const std::byte> known = {});

}  // namespace kgen
