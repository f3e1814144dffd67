// SPDX-License-Identifier: MIT
//
// Compiles prelude sections and a snippet like a generated program: with NVRTC, opened at run
// time, and with the host's compilers. The host's result is loaded and called.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace prelude {

inline std::string sections(std::initializer_list<std::string_view> names) {
    std::string text;
    for (const std::string_view name : names) {
        const std::string path =
            std::string(KGEN_SOURCE_DIR "/kernel_templates/skeletons/prelude/") +
            std::string(name) + ".cuh";
        std::ifstream file(path);
        std::stringstream content;
        content << file.rdbuf();
        if (content.str().empty()) throw std::runtime_error("cannot read " + path);
        text += content.str();
    }
    return text;
}

inline std::string all_cuda() {
    return sections({"base_cuda",
                     "math_constants",
                     "float16",
                     "bfloat16",
                     "narrow_float",
                     "complex",
                     "complex_functions",
                     "atomics_cuda",
                     "raw_view"});
}

inline std::string all_host() {
    return sections({"base_host",
                     "standard_names_host",
                     "own_functions_host",
                     "math_host",
                     "special_host",
                     "intrinsics_host",
                     "vector_types_host",
                     "math_constants",
                     "float16",
                     "bfloat16",
                     "narrow_float",
                     "complex",
                     "complex_functions",
                     "atomics_host",
                     "raw_view"});
}

// NVRTC, if it is installed.
class Nvrtc {
public:
    Nvrtc() {
        for (const char* name : {"libnvrtc.so.13",
                                 "/usr/local/cuda/lib64/libnvrtc.so.13",
                                 "libnvrtc.so.12",
                                 "/usr/local/cuda/lib64/libnvrtc.so.12"}) {
            if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        }
        if (library_ == nullptr) WARN("NVRTC is not installed: its half of this test is skipped");
    }
    explicit operator bool() const { return library_ != nullptr; }

    // Returns the compiler's log if it rejects the source, or "".
    std::string refusal(const std::string& source, const char* target) const {
        void* program = nullptr;
        call<int (*)(void**, const char*, const char*, int, void*, void*)>("nvrtcCreateProgram")(
            &program, source.c_str(), "program.cu", 0, nullptr, nullptr);
        const std::string arch = std::string("-arch=") + target;
        const char* options[] = {
            arch.c_str(), "-std=c++17", "-minimal", "-no-cache", "-default-device"};
        const int result = call<int (*)(void*, int, const char* const*)>("nvrtcCompileProgram")(
            program, 5, options);
        std::string log;
        if (result != 0) {
            std::size_t size = 0;
            call<int (*)(void*, std::size_t*)>("nvrtcGetProgramLogSize")(program, &size);
            log.resize(size);
            call<int (*)(void*, char*)>("nvrtcGetProgramLog")(program, log.data());
            if (log.empty()) log = "refused without a log";
        }
        call<int (*)(void**)>("nvrtcDestroyProgram")(&program);
        return log;
    }

private:
    template <typename Function>
    Function call(const char* name) const {
        return reinterpret_cast<Function>(dlsym(library_, name));
    }

    void* library_ = nullptr;
};

// The host compilers of this machine.
inline std::vector<std::string> host_compilers() {
    std::vector<std::string> found;
    for (const char* name : {"g++", "clang++"}) {
        const std::string command = std::string("command -v ") + name + " > /dev/null 2>&1";
        if (std::system(command.c_str()) == 0) found.emplace_back(name);
    }
    return found;
}

// A shared object that a host compiler made. The destructor removes it.
class HostProgram {
public:
    HostProgram(const std::string& compiler, const std::string& source) {
        std::string folder =
            (std::filesystem::temp_directory_path() / "kgen_prelude_XXXXXX").string();
        if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot make " + folder);
        folder_ = folder;
        const std::filesystem::path input = folder_ / "program.cpp",
                                    output = folder_ / "program.so";
        std::ofstream(input) << source;
        const std::string command =
            compiler +
            " -w -std=c++17 -O3 -march=native -fPIC -shared -nostdlib -nostdinc -nostdinc++ "
            "-fvisibility=hidden -fno-exceptions -fno-math-errno -fno-trapping-math -fwrapv "
            "-fno-strict-aliasing -ffp-contract=fast -o " +
            output.string() + " " + input.string() + " 2>&1";
        FILE* pipe = popen(command.c_str(), "r");
        char buffer[4096];
        while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe))
            refusal_.append(buffer, got);
        if (pclose(pipe) == 0) {
            refusal_.clear();
            library_ = dlopen(output.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (library_ == nullptr) refusal_ = dlerror();
        }
    }
    HostProgram(const HostProgram&) = delete;
    HostProgram& operator=(const HostProgram&) = delete;
    ~HostProgram() {
        if (library_ != nullptr) dlclose(library_);
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    // Message of the compiler or the loader if compiling or loading failed, or "".
    const std::string& refusal() const { return refusal_; }

    // Returns a function that the snippet exports with `extern "C" KGEN_EXPORT`.
    template <typename Function>
    Function* function(const char* name) const {
        if (library_ == nullptr) throw std::runtime_error(refusal_);
        auto* found = reinterpret_cast<Function*>(dlsym(library_, name));
        if (found == nullptr) throw std::runtime_error(std::string("no function ") + name);
        return found;
    }

private:
    std::filesystem::path folder_;
    std::string refusal_;
    void* library_ = nullptr;
};

// Returns the output of a host compiler that only checks a source.
inline std::string host_log(const std::string& compiler,
                            const std::string& source,
                            const std::string& options) {
    std::string input = (std::filesystem::temp_directory_path() / "kgen_check_XXXXXX").string();
    const int file = mkstemp(input.data());
    if (file < 0) throw std::runtime_error("cannot make " + input);
    close(file);
    std::ofstream(input) << source;
    const std::string command = compiler +
                                " -w -fsyntax-only -nostdinc -nostdinc++ -fno-exceptions " +
                                options + " -x c++ " + input + " 2>&1";
    std::string log;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) log.append(buffer, got);
    const bool is_refused = pclose(pipe) != 0;
    std::remove(input.c_str());
    return is_refused && log.empty() ? "refused without a log" : log;
}

inline constexpr const char* export_macro =
    "#define KGEN_EXPORT extern \"C\" __attribute__((visibility(\"default\")))\n";

}  // namespace prelude
