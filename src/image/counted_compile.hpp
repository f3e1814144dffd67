// SPDX-License-Identifier: MIT
//
// counted_compile: a compile that cache_statistics() tells of. All compiles go through it.
#pragma once

#include "device/compiler.hpp"
#include "image/image_counts.hpp"

namespace kgen {

// As Compiler::compile.
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
