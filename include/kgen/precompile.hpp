// SPDX-License-Identifier: MIT
//
// Compiles kernels ahead of their first call, as `kgen compile` does. For GPUs this needs NVRTC, but neither
// a GPU nor a driver.
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

// The dtypes to compile for one placeholder. They replace the dtypes that the templates list.
struct TypeChoice {
    char placeholder = 'T';
    std::vector<DType> dtypes;
};

// Progress of a precompilation. A kernel here is one combination of template, types, layout and architecture.
struct PrecompileProgress {
    const std::string& kernel;  // compiled last
    std::size_t done = 0;       // kernels finished so far
    union {
        std::size_t total = 0;  // kernels to compile
        [[deprecated("use total")]] std::size_t all;
    };
    double seconds = 0;  // since the start
};

struct PrecompileOptions {
    // "sm_90", "sm_90a", or "host" for this machine's CPU. Empty: that of the first GPU, or "sm_90" without
    // one.
    std::vector<std::string> archs = {};
    std::vector<TypeChoice> types = {};  // other placeholders keep the template's dtypes
    // Number of compiling threads; 0: the value of KGEN_JOBS. Up to KGEN_JOBS threads, the limit KGEN_JOBS
    // applies to them and the program's other compiles together. With more threads, this call ignores the
    // limit.
    int jobs = 0;
    bool ptx = false;  // also stores the PTX, for `kgen cache inspect`
    // Called from the compiling threads, one call at a time.
    std::function<void(const PrecompileProgress&)> progress = {};
};

struct PrecompileFailure {
    std::string kernel;  // name and types
    std::string arch;
    std::string message;
};

struct PrecompileSummary {
    std::size_t kernels = 0;   // distinct kernels that were requested
    std::size_t compiled = 0;  // of `kernels`: compiled by this call
    std::size_t known = 0;     // of `kernels`: already in the cache or pack
    std::size_t programs = 0;  // compiler runs
    double seconds = 0;        // wall time
    std::vector<PrecompileFailure> failures;
    // Names of templates that requested no kernel, because a placeholder has no dtypes to compile or none of
    // them fits a form.
    std::vector<std::string> empty;
};

// Compiles every combination of template, types, layout and architecture that is not in the cache, and stores
// the results there as one pack. If a kernel does not compile, the summary lists the failure and the other
// kernels are stored. Throws a SignatureError that lists the supported architectures if one is not supported;
// DeviceError if there is no NVRTC; IoError if the cache is off or cannot store the pack.
KGEN_EXPORT PrecompileSummary precompile(std::span<const KernelTemplate> templates,
                                         const PrecompileOptions& options = {});

struct PrecompiledPack {
    std::vector<std::byte> bytes;  // equal for equal templates, options and NVRTC versions
    PrecompileSummary summary;
};

// Compiles into a pack (kgen/pack.hpp) without reading or changing the cache. `known` is an earlier pack: if
// it holds exactly the requested kernels, made by the same compilers, it is returned and nothing is compiled.
KGEN_EXPORT PrecompiledPack precompile_pack(std::span<const KernelTemplate> templates,
                                            const PrecompileOptions& options = {},
                                            std::span<const std::byte> known = {});

}  // namespace kgen
