// SPDX-License-Identifier: MIT
//
// Where arrays live and kernels run: a CUDA GPU, or the host CPU.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>
#include <string>
#include <string_view>

namespace kgen {

enum class DeviceKind : std::uint8_t { host, cuda };

// Names one device; a value, valid whether or not that device is there.
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

// "host", "cuda:0".
KGEN_EXPORT std::string to_text(Device device);

// Reads "host", "cuda" or "cuda:1". Throws DeviceError for anything else.
KGEN_EXPORT Device parse_device(std::string_view text);

// How many devices of a kind this process can use: always 1 for host; 0 for cuda where there is no
// driver or no GPU. Never throws.
KGEN_EXPORT int device_count(DeviceKind kind) noexcept;

// The device of this thread on which arrays are created when none is named: what
// set_current_device chose, else KGEN_DEVICE, else the first CUDA device, else the host.
// Throws DeviceError if KGEN_DEVICE names a device that is not there.
KGEN_EXPORT Device current_device();

// Chooses the current device of this thread. Throws DeviceError if it is not there.
KGEN_EXPORT void set_current_device(Device device);

// Waits until all work that was given to the device is done. Throws DeviceError while one of its streams is
// being captured, by whichever thread: waiting would invalidate the capture.
KGEN_EXPORT void synchronize(Device device = current_device());

// Makes a device current for a block of code.
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
