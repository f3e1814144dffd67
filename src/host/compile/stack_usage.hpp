// SPDX-License-Identifier: MIT
//
// StackUsage: the stack that a raw program's functions need on the host, as the compiler reports it
// (-fstack-usage). FiberStacks makes the stacks of a block's threads large enough for it. A program is
// rejected if one of its functions needs more than the local memory of a CUDA thread.
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

// Largest local memory of a CUDA thread in bytes (CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability").
inline constexpr std::uint64_t most_local_bytes = 524288;

// Sizes in bytes.
struct StackUsage {
    std::uint64_t largest_frame = 0;
    // Sum of the frames of all functions. Without recursion no chain of calls needs more.
    std::uint64_t all_frames = 0;
};

// Returns whether the compiler takes -fstack-usage and -fstack-clash-protection: g++ does, and clang++ from
// version 13 on.
bool takes_stack_usage(const HostToolchain& toolchain);

// Reads the text of a .su file. Each line is "FILE:LINE:COLUMN:FUNCTION<tab>BYTES<tab>QUALIFIERS".
StackUsage parse_stack_usage(std::string_view text);

// Reads the first *.su file in these directories. Returns nothing if there is none.
std::optional<StackUsage> read_stack_usage(std::initializer_list<std::string> directories);

// Writes the frame sizes into the HostStackUse of a raw program's object. Other objects have none and stay
// unchanged.
void write_stack_usage(std::span<std::byte> object, const StackUsage& usage);

}  // namespace kgen
