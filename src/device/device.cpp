// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <kgen/device.hpp>
#include <kgen/error.hpp>
#include <optional>

#include "device/registry.hpp"
#include "text/environment.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The device that set_current_device chose on this thread; empty if none was chosen.
thread_local std::optional<Device> chosen;

void require_device(Device device) {
    if (device.ordinal() >= 0 && device.ordinal() < device_count(device.kind())) return;
    static_cast<void>(backend(device));  // throws an error that says what is missing
}

Device find_default_device() {
    if (const auto name = environment("KGEN_DEVICE")) {
        try {
            const Device device = parse_device(*name);
            require_device(device);
            return device;
        } catch (const DeviceError& error) {
            throw DeviceError(fmt::format("KGEN_DEVICE='{}': {}", *name, error.what()),
                              error.call(),
                              error.code());
        }
    }
    return device_count(default_gpu.kind()) > 0 ? default_gpu : Device::host();
}

}  // namespace

std::string to_text(Device device) try {
    const std::string_view name = traits(device).name;
    return traits(device).is_single ? std::string(name)
                                    : fmt::format("{}:{}", name, device.ordinal());
} catch (...) {
    rethrow_as_error();
}

Device parse_device(std::string_view text) try {
    const std::string_view name = text.substr(0, text.find(':'));
    for (const DeviceTraits& row : device_table) {
        if (text == row.name) return row.device(0);
        if (name != row.name || row.is_single) continue;
        const std::string_view digits = text.substr(name.size() + 1);
        int ordinal = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
        if (error == std::errc() && end == digits.data() + digits.size() && ordinal >= 0) {
            return row.device(ordinal);
        }
    }
    refuse<DeviceError>({ErrorKind::name, {}, "host, cuda or cuda:1", std::string(text)},
                        "'{}' is not a device: expected 'host', 'cuda' or 'cuda:1'",
                        text);
} catch (...) {
    rethrow_as_error();
}

DeviceInfo device_info(Device device) try { return backend(device).info(); } catch (...) {
    rethrow_as_error();
}

Device current_device() try {
    if (chosen) return *chosen;
    static const Device device = find_default_device();  // retried by the next call if it throws
    return device;
} catch (...) {
    rethrow_as_error();
}

void set_current_device(Device device) try {
    require_device(device);
    chosen = device;
} catch (...) {
    rethrow_as_error();
}

DeviceScope::~DeviceScope() {
    chosen = previous_;
}

void synchronize(Device device) try { backend(device).synchronize(); } catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
