// SPDX-License-Identifier: MIT
//
// RememberedCall: the plan and parameter block of one call of a kernel. The next call that matches it only
// fills in addresses and numbers, and launches. Two calls match if they agree in all that the plan depends
// on:
//
// - kinds, dtypes, shapes, strides and mutability of the arguments, and their device
// - addresses modulo 16
// - for each pair of arrays of which one may be written: whether they overlap, and at which distance
// - the options of the call
//
// The values of numbers and the other bits of addresses may differ, because the parameter block contains them
// only in the fields that BlockLayout lists (FieldKind::data, view and scalar). Each launch of a reduction
// asks for its scratch memory again.
//
// A call whose inputs were relaid copies them again. Calls that are refused, need other temporary arrays or launch nothing are not
// remembered.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/scalar.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "call/bound_call.hpp"
#include "call/call_view.hpp"
#include "call/scratch_use.hpp"
#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "plan/plan.hpp"
#include "signature/signature.hpp"

namespace kgen {

// The operands of a call, one per parameter, in a form that is fast to compare.
class CallOperands {
public:
    static constexpr std::size_t most = 32;

    // Returns false if the call cannot be remembered: the number of operands is wrong or above `most`, or an
    // operand does not fit. bind_call then reports the error, if there is one.
    bool read(const Signature& signature, const CallView& call) noexcept;

    std::size_t count = 0;
    std::array<const Array*, most> arrays;       // nullptr for a number or a new output
    std::array<const Scalar*, most> numbers;     // nullptr for an array or a new output
    std::array<std::uintptr_t, most> addresses;  // of arrays
    std::array<std::uint64_t, most> heads;       // kind, dtype, mutability, rank, alignment
};

// Used by one thread at a time.
class RememberedCall {
public:
    // Records a call that is about to be launched. Returns false if it is not to be remembered.
    bool record(const Signature& signature,
                const CallView& view,
                const CallOperands& operands,
                const BoundCall& call,
                const Plan& plan,
                const Variant& variant,
                const Backend& backend);

    bool matches(const CallView& view, const CallOperands& operands) const;

    // Runs a call that matches and stores its outputs in `results`. Returns false, without running, if a
    // number does not fit its parameter. Throws DeviceError.
    bool run(const CallView& view,
             const CallOperands& operands,
             const std::string& kernel_name,
             std::span<Array> results,
             std::span<const Array> copies = {});

    // Inputs that copies replace. run() needs these copies, in the same order. They must be made before the call is found for run(),
    // because copying may itself run the kernel, and the call may be remembered in place of this one.
    const std::vector<RelaidInput>& relaid() const noexcept { return relaid_; }
    const Backend& backend() const noexcept { return *backend_; }
    // Returns the stream on which run() launches.
    const Stream& stream_of(const CallView& view) const;
    // The call is no longer found.
    void forget() noexcept { is_complete_ = false; }

private:
    // Two arrays of which at least one may be written. If they are apart, the address of the second minus that of the
    // first is not between `low` and `high`. Otherwise it is `low`.
    struct Pair {
        std::uint32_t first;
        std::uint32_t second;
        bool is_apart;
        std::int64_t low;
        std::int64_t high;
    };
    struct AddressPatch {
        std::uint32_t operand;
        std::uint32_t offset;  // in the parameter block
        std::uintptr_t addend;
    };
    struct NumberPatch {
        std::uint32_t operand;
        std::uint32_t offset;
        DType dtype;
    };
    struct Allocation {
        NewOutput output;
        DType dtype;
        std::size_t size_bytes;
    };
    void record_pairs(const BoundCall& call);
    void record_patches(const BoundCall& call, const Plan& plan, const BlockLayout& layout);

    // Compared by matches().
    bool is_complete_ = false;
    std::size_t count_ = 0;
    std::array<std::uint64_t, CallOperands::most> heads_;
    std::vector<std::int64_t> dims_;  // shape and strides of each array
    bool has_array_ = false;
    const Backend* backend_ = nullptr;
    std::optional<Stream> legacy_;  // legacy stream of the device
    std::optional<std::int64_t> size_;
    std::optional<int> block_size_;
    std::optional<AxesArgument> axes_;
    bool keepdims_ = false;
    std::optional<Dims> loop_shape_;
    std::vector<Pair> pairs_;

    // Used by run().
    const LoadedKernel* kernel_ =
        nullptr;  // of a variant, which lives as long as the kernel object
    LaunchShape shape_;
    std::size_t input_count_ = 0;
    std::vector<std::byte> block_;
    std::vector<AddressPatch> addresses_;
    std::vector<NumberPatch> numbers_;
    std::vector<Allocation> new_outputs_;
    std::vector<RelaidInput> relaid_;
    ScratchUse scratch_;
};

// The last four calls of one kernel on one thread that do not match each other.
class RememberedCalls {
public:
    // Returns the remembered call that matches, or nullptr.
    RememberedCall* find(const CallView& view, const CallOperands& operands);
    // Records a call in place of the oldest one. The parts are those of RememberedCall::record.
    template <typename... Parts>
    void record(const Parts&... parts) {
        if (!calls_[next_].record(parts...)) return;
        used_ = std::max(used_, next_ + 1);
        next_ = (next_ + 1) % most;
    }

private:
    static constexpr std::size_t most = 4;
    std::array<RememberedCall, most> calls_;
    std::size_t used_ = 0;
    std::size_t next_ = 0;
};

}  // namespace kgen
