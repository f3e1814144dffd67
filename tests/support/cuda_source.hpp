// SPDX-License-Identifier: MIT
//
// Compiles the CUDA source of a call with kgen's own compiler. Needs no GPU.
#pragma once

#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "image/find_or_compile.hpp"
#include "image/included_files.hpp"
#include "image/process_store.hpp"
#include "support/catch.hpp"

namespace kgen::test {

// Returns whether NVRTC is installed and warns if it is not. Call it once in a test case.
inline bool has_nvrtc() {
    try {
        static_cast<void>(compiler(DeviceKind::cuda).producer());
        return true;
    } catch (const DeviceError&) {
        WARN("SKIPPED: no NVRTC");
        return false;
    }
}

// Returns NVRTC's name in messages, such as "NVRTC 13.0", without further version numbers.
inline std::string nvrtc_name() {
    const std::string name = compiler(DeviceKind::cuda).producer().name;
    return name.substr(0, name.find('.', name.find('.') + 1));
}

// Returns what NVRTC makes of the job. It goes through the disk cache, because the sanitizers' run asks for what the tests
// before it have compiled, and NVRTC takes twice the time there.
inline Image nvrtc_image(const CompileJob& job) {
    const Compiler& nvrtc = compiler(DeviceKind::cuda);
    return find_or_compile(job, make_request(job, nvrtc), nvrtc, process_store()).image;
}

// Returns the compile job of a call on a GPU. `options` are the kernel's.
template <typename Kernel>
CompileJob cuda_job(const Kernel& kernel,
                    const std::vector<Argument>& arguments,
                    const std::vector<std::string>& options = {},
                    const CallOptions& call = {}) {
    const Explanation told =
        kernel.explain(arguments, call, {.device = Device::cuda(0), .arch = "sm_90"});
    CompileJob job{.kernel = kernel.name(),
                   .source = told.source,
                   .symbol = told.symbol,
                   .options = options,
                   .target = default_target(DeviceKind::cuda)};
    job.target.arch = "sm_90";
    const IncludedFiles included = find_included_files({.texts = {{"source", job.source}},
                                                        .headers = {},
                                                        .include_directories = {},
                                                        .options = options});
    job.headers = included.headers;
    job.include_directories = included.include_directories;
    return job;
}

// Returns NVRTC's error message for the call, or "" if it compiles.
template <typename Kernel>
std::string cuda_refusal(const Kernel& kernel,
                         const std::vector<Argument>& arguments,
                         const std::vector<std::string>& options = {},
                         const CallOptions& call = {}) {
    try {
        static_cast<void>(nvrtc_image(cuda_job(kernel, arguments, options, call)));
        return {};
    } catch (const CompileError& error) {
        return error.log().empty() ? error.what() : error.log();
    }
}

}  // namespace kgen::test
