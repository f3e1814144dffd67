// SPDX-License-Identifier: MIT
//
// Compiler: source in, image out. NVRTC (src/cuda) and the system's C++ compiler (src/host).
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

// What a compiler is given. `options` are the user's, in order; the compiler adds its own.
struct CompileJob {
    std::string kernel;  // the user's name of the kernel, for messages
    std::string source;
    std::string symbol;  // the extern "C" entry point
    std::vector<std::string> options;
    Target target;
    std::string accumulator_symbol = {};  // see Image

    // Of kernels of the user's own.
    SourceKind kind = SourceKind::generated;
    std::vector<std::string> name_expressions = {};
    std::vector<LoweredName> lowered_names = {};  // host: known from the source
    // Of generated sources: all in them that is not kgen's own. Empty: nobody said.
    std::vector<std::string> user_texts = {};
    std::vector<Header> headers = {};  // files in memory
    std::vector<std::string> include_directories = {};
    // What the files that the source includes hold: names and contents, those of `headers` too.
    // Empty if nobody looked: then an image of a source with includes is not stored.
    std::string included_digest = {};
    std::vector<ModuleSource> linked_sources = {};  // further sources, linked to `source`
};

// Whether that holds of any text in the source that may be the user's: long sources are looked through on the way to
// each hit.
template <typename Predicate>
bool any_user_text(const CompileJob& job, const Predicate& predicate) {
    if (job.user_texts.empty()) return predicate(job.source);
    return std::any_of(job.user_texts.begin(), job.user_texts.end(), predicate);
}

// Who compiles: enters every cache entry, so that a new compiler makes new entries.
struct Producer {
    std::string name;      // "NVRTC 13.0.88", "g++ 12.2.0"
    std::string path;      // the file that was identified
    std::string identity;  // build-ids of its files: equal identities compile alike
};

// A compile that failed for another reason than a mistake in the source: a limit, a full disk, a compiler
// that was ended. Compiling the same again may succeed, so that it must not be remembered.
class CompilerFailure : public CompileError {
public:
    using CompileError::CompileError;
};

// Throws CompileError if the log, which is as the compiler printed it, blames the source, else
// CompilerFailure.
[[noreturn]] void throw_refusal(const std::string& message,
                                const std::string& log,
                                const std::string& source);

class Compiler {
public:
    virtual ~Compiler() = default;

    // Identifies the compiler from its files, without opening or running it (so that a cache hit
    // never needs it). Throws DeviceError if there is none: what was looked for, where, and how to
    // get it. Thread safe; computed once.
    virtual const Producer& producer() const = 0;
    // Of jobs with linked_sources: the compiler and the linker, likewise.
    virtual const Producer& linking_producer() const { return producer(); }

    // Where the headers that belong to the compiler lie (CUDA's, CCCL's), in the order of their
    // search; none for a compiler whose headers kgen's sources do not use. Thread safe; computed
    // once.
    virtual const std::vector<std::string>& toolkit_include_directories() const {
        static const std::vector<std::string> none;
        return none;
    }

    // The architectures that it makes code for, "sm_90", suffixes apart; empty: it says none. Throws
    // DeviceError if there is no compiler.
    virtual std::vector<std::string> supported_archs() const { return {}; }

    // Checks the user's options and returns those that the compiler would be given, in order, its
    // own ones included. Pure. Throws CompileError for an option that is refused, by name.
    virtual std::vector<std::string> resolve_options(const CompileJob& job) const = 0;

    // Throws CompileError if the source is refused, CompilerFailure if the compiler could not finish,
    // DeviceError if there is no usable compiler. Thread safe: compiles of several threads run at once.
    virtual Image compile(const CompileJob& job) const = 0;
};

}  // namespace kgen
