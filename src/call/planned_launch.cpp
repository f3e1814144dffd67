// SPDX-License-Identifier: MIT
#include "call/planned_launch.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <utility>

#include "call/scratch_use.hpp"
#include "kernel/loaded_kernel.hpp"

namespace kgen {

namespace {

constexpr std::size_t partials_alignment = 256;  // see Scratch::partials

// Returns an empty array for each nullptr.
std::vector<Array> copies_of(std::span<const Array* const> arrays) {
    std::vector<Array> copies;
    copies.reserve(arrays.size());
    for (const Array* array : arrays) copies.push_back(array != nullptr ? *array : Array());
    return copies;
}

}  // namespace

PlannedLaunch::PlannedLaunch(const Signature& signature,
                             std::span<const Array* const> arrays,
                             std::vector<std::shared_ptr<TextureMemory>> images,
                             const Stream& stream,
                             const Backend& backend,
                             const Variant* variant,
                             const Runtime& runtime)
    : FrozenLaunch(copies_of(arrays),
                   std::move(images),
                   copies_of(arrays.subspan(static_cast<std::size_t>(signature.input_count))),
                   stream),
      kernel_name_(signature.name),
      backend_(&backend),
      kernel_(variant != nullptr ? variant->code.kernel : nullptr),
      shape_(launch_shape(runtime)),
      block_(runtime.block.begin(), runtime.block.end()) {
    if (variant == nullptr) return;
    if (const ScratchUse use = scratch_use(*variant, runtime)) {
        const std::size_t head = (use.counters * sizeof(std::uint32_t) + partials_alignment - 1) /
                                 partials_alignment * partials_alignment;
        scratch_ = Storage::allocate(backend, head + use.bytes, stream);
        auto* memory = static_cast<std::byte*>(scratch_->data());
        backend.zero_for_launches(memory, head, stream.handle());
        use.fill(block_, {reinterpret_cast<std::uint32_t*>(memory), memory + head});
    }
}

NativeLaunch PlannedLaunch::native() const {
    require_driver(kernel_name_);
    if (shape_.cooperative) {
        throw DeviceError(
            fmt::format("kernel '{}': its launch is cooperative, which cuLaunchKernel cannot "
                        "express; call launch()",
                        kernel_name_));
    }
    NativeLaunch native{.stream = stream().handle()};
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
