// SPDX-License-Identifier: MIT
#include "api/frozen_launch.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <utility>

#include "api/scratch_use.hpp"
#include "kernel/loaded_kernel.hpp"

namespace kgen {

namespace {

constexpr std::size_t partials_alignment = 256;  // as Scratch says

}  // namespace

FrozenLaunch::FrozenLaunch(const Signature& signature,
                           std::vector<Array> arrays,
                           Stream stream,
                           const Backend& backend,
                           const Variant* variant,
                           const Runtime& runtime)
    : kernel_name_(signature.name),
      arrays_(std::move(arrays)),
      outputs_(arrays_.begin() + signature.input_count, arrays_.end()),
      stream_(std::move(stream)),
      backend_(&backend),
      kernel_(variant != nullptr ? variant->code.kernel : nullptr),
      shape_(launch_shape(runtime)),
      block_(runtime.block) {
    for (const Array& array : arrays_) {
        if (array.has_value() && array.storage()->is_elsewhere(stream_))
            elsewhere_.push_back(array.storage().get());
    }
    if (variant == nullptr) return;
    if (const ScratchUse use = scratch_use(*variant, runtime)) {
        const std::size_t head = (static_cast<std::size_t>(use.counters) * sizeof(std::uint32_t) +
                                  partials_alignment - 1) /
                                 partials_alignment * partials_alignment;
        scratch_ = Storage::allocate(backend, head + use.bytes, stream_);
        auto* memory = static_cast<std::byte*>(scratch_->data());
        backend.fill_bytes(memory, 0, head, stream_.handle());
        use.fill(block_, {reinterpret_cast<std::uint32_t*>(memory), memory + head});
    }
}

void FrozenLaunch::keep_for(CaptureRecord& record) const {
    for (const Array& array : arrays_) {
        if (array.has_value()) record.keep(array.storage());
    }
    if (scratch_ != nullptr) record.keep(scratch_);
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
