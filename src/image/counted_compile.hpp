// SPDX-License-Identifier: MIT
//
// counted_compile: compiles a job and counts it for cache_statistics(). All compiles go through it.
#pragma once

#include "device/compiler.hpp"
#include "image/image_counts.hpp"

namespace kgen {

// See Compiler::compile.
inline Image counted_compile(const Compiler& compiler, const CompileJob& job) {
    ++image_counts().compiles;
    try {
        return compiler.compile(job);
    } catch (...) {
        ++image_counts().compile_failures;
        throw;
    }
}

}  // namespace kgen
