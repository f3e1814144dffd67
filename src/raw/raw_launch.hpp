// SPDX-License-Identifier: MIT
//
// One launch of a RawKernel: chooses device and stream, then runs at once (launch_raw) or is frozen
// (RawLaunch).
#pragma once

#include <kgen/launch_config.hpp>
#include <kgen/raw_argument.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/frozen_launch.hpp"
#include "memory/texture_memory.hpp"
#include "raw/ready_kernel.hpp"

namespace kgen {

// Returns the device of the first array, texture or surface, else of the stream, else current_device().
const Backend& device_of_launch(const LaunchConfig& config, std::span<const RawArgument> arguments);

// Checks the arguments and launches the kernel on the stream. Takes no lock, and allocates nothing if the
// parameters take up to 4 KiB.
void launch_raw(const std::string& name,
                const ReadyKernel& ready,
                const LaunchConfig& config,
                std::span<const RawArgument> arguments);

// A raw kernel with its arguments packed, to be launched any number of times.
class RawLaunch final : public FrozenLaunch {
public:
    // Checks the arguments. `ready` must live as long as `owner`, which this object keeps alive.
    RawLaunch(std::string name,
              const ReadyKernel& ready,
              std::shared_ptr<const void> owner,
              const LaunchConfig& config,
              std::span<const RawArgument> arguments);

    void launch() const override;
    NativeLaunch native() const override;

private:
    void keep_own(CaptureRecord& record) const override;

    std::string name_;
    std::shared_ptr<const void> owner_;
    const RawBackend* raw_;
    const LoadedKernel* kernel_;
    LaunchConfig config_;
    std::vector<std::byte> block_;
};

}  // namespace kgen
