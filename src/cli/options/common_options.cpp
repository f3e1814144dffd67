// SPDX-License-Identifier: MIT
#include "cli/options/common_options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <kgen/error.hpp>

namespace kgen::cli {

namespace {

std::string check_device(const std::string& text) {
    try {
        static_cast<void>(parse_device(text));
        return "";
    } catch (const DeviceError& error) {
        return error.what();
    }
}

}  // namespace

std::optional<Device> CommonOptions::chosen_device() const {
    if (device.empty()) return std::nullopt;
    return parse_device(device);
}

void add_common_options(CLI::App& command, CommonOptions& options) {
    command
        .add_option("--device",
                    options.device,
                    "host, cuda or cuda:1 (default: KGEN_DEVICE, "
                    "else the first GPU, else host)")
        ->type_name("DEVICE")
        ->check(check_device);
    command.add_flag("--json", options.json, "print one JSON object");
}

std::string check_integer(const std::string& text) {
    const auto values = read_integers<std::int64_t>(text);
    if (values && values->size() == 1) return "";
    return fmt::format("'{}' is not a 64-bit integer", text);
}

}  // namespace kgen::cli
