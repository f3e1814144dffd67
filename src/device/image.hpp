// SPDX-License-Identifier: MIT
//
// Image: what a compiler makes of a source, ready to be loaded or stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/target.hpp"

namespace kgen {

enum class ImageKind : std::uint8_t { cubin, ptx, host_object, fatbin };

// One form of the compiled code. A CUDA image has a cubin and the PTX it was made from; a host
// image has one shared object.
struct ImageSection {
    ImageKind kind;
    std::vector<std::byte> bytes;
};

// A C++ expression that names a kernel or a variable, and the symbol it has in the code.
struct LoweredName {
    std::string expression;
    std::string symbol;
    friend bool operator==(const LoweredName&, const LoweredName&) = default;
};

struct Image {
    Target target;
    std::string symbol;  // the entry point's name in the code; empty for a module of several
    // Names what tells the size of an accumulator, empty if the size is known: CUDA: an entry point,
    // never launched, whose one parameter is an accumulator; host: a constant
    // unsigned long long.
    std::string accumulator_symbol = {};
    std::vector<LoweredName> lowered_names = {};  // of the job's name expressions, in their order
    std::vector<ImageSection> sections;
    std::string log;        // the compiler's warnings, empty for a cached image
    double compile_ms = 0;  // 0 for a cached image

    // The section of that kind, or nullptr.
    const ImageSection* find(ImageKind kind) const noexcept {
        for (const ImageSection& section : sections) {
            if (section.kind == kind) return &section;
        }
        return nullptr;
    }
};

}  // namespace kgen
