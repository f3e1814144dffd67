// SPDX-License-Identifier: MIT
//
// Device: a CUDA GPU or the host CPU, on which arrays are stored and kernels run.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>
#include <kgen/text_formatter.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace kgen {

enum class DeviceKind : std::uint8_t { host, cuda };

// Identifies one device, whether or not it is present.
class KGEN_EXPORT Device {
public:
    static constexpr Device host() noexcept { return Device(DeviceKind::host, 0); }
    static constexpr Device cuda(int ordinal = 0) noexcept {
        return Device(DeviceKind::cuda, ordinal);
    }
    constexpr DeviceKind kind() const noexcept { return kind_; }
    constexpr int ordinal() const noexcept { return ordinal_; }
    friend constexpr bool operator==(Device, Device) noexcept = default;

private:
    constexpr Device(DeviceKind kind, int ordinal) noexcept : kind_(kind), ordinal_(ordinal) {}
    DeviceKind kind_;
    int ordinal_;
};

// Returns "host", "cuda:0".
KGEN_EXPORT std::string to_text(Device device);

// Parses "host", "cuda" or "cuda:1". Throws DeviceError for any other text.
KGEN_EXPORT Device parse_device(std::string_view text);

// Returns the number of devices of a kind that this process can use. It is always 1 for host, and 0 for cuda
// if there is no driver or no GPU.
KGEN_EXPORT int device_count(DeviceKind kind) noexcept;

// Returns the device on which this thread creates arrays if no device is given: the device chosen by
// set_current_device, else KGEN_DEVICE, else the first CUDA device, else the host. Throws DeviceError if
// KGEN_DEVICE is not a device name or the device is not present.
KGEN_EXPORT Device current_device();

// Chooses the current device of this thread. Throws DeviceError if the device is not present.
KGEN_EXPORT void set_current_device(Device device);

// What a device is.
struct DeviceInfo {
    std::string name = {};                // "NVIDIA H200", or the model of the CPU
    int multiprocessors = 0;              // or logical cores of the CPU
    std::int64_t memory_bytes = 0;        // of the whole device
    std::pair<int, int> capability = {};  // compute capability: (9, 0); (0, 0) for the host
    int clock_khz = 0;                    // the highest clock rate; 0 if unknown
};

// Returns what the driver or the operating system tells of the device. Throws DeviceError if it is not
// present.
KGEN_EXPORT DeviceInfo device_info(Device device = current_device());

// Waits until all work submitted to the device is done. Throws DeviceError while any thread is capturing a
// stream of the device, because waiting would invalidate the capture.
KGEN_EXPORT void synchronize(Device device = current_device());

// Makes a device current in this thread until the scope ends, then restores the previous one.
class KGEN_EXPORT DeviceScope {
public:
    explicit DeviceScope(Device device) : previous_(current_device()) {
        set_current_device(device);
    }
    ~DeviceScope();
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

private:
    Device previous_;
};

}  // namespace kgen

template <>
struct fmt::formatter<kgen::Device> : kgen::detail::TextFormatter<kgen::Device> {};
