// SPDX-License-Identifier: MIT
//
// Image: the output of a compiler, ready to be loaded or stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/target.hpp"

namespace kgen {

enum class ImageKind : std::uint8_t { cubin, ptx, host_object, fatbin };

// One section of an image: code of one kind. A CUDA image has a cubin and the PTX from which it was made; a
// host image has one shared object.
struct ImageSection {
    ImageKind kind;
    std::vector<std::byte> bytes;
};

// A C++ expression that names a kernel or a variable, and its symbol in the compiled code.
struct LoweredName {
    std::string expression;
    std::string symbol;
    friend bool operator==(const LoweredName&, const LoweredName&) = default;
};

struct Image {
    Target target;
    std::string symbol;  // the entry point's symbol; empty for a module, which may have several
    // Symbol from which kgen reads the size of an accumulator; empty if the size is known. On CUDA it is an
    // entry point that is never launched and whose only parameter is an accumulator. On the host it is a
    // constant of type unsigned long long.
    std::string accumulator_symbol = {};
    std::vector<LoweredName> lowered_names = {};  // for the job's name expressions, in order
    std::vector<ImageSection> sections;
    std::string log;        // the compiler's warnings; also of a cached image
    double compile_ms = 0;  // 0 for a cached image

    // Returns the section of that kind, or nullptr.
    const ImageSection* find(ImageKind kind) const noexcept {
        for (const ImageSection& section : sections) {
            if (section.kind == kind) return &section;
        }
        return nullptr;
    }
};

}  // namespace kgen
