// SPDX-License-Identifier: MIT
#include "raw/raw_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <kgen/error.hpp>
#include <kgen/texture.hpp>
#include <limits>
#include <optional>

#include "device/chosen_stream.hpp"
#include "device/registry.hpp"
#include "memory/storage.hpp"
#include "raw/raw_arguments.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

using Kind = RawArgument::Kind;

bool is_array(const RawArgument& argument) noexcept {
    return (argument.kind() == Kind::array || argument.kind() == Kind::view) &&
           argument.array().has_value();
}

// Returns the stream of a launch: LaunchConfig::stream, else the current stream. It is not copied, because
// copying a Stream costs time. If the thread has set no current stream, the legacy default stream is current,
// and is stored in `legacy`.
const Stream& stream_of(const std::string& kernel,
                        const LaunchConfig& config,
                        Device device,
                        std::optional<Stream>& legacy) {
    if (!config.stream) {
        const Stream* chosen = chosen_stream(device);
        return chosen != nullptr ? *chosen : legacy.emplace(Stream::legacy(device));
    }
    if (config.stream->device() == device) return *config.stream;
    refuse<ShapeError>(
        {ErrorKind::device, "stream", to_text(device), to_text(config.stream->device())},
        "kernel '{}': the stream is on {}, but the call is on {}",
        kernel,
        to_text(config.stream->device()),
        to_text(device));
}

// Extents that are too large are clamped, so that the driver refuses them; a cast would truncate them.
unsigned saturated(std::int64_t extent) noexcept {
    constexpr std::int64_t most = std::numeric_limits<unsigned>::max();
    return static_cast<unsigned>(std::clamp<std::int64_t>(extent, 0, most));
}

std::vector<Array> arrays_of(std::span<const RawArgument> arguments) {
    std::vector<Array> arrays;
    for (const RawArgument& argument : arguments) {
        if (is_array(argument)) arrays.push_back(argument.array());
    }
    return arrays;
}

std::vector<std::shared_ptr<TextureMemory>> images_of(std::span<const RawArgument> arguments) {
    std::vector<std::shared_ptr<TextureMemory>> images;
    for (const RawArgument& argument : arguments) {
        if (argument.kind() == Kind::texture) images.push_back(argument.texture().memory());
        if (argument.kind() == Kind::surface) images.push_back(argument.surface().memory());
        if (argument.kind() == Kind::image) images.push_back(argument.image().shared_from_this());
    }
    return images;
}

}  // namespace

const Backend& device_of_launch(const LaunchConfig& config,
                                std::span<const RawArgument> arguments) {
    for (const RawArgument& argument : arguments) {
        if (is_array(argument)) return argument.array().storage()->backend();
        if (const std::optional<Device> device = device_of(argument)) return backend(*device);
    }
    return backend(config.stream ? config.stream->device() : current_device());
}

void launch_raw(const std::string& name,
                const ReadyKernel& ready,
                const LaunchConfig& config,
                std::span<const RawArgument> arguments) {
    std::optional<Stream> legacy;
    const Stream& stream = stream_of(name, config, ready.backend->device(), legacy);
    alignas(16) std::array<std::byte, 4096> small;  // NOLINT: the used part is written below
    std::vector<std::byte> large;
    std::byte* block = small.data();
    if (ready.block_bytes > small.size()) {
        large.resize(ready.block_bytes);
        block = large.data();
    }
    pack_arguments(name, ready.takes(), arguments, *ready.backend, block);
    mark_used(arguments, stream);
    ready.raw->launch(*ready.kernel, config, block, ready.block_bytes, stream.handle(), name);
}

RawLaunch::RawLaunch(std::string name,
                     const ReadyKernel& ready,
                     std::shared_ptr<const void> owner,
                     const LaunchConfig& config,
                     std::span<const RawArgument> arguments)
    : FrozenLaunch(arrays_of(arguments),
                   images_of(arguments),
                   {},
                   [&] {
                       std::optional<Stream> legacy;
                       return stream_of(name, config, ready.backend->device(), legacy);
                   }()),
      name_(std::move(name)),
      owner_(std::move(owner)),
      raw_(ready.raw),
      kernel_(ready.kernel.get()),
      config_(config),
      block_(ready.block_bytes) {
    pack_arguments(name_, ready.takes(), arguments, *ready.backend, block_.data());
}

void RawLaunch::launch() const {
    mark_used();
    raw_->launch(*kernel_, config_, block_.data(), block_.size(), stream().handle(), name_);
}

void RawLaunch::keep_own(CaptureRecord& record) const {
    record.keep_object(owner_);
}

NativeLaunch RawLaunch::native() const {
    require_driver(name_);
    if (config_.cluster != LaunchDims() || config_.cooperative || config_.priority ||
        config_.programmatic_dependent) {
        throw DeviceError(fmt::format(
            "kernel '{}': it is bound with a cluster, cooperative, with a priority or "
            "programmatic_dependent, which cuLaunchKernel cannot express; call launch()",
            name_));
    }
    NativeLaunch native{.stream = stream().handle()};
    if (config_.grid.count() == 0) return native;
    native.function = kernel_->native_function();
    native.grid = saturated(config_.grid.x);
    native.grid_y = saturated(config_.grid.y);
    native.grid_z = saturated(config_.grid.z);
    native.block = saturated(config_.block.x);
    native.block_y = saturated(config_.block.y);
    native.block_z = saturated(config_.block.z);
    native.shared_bytes = saturated(config_.shared_bytes);
    native.parameters = block_.data();
    native.parameter_bytes = block_.size();
    return native;
}

}  // namespace kgen
