// SPDX-License-Identifier: MIT
//
// NvrtcProgram: one source compiled by NVRTC, and the result.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/driver/unique_handle.hpp"
#include "cuda/nvrtc/nvrtc_library.hpp"
#include "device/compiler.hpp"

namespace kgen {

// Input of one compilation by NVRTC. A job has one for each of its sources.
struct NvrtcInput {
    std::string name;  // name in debuggers and logs, such as "axpy"
    std::string source;
    std::vector<std::string> options;
    std::vector<std::string> expressions;
};

// Makes the input for one source of the job. `options` is the result of resolve_nvrtc_options(). Adds the
// options that depend on NVRTC's version or on directories of this machine, which must not be part of the
// cache key. `number` is the index of the source in the job.
NvrtcInput make_nvrtc_input(const NvrtcLibrary& library,
                            const CompileJob& job,
                            const std::string& source,
                            const std::vector<std::string>& options,
                            std::size_t number);

class NvrtcProgram {
public:
    // Compiles the input. Throws DeviceError if NVRTC fails. If NVRTC refuses the source or the options,
    // succeeded() is false and refuse() throws the reason. `library` and `job` must outlive this.
    NvrtcProgram(const NvrtcLibrary& library, const CompileJob& job, NvrtcInput input);

    bool succeeded() const noexcept { return result_ == NVRTC_SUCCESS; }
    const std::string& log() const noexcept { return log_; }  // with the user's file names
    // Throws the CompileError: it says what was refused, then shows the log.
    [[noreturn]] void refuse() const;

    std::vector<std::byte> cubin() const;
    std::vector<std::byte> ptx() const;  // without NVRTC's terminating NUL
    std::vector<std::byte> lto_ir() const;
    std::string lowered_name(const std::string& expression) const;

private:
    void create();
    void compile();
    [[noreturn]] void fail() const;
    void check(nvrtcResult result, const char* call) const;
    template <typename Bytes, typename GetSize, typename Get>
    Bytes read(GetSize get_size, Get get, const char* call) const;

    const NvrtcLibrary& library_;
    const CompileJob& job_;
    const NvrtcInput input_;
    const bool has_debug_labels_;
    const std::string name_;
    const std::string source_;          // text passed to NVRTC
    std::vector<std::string> headers_;  // texts passed to NVRTC
    UniqueHandle<nvrtcProgram, decltype(NvrtcApi::destroy_program)> handle_;
    nvrtcResult result_ = NVRTC_SUCCESS;
    std::string log_;
};

}  // namespace kgen
