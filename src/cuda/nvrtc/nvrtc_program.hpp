// SPDX-License-Identifier: MIT
//
// NvrtcProgram: one source given to NVRTC, and what came of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/nvrtc/nvrtc_library.hpp"
#include "device/compiler.hpp"

namespace kgen {

// What NVRTC is given of a job; a job of several sources has several.
struct NvrtcInput {
    std::string name;  // "axpy": what debuggers and logs call it
    std::string source;
    std::vector<std::string> options;
    std::vector<std::string> expressions;
};

// The options that depend on NVRTC's version are added here, so that resolved ones do not. `number`
// tells the sources of a job apart.
NvrtcInput make_nvrtc_input(const NvrtcLibrary& library,
                            const CompileJob& job,
                            const std::string& source,
                            const std::vector<std::string>& options,
                            std::size_t number);

class NvrtcProgram {
public:
    // Compiles. Throws DeviceError if NVRTC fails; what it refuses is for succeeded() and refuse() to
    // tell. Both must outlive it.
    NvrtcProgram(const NvrtcLibrary& library, const CompileJob& job, NvrtcInput input);
    ~NvrtcProgram();
    NvrtcProgram(const NvrtcProgram&) = delete;
    NvrtcProgram& operator=(const NvrtcProgram&) = delete;

    bool succeeded() const noexcept { return result_ == NVRTC_SUCCESS; }
    const std::string& log() const noexcept { return log_; }  // file names are the user's own
    // Throws the CompileError: what was refused, then the log.
    [[noreturn]] void refuse() const;

    std::vector<std::byte> cubin() const;
    std::vector<std::byte> ptx() const;  // without NVRTC's NUL
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
    const std::string source_;          // as NVRTC is given it
    std::vector<std::string> headers_;  // likewise
    nvrtcProgram handle_ = nullptr;
    nvrtcResult result_ = NVRTC_SUCCESS;
    std::string log_;
};

}  // namespace kgen
