// SPDX-License-Identifier: MIT
//
// RawLauncher: launches a raw kernel on any device with vectors in host memory. in(x) is copied
// to the device, inout(x) to the device and back.
#pragma once

#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/raw_kernel.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "support/devices.hpp"

namespace kgen::test {

template <typename T>
struct InputVector {
    const std::vector<T>* values;
};
template <typename T>
struct OutputVector {
    std::vector<T>* values;
};
template <typename T>
InputVector<T> in(const std::vector<T>& values) {
    return {&values};
}
template <typename T>
OutputVector<T> inout(std::vector<T>& values) {
    return {&values};
}

class RawLauncher {
public:
    RawLauncher(Device device, const std::string& code, const std::string& name)
        : device_(device), kernel_(code, name) {}

    template <typename... Arguments>
    void launch(const LaunchConfig& config, const Arguments&... arguments) const {
        const DeviceScope scope(device_);
        const auto copies = std::make_tuple(on_device(arguments)...);
        std::apply([&](const auto&... each) { kernel_.launch(config, each...); }, copies);
        std::apply([&](const auto&... each) { (copy_back(arguments, each), ...); }, copies);
    }

private:
    // Structs are copied as bytes.
    template <typename T>
    Array on_device(const InputVector<T>& input) const {
        const auto count = static_cast<std::int64_t>(input.values->size());
        const T* values = input.values->data();
        if constexpr (ScalarType<T>) {
            return from_host(values, dtype_of<T>(), {count}, {device_});
        } else {
            return from_host(
                values, uint8, {count * static_cast<std::int64_t>(sizeof(T))}, {device_});
        }
    }
    template <typename T>
    Array on_device(const OutputVector<T>& output) const {
        return on_device(InputVector<T>{output.values});
    }
    static int on_device(int number) { return number; }

    template <typename T>
    static void copy_back(const OutputVector<T>& output, const Array& array) {
        array.copy_to_host(output.values->data());
    }
    template <typename Argument, typename Copy>
    static void copy_back(const Argument&, const Copy&) {}

    Device device_;
    RawKernel kernel_;
};

}  // namespace kgen::test
