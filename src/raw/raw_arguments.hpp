// SPDX-License-Identifier: MIT
//
// pack_arguments: the arguments of a launch, checked against what the kernel takes and laid out as its
// block of parameters. Takes no lock, allocates nothing and makes no text unless it throws.
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

// What is known of a kernel's parameters before its arguments are there.
struct RawParameters {
    std::span<const TypedParameter> list;
    std::size_t bytes = 0;  // of the block
};

std::size_t block_bytes(std::span<const TypedParameter> parameters) noexcept;

// Where the array, texture or surface is; nothing for all else and for an empty Array.
std::optional<Device> device_of(const RawArgument& argument);

// To be called when the arguments are given to the stream: their memory then waits for it.
void mark_used(std::span<const RawArgument> arguments, const Stream& stream);

// Fills `block`, parameters.bytes long. The arrays must be on the device. Throws TypeError and
// ShapeError that name the kernel and the argument.
void pack_arguments(const std::string& kernel,
                    const RawParameters& parameters,
                    std::span<const RawArgument> arguments,
                    const Backend& device,
                    std::byte* block);

}  // namespace kgen
