// SPDX-License-Identifier: MIT
#include "api/frozen_launch.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <utility>

#include "kernel/loaded_kernel.hpp"

namespace kgen {

FrozenLaunch::FrozenLaunch(const Signature& signature,
                           std::vector<Array> arrays,
                           Stream stream,
                           const Backend& backend,
                           std::shared_ptr<const LoadedKernel> kernel,
                           const Runtime& runtime)
    : kernel_name_(signature.name),
      arrays_(std::move(arrays)),
      outputs_(arrays_.begin() + signature.input_count, arrays_.end()),
      stream_(std::move(stream)),
      backend_(&backend),
      kernel_(std::move(kernel)),
      shape_(launch_shape(runtime)),
      block_(runtime.block) {
    for (const Array& array : arrays_) {
        if (array.has_value() && array.storage()->is_elsewhere(stream_))
            elsewhere_.push_back(array.storage().get());
    }
}

NativeLaunch FrozenLaunch::native() const {
    if (backend_->device().kind() == DeviceKind::host) {
        throw DeviceError(
            fmt::format("kernel '{}': it is bound to the host, where no driver launches it; call "
                        "launch()",
                        kernel_name_));
    }
    NativeLaunch native{.stream = stream_.handle()};
    if (kernel_ == nullptr) return native;
    native.function = kernel_->native_function();
    native.grid = static_cast<unsigned>(shape_.grid);
    native.block = static_cast<unsigned>(shape_.block);
    native.shared_bytes = static_cast<unsigned>(shape_.shared_bytes);
    native.parameters = block_.data();
    native.parameter_bytes = block_.size();
    return native;
}

}  // namespace kgen
