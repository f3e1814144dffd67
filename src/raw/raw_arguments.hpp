// SPDX-License-Identifier: MIT
//
// pack_arguments: checks the arguments of a launch against the kernel's parameters and writes them to its
// parameter block. Takes no lock, and allocates or formats text only if it throws.
#pragma once

#include <cstddef>
#include <kgen/raw_argument.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "raw/typed_parameters.hpp"

namespace kgen {

// The parameters of a kernel.
struct RawParameters {
    std::span<const TypedParameter> list;
    std::size_t bytes = 0;  // size of the parameter block
};

// Returns the size of the parameter block.
std::size_t block_bytes(std::span<const TypedParameter> parameters) noexcept;

// Returns the device of an array, texture or surface; nothing for other arguments and for an empty Array.
std::optional<Device> device_of(const RawArgument& argument);

// Must be called at each launch on the stream, so that the memory of the arguments is reused only after it.
void mark_used(std::span<const RawArgument> arguments, const Stream& stream);

// Fills `block`, which has parameters.bytes bytes. All arrays must be on the device. Throws TypeError or
// ShapeError, naming the kernel and the argument.
void pack_arguments(const std::string& kernel,
                    const RawParameters& parameters,
                    std::span<const RawArgument> arguments,
                    const Backend& device,
                    std::byte* block);

}  // namespace kgen
