// SPDX-License-Identifier: MIT
#include "kernel/frozen_launch.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>

#include "device/device_traits.hpp"

namespace kgen {

void FrozenLaunch::keep_for(CaptureRecord& record) const {
    for (const Array& array : arrays_) {
        if (array.has_value()) record.keep(array.storage());
    }
    keep_own(record);
}

void FrozenLaunch::check_arrays() const {
    for (std::size_t k = 0; k < arrays_.size(); ++k)
        check_foreign(fmt::format("bound launch: array {}", k + 1), arrays_[k]);
}

void FrozenLaunch::require_driver(const std::string& kernel) const {
    if (traits(stream_.device()).is_asynchronous) return;
    throw DeviceError(fmt::format(
        "kernel '{}': it is bound to the host, which has no native launch; call launch()", kernel));
}

}  // namespace kgen
