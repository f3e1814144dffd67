// SPDX-License-Identifier: MIT
//
// Compiler: the interface to a compiler, which turns a source into an image. There is one implementation for
// NVRTC (src/cuda) and one for the system's C++ compiler (src/host).
#pragma once

#include <algorithm>
#include <cstdint>
#include <kgen/error.hpp>
#include <kgen/raw_options.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "device/image.hpp"

namespace kgen {

enum class SourceKind : std::uint8_t { generated, raw };

// Input of one compilation. `options` holds the user's options in order; the compiler appends its own.
struct CompileJob {
    std::string kernel;  // the user's name for the kernel, for messages
    std::string source;
    std::string symbol;  // the extern "C" entry point
    std::vector<std::string> options;
    Target target;
    std::string accumulator_symbol = {};  // see Image
    // The dtypes and the layout of a generated kernel as text. Listings of the cache show them.
    std::string dtypes = {};
    std::string layout = {};

    // For raw kernels, whose source the user writes whole.
    SourceKind kind = SourceKind::generated;
    std::vector<std::string> name_expressions = {};
    std::vector<LoweredName> lowered_names = {};  // host only, where the source determines them
    // The user's parts of the source. Empty if the caller did not provide them.
    std::vector<std::string> user_texts = {};
    std::vector<Header> headers = {};  // header files in memory
    std::vector<std::string> include_directories = {};
    // Digest of the names and contents of all files that the source includes, those in `headers` too. Empty
    // if it was not computed; the image of a source with includes is then not cached.
    std::string included_digest = {};
    std::vector<ModuleSource> linked_sources = {};  // further sources, linked with `source`
};

// Whether the predicate holds for any of the user's texts, or for the whole source if they are not known. The
// rest of a source is not read, because it may be long and this runs before each cache hit.
template <typename Predicate>
bool any_user_text(const CompileJob& job, const Predicate& predicate) {
    if (job.user_texts.empty()) return predicate(job.source);
    return std::any_of(job.user_texts.begin(), job.user_texts.end(), predicate);
}

// The compiler that makes an image, identified by its files. It is a part of every cache key, so a new
// compiler makes new entries.
struct Producer {
    std::string name;      // "NVRTC 13.0.88", "g++ 12.2.0"
    std::string path;      // the file that was identified
    std::string identity;  // build-ids of its files; equal identities give equal images
};

// A compile that failed for another reason than a mistake in the source: a limit, a full disk, a killed
// compiler. Compiling the same source again may succeed, so this failure must not be remembered.
class CompilerFailure : public CompileError {
public:
    using CompileError::CompileError;
};

// Throws CompileError if the log shows mistakes in the source (blames_source), else CompilerFailure. `log` is
// the unchanged output of the compiler.
[[noreturn]] void throw_refusal(const std::string& message,
                                const std::string& log,
                                const std::string& source);

// Throws CompileError "kernel '<name>': <problem>" for a job that is not given to the compiler.
[[noreturn]] void refuse_job(const CompileJob& job,
                             const std::string& problem,
                             ErrorParts parts = {});

class Compiler {
public:
    virtual ~Compiler() = default;

    // Identifies the compiler from its files, without loading or running it, so a cache hit never needs it.
    // If there is no compiler, throws DeviceError, which says what was looked for, where, and how to get it.
    // Thread safe; computed once.
    virtual const Producer& producer() const = 0;
    // The same for jobs with linked_sources: identifies the compiler and the linker.
    virtual const Producer& linking_producer() const { return producer(); }

    // Directories of the headers that belong to the compiler (CUDA's, CCCL's), in search order. Empty if
    // kgen's sources use no headers of the compiler. Thread safe; computed once.
    virtual const std::vector<std::string>& toolkit_include_directories() const {
        static const std::vector<std::string> none;
        return none;
    }

    // The architectures that it supports ("sm_90"), without suffixes. Empty if the compiler does not tell.
    // Throws DeviceError if the compiler is missing.
    virtual std::vector<std::string> supported_archs() const { return {}; }

    // The older architectures whose code also runs on devices of `arch`, the newest first. Pure.
    virtual std::vector<std::string> older_archs(const std::string& /*arch*/) const { return {}; }

    // Checks the user's options and returns all options for the compiler in order, kgen's included. Pure.
    // Throws CompileError, which names the option, if an option is not allowed.
    virtual std::vector<std::string> resolve_options(const CompileJob& job) const = 0;

    // Compiles a job. Throws CompileError if the source has errors, CompilerFailure if the compiler could not
    // finish, DeviceError if there is no usable compiler. Thread safe; several threads compile in parallel.
    virtual Image compile(const CompileJob& job) const = 0;
};

}  // namespace kgen
