// SPDX-License-Identifier: MIT
#include "cli/split_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <kgen/parse_expression.hpp>
#include <string_view>
#include <utility>

#include "cli/exit_status.hpp"

namespace kgen::cli {

namespace {

std::vector<Device> all_devices() {
    std::vector<Device> devices;
    for (int k = 0; k < device_count(DeviceKind::cuda); ++k) devices.push_back(Device::cuda(k));
    if (devices.empty()) devices.push_back(Device::host());
    return devices;
}

// Reads a list of devices, in which a number is a GPU. Throws DeviceError if a name is not one of a device.
std::vector<Device> read_devices(std::string_view text) {
    if (text == "all") return all_devices();
    std::vector<Device> devices;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string name(text.substr(begin, end - begin));
        const bool is_number =
            !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
        devices.push_back(parse_device(is_number ? "cuda:" + name : name));
        begin = end + 1;
    }
    return devices;
}

// Runs the call until its work is done on all devices, and again if its time is measured.
template <typename Call>
Timing time_split(const Call& call, const Communicator& ranks, bool time) {
    const Device first = ranks.device(0);
    const auto run = [&] {
        call();
        for (const Device device : devices_of(ranks)) synchronize(device);
    };
    Timing timing;
    try {
        timing.first_ms = time_call(run, first);
    } catch (const ShapeError& error) {
        if (!error.expected().starts_with("split along")) throw;
        throw UsageError(fmt::format(
            "{}\n--devices splits the arrays of a run along their first axis; give --device",
            error.what()));
    }
    if (time) time_later_calls(timing, run, first);
    return timing;
}

Outcome gather_all(std::span<const ShardedArray> results, const Timing& timing) {
    Outcome outcome{.outputs = {}, .timing = timing};
    for (const ShardedArray& each : results) outcome.outputs.push_back(gather(each));
    return outcome;
}

}  // namespace

std::vector<Device> devices_of(const std::optional<Communicator>& ranks) {
    std::vector<Device> devices;
    if (!ranks) return devices;
    for (const int rank : ranks->local_ranks()) devices.push_back(ranks->device(rank));
    return devices;
}

std::string check_devices(const std::string& text) {
    if (text == "all") return "";
    try {
        static_cast<void>(read_devices(text));
        return "";
    } catch (const DeviceError& error) {
        return fmt::format("'{}' is not all or a list of devices: {}", text, error.what());
    }
}

std::optional<Communicator> open_ranks(const RunOptions& options) {
    if (options.devices.empty()) return std::nullopt;
    const auto refuse = [](bool is_given, const char* option, const char* reason) {
        if (is_given) throw UsageError(fmt::format("--devices: {} {}", option, reason));
    };
    refuse(
        !options.common.device.empty(), "--device", "is for a run on one device; give one of them");
    refuse(
        options.raw.is_given(),
        "--raw",
        "is for one device, because a raw kernel alone knows which elements it reads and writes");
    refuse(options.kernel.size.has_value(),
           "--size",
           "is for calls in which every array is raw, so none can be split; give --device");
    return Communicator::of_devices(read_devices(options.devices));
}

std::vector<ShardedArray> divide_arrays(std::span<const Argument> arguments,
                                        const std::vector<bool>& is_raw,
                                        const Communicator& ranks) {
    const auto shaping = [&](std::size_t k) { return is_raw[k] ? nullptr : arguments[k].array(); };
    int rank = 0;
    for (std::size_t k = 0; k < arguments.size(); ++k)
        if (const Array* array = shaping(k)) rank = std::max(rank, array->rank());
    if (rank == 0) {
        throw UsageError(
            "--devices: no array of the call has an axis along which it could be split; give "
            "--device");
    }
    std::int64_t extent = 1;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const Array* array = shaping(k);
        if (array != nullptr && array->rank() == rank && extent == 1) extent = array->shape()[0];
    }
    std::vector<ShardedArray> divided(arguments.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (arguments[k].array() == nullptr) continue;
        const Array* array = shaping(k);
        const bool is_split =
            array != nullptr && array->rank() == rank && array->shape()[0] == extent;
        divided[k] = shard(
            *arguments[k].array(), is_split ? Sharding::split(0) : Sharding::replicated(), ranks);
    }
    return divided;
}

Outcome call_split(const GeneratedKernel& kernel,
                   std::span<const Argument> arguments,
                   const CallOptions& options,
                   const Communicator& ranks,
                   bool time) {
    const auto inputs = static_cast<std::size_t>(kernel.input_count());
    if (arguments.size() > inputs) {
        throw UsageError(
            fmt::format("--devices: '{}' is an output, and several devices make their outputs; "
                        "leave it out, or "
                        "give --device",
                        kernel.parameter_names()[inputs]));
    }
    const auto divided = divide_arrays(arguments, kernel.raw_parameters(), ranks);
    std::vector<detail::ShardedPart> parts;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (divided[k].has_value()) {
            parts.emplace_back(divided[k]);
        } else {
            parts.emplace_back(*arguments[k].scalar());
        }
    }
    std::optional<AxesArgument> axes;
    if (options.axes) parts.emplace_back(axes.emplace(*options.axes));
    if (options.keepdims) parts.emplace_back(keepdims);
    if (options.block_size) parts.emplace_back(block_size(*options.block_size));
    std::vector<ShardedArray> results(static_cast<std::size_t>(kernel.output_count()));
    const Timing timing =
        time_split([&] { detail::call_sharded(kernel, parts, results); }, ranks, time);
    return gather_all(results, timing);
}

Outcome compute_split(const std::string& expression,
                      const std::vector<std::string>& names,
                      std::span<const Argument> arguments,
                      const Communicator& ranks,
                      bool time) {
    const auto divided =
        divide_arrays(arguments, std::vector<bool>(arguments.size(), false), ranks);
    std::vector<ShardedVariable> variables;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const Scalar* number = arguments[k].scalar();
        variables.push_back({names[k], number != nullptr ? *number : Scalar(0), divided[k]});
    }
    ShardedArray result;
    const Timing timing =
        time_split([&] { result = parse_expression(expression, variables); }, ranks, time);
    return gather_all({&result, 1}, timing);
}

}  // namespace kgen::cli
