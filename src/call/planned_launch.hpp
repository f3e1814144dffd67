// SPDX-License-Identifier: MIT
//
// PlannedLaunch: a frozen launch of a generated kernel. Owns its scratch memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "kernel/frozen_launch.hpp"
#include "plan/plan.hpp"
#include "signature/signature.hpp"

namespace kgen {

class PlannedLaunch final : public FrozenLaunch {
public:
    // `arrays` has one element per parameter, nullptr for numbers. `variant` is nullptr if the plan has nothing
    // to launch. Throws DeviceError if the scratch memory cannot be allocated.
    PlannedLaunch(const Signature& signature,
                  std::span<const Array* const> arrays,
                  std::vector<std::shared_ptr<TextureMemory>> images,
                  const Stream& stream,
                  const Backend& backend,
                  const Variant* variant,
                  const Runtime& runtime);

    void launch() const override {
        if (kernel_ == nullptr) return;
        mark_used();
        backend_->launch(
            *kernel_, shape_, block_.data(), block_.size(), stream().handle(), kernel_name_);
    }
    NativeLaunch native() const override;

private:
    void keep_own(CaptureRecord& record) const override {
        if (scratch_ != nullptr) record.keep(scratch_);
    }

    std::string kernel_name_;
    const Backend* backend_;
    std::shared_ptr<const LoadedKernel> kernel_;
    LaunchShape shape_;
    std::vector<std::byte> block_;
    std::shared_ptr<Storage> scratch_;  // counters, then partial results; nullptr if not needed
};

}  // namespace kgen
