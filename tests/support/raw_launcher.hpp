// SPDX-License-Identifier: MIT
//
// RawLauncher: launches a kernel of the user's own on any device with vectors of the CPU: in(x) is copied
// there, inout(x) there and back.
#pragma once

#include <kgen/device.hpp>
#include <kgen/launch_config.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "support/devices.hpp"
#include "support/raw_programs.hpp"

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
        : device_(device), program_(code, {name}), name_(name) {}

    template <typename... Arguments>
    void launch(const LaunchConfig& config, const Arguments&... arguments) const {
        program_.launch(program_.symbol(name_), config, address(arguments)...);
    }

private:
    template <typename T>
    static const T* address(const InputVector<T>& input) {
        return input.values->data();
    }
    template <typename T>
    static T* address(const OutputVector<T>& output) {
        return output.values->data();
    }
    static int address(int number) { return number; }

    Device device_;
    HostProgram program_;
    std::string name_;
};

}  // namespace kgen::test
