// SPDX-License-Identifier: MIT
//
// Pipeline: all stages from the definition strings to the launch, for one kernel.
#pragma once

#include <kgen/bound_launch.hpp>
#include <memory>
#include <span>
#include <utility>

#include "call/bound_call.hpp"
#include "call/call_view.hpp"
#include "call/defined_kernel.hpp"
#include "call/remembered_call.hpp"
#include "call/thread_slots.hpp"
#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "plan/plan.hpp"

namespace kgen {

// Thread-safe. Keeps the kernels that it has loaded. Keeps sizes and strides only of the last calls of each
// thread (see RememberedCalls).
class Pipeline {
public:
    // See DefinedKernel.
    Pipeline(Definition definition, Merging merging) : kernel_(std::move(definition), merging) {}

    const DefinedKernel& kernel() const noexcept { return kernel_; }
    const Signature& signature() const noexcept { return kernel_.signature(); }

    // Runs a call. `results` has one element per output.
    void run(const CallView& view, std::span<Array> results) const;
    // Checks and compiles a call, to be launched repeatedly.
    BoundLaunch bind(const CallView& view) const;

    // Returns the size of one accumulator of a reduction, whose arguments may be ArraySpecs. If the user defines its type,
    // compiles the call. The call has at least one output.
    std::size_t accumulator_bytes(const CallView& view) const;

    // Returns the number of compiled variants that this kernel has used.
    std::size_t variant_count() const noexcept { return variants_.size(); }

private:
    // Runs a call that is remembered. Returns false if it is not, or cannot be run as it is remembered.
    bool run_remembered(RememberedCalls& calls,
                        const CallView& view,
                        const CallOperands& operands,
                        std::span<Array> results) const;
    // Returns the plan of a call. Sets `variant` to its compiled variant, or to nullptr if there is nothing to launch.
    Plan plan_call(const BoundCall& call,
                   const Backend& backend,
                   const CallView& view,
                   const Variant*& variant) const;
    const Variant& variant_of(const BoundCall& call,
                              const Baked& baked,
                              const Backend& backend) const;
    std::shared_ptr<const LoadedKernel> build(const TypeBinding& types,
                                              const Baked& baked,
                                              const Backend& backend) const;

    DefinedKernel kernel_;
    mutable VariantTable variants_;
    mutable ThreadSlots<RememberedCalls> remembered_;
};

}  // namespace kgen
