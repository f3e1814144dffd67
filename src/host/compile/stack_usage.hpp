// SPDX-License-Identifier: MIT
//
// What the functions of a program need of the stack, as the compiler tells it (-fstack-usage). The stacks of
// a block's threads are made as large as that, and what no GPU has is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/compile/host_toolchain.hpp"

namespace kgen {

// Local memory of a thread in bytes (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability").
inline constexpr std::uint64_t most_local_bytes = 524288;

// In bytes.
struct StackUsage {
    std::uint64_t largest_frame = 0;
    // The sum of the frames of all functions. Without recursion no chain of calls takes more.
    std::uint64_t all_frames = 0;
};

// Whether the compiler takes -fstack-usage and -fstack-clash-protection: g++, and clang++ from 13 on.
bool takes_stack_usage(const HostToolchain& toolchain);

// Reads the text of a .su file, "FILE:LINE:COLUMN:FUNCTION<tab>BYTES<tab>QUALIFIERS" in each line.
StackUsage parse_stack_usage(std::string_view text);

// Reads the first *.su file in these directories. Nothing if there is none.
std::optional<StackUsage> read_stack_usage(std::initializer_list<std::string> directories);

// Writes the bytes of frames to the place that a raw program has for it (HostStackUse); other objects
// have none and stay as they are.
void write_stack_usage(std::span<std::byte> object, const StackUsage& usage);

}  // namespace kgen
