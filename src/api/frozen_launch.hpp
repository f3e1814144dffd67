// SPDX-License-Identifier: MIT
//
// FrozenLaunch: everything that one launch needs, fixed. What a BoundLaunch is a handle to.
#pragma once

#include <kgen/bound_launch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "api/variant_table.hpp"
#include "array/storage.hpp"
#include "device/backend.hpp"
#include "plan/plan.hpp"
#include "signature/signature.hpp"

namespace kgen {

class FrozenLaunch {
public:
    // `arrays` has one element a parameter, empty for numbers; `variant` is nullptr where the plan has
    // nothing to launch. Throws DeviceError when memory for its scratch is short.
    FrozenLaunch(const Signature& signature,
                 std::vector<Array> arrays,
                 Stream stream,
                 const Backend& backend,
                 const Variant* variant,
                 const Runtime& runtime);

    void launch() const {
        if (kernel_ == nullptr) return;
        if (CaptureRecord* record = CaptureRecord::of_this_thread()) [[unlikely]]
            keep_for(*record);
        for (Storage* storage : elsewhere_) storage->used_on(stream_);
        backend_->launch(
            *kernel_, shape_, block_.data(), block_.size(), stream_.handle(), kernel_name_);
    }

    const std::vector<Array>& outputs() const noexcept { return outputs_; }
    const Stream& stream() const noexcept { return stream_; }
    NativeLaunch native() const;

private:
    // A launch that is captured comes again when this object may be gone.
    void keep_for(CaptureRecord& record) const;

    std::string kernel_name_;
    std::vector<Array> arrays_;  // kept alive
    std::vector<Array> outputs_;
    std::vector<Storage*> elsewhere_;  // of `arrays_`, those whose home is another stream
    Stream stream_;
    const Backend* backend_;
    std::shared_ptr<const LoadedKernel> kernel_;
    LaunchShape shape_;
    std::vector<std::byte> block_;
    std::shared_ptr<Storage> scratch_;  // counters, then partial results; empty if it needs none
};

}  // namespace kgen
