// SPDX-License-Identifier: MIT
//
// --devices of kgen run: a call whose arrays are divided among several devices.
#pragma once

#include <kgen/communicator.hpp>
#include <kgen/generated_kernel.hpp>
#include <kgen/sharded_array.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/output_place.hpp"
#include "cli/raw_run.hpp"

namespace kgen::cli {

// Checks the value of --devices. Returns the error message, or "".
std::string check_devices(const std::string& text);

// Returns a communicator of this process with a rank on each device of --devices, or nothing if the option is not given.
// Throws UsageError if options are given that a call on several devices cannot have; DeviceError; CommunicationError.
std::optional<Communicator> open_ranks(const RunOptions& options);

// Returns the device of each rank; none without ranks.
std::vector<Device> devices_of(const std::optional<Communicator>& ranks);

// Divides the arrays of a call; the element of a number has no array. Arrays that reach to the first axis of the loop are
// split along it into even blocks. The others, those of extent 1 there, and those that `is_raw` tells are replicated.
// Throws UsageError if no array can be split.
std::vector<ShardedArray> divide_arrays(std::span<const Argument> arguments,
                                        const std::vector<bool>& is_raw,
                                        const Communicator& ranks);

// The outputs of a run as whole arrays.
struct Outcome {
    std::vector<Array> outputs;
    Timing timing;
};

// Calls the kernel with divided arrays. Throws UsageError if an output is among the arguments.
Outcome call_split(const GeneratedKernel& kernel,
                   std::span<const Argument> arguments,
                   const CallOptions& options,
                   const Communicator& ranks,
                   bool time);

// Computes an expression of divided arrays. `names` are those of the arguments.
Outcome compute_split(const std::string& expression,
                      const std::vector<std::string>& names,
                      std::span<const Argument> arguments,
                      const Communicator& ranks,
                      bool time);

}  // namespace kgen::cli
