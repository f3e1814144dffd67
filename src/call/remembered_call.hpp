// SPDX-License-Identifier: MIT
//
// RememberedCall: the outcome of one call of a kernel, kept so that the next call like it only fills
// in its addresses and numbers, and launches. Two calls are alike where nothing differs that the
// outcome depends on: kinds, dtypes, shapes, strides and mutability of the arguments, their device,
// addresses modulo 16, which arrays that are written reach into which others and how far apart these
// lie, and the call's options. Values of numbers and all else of addresses may differ: in the
// parameter block they appear only where BlockLayout says (FieldKind::data, view and scalar). The
// scratch memory of a reduction is asked for at each launch.
//
// Calls that are refused, that need temporary arrays or that launch nothing are not remembered.
#pragma once

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

// The operands of a call, one a parameter, taken apart for comparison.
class CallOperands {
public:
    static constexpr std::size_t most = 32;

    // False if the call has not one fitting operand a parameter; then it is for bind_call to judge.
    bool read(const Signature& signature, const CallView& call) noexcept;

    std::size_t count = 0;
    std::array<const Array*, most> arrays;       // nullptr: a number, or an output to be allocated
    std::array<const Scalar*, most> numbers;     // nullptr likewise
    std::array<std::uintptr_t, most> addresses;  // of arrays
    std::array<std::uint64_t, most> heads;       // kind, dtype, mutability, rank, alignment
};

// Used by one thread at a time.
class RememberedCall {
public:
    // Of a call that is about to be launched; false if it is none to remember.
    bool record(const Signature& signature,
                const CallView& view,
                const CallOperands& operands,
                const BoundCall& call,
                const Plan& plan,
                const Variant& variant,
                const Backend& backend);

    bool matches(const CallView& view, const CallOperands& operands) const;

    // Runs a call that matches and gives its outputs. False, with nothing done, if a number does not
    // fit its parameter. Throws DeviceError.
    bool run(const CallView& view,
             const CallOperands& operands,
             const std::string& kernel_name,
             std::span<Array> results);

private:
    struct ArrayRange {  // bytes reached from the array's address
        std::int64_t low = 0;
        std::int64_t high = 0;
    };
    // Two arrays of which one may be written: apart, or reaching into each other at this distance.
    struct Pair {
        std::uint32_t first;
        std::uint32_t second;
        bool is_apart;
        std::uintptr_t distance;
    };
    struct AddressPatch {
        std::uint32_t operand;
        std::uint32_t offset;  // in the block
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

    // What is compared.
    bool is_complete_ = false;
    std::size_t count_ = 0;
    std::array<std::uint64_t, CallOperands::most> heads_;
    std::vector<std::int64_t> dims_;  // shape and strides of each array
    bool has_array_ = false;
    const Backend* backend_ = nullptr;
    std::optional<Stream> legacy_;  // the device's
    std::optional<std::int64_t> size_;
    std::optional<int> block_size_;
    std::optional<AxesArgument> axes_;
    bool keepdims_ = false;
    std::vector<ArrayRange> ranges_;
    std::vector<Pair> pairs_;

    // What is done.
    std::shared_ptr<const LoadedKernel> kernel_;
    LaunchShape shape_;
    std::size_t input_count_ = 0;
    std::vector<std::byte> block_;
    std::vector<AddressPatch> addresses_;
    std::vector<NumberPatch> numbers_;
    std::vector<Allocation> new_outputs_;
    ScratchUse scratch_;
};

// The last calls of one kernel on one thread that differ from each other.
class RememberedCalls {
public:
    // The call that matches, or nullptr.
    RememberedCall* find(const CallView& view, const CallOperands& operands);
    // Takes the place of the oldest.
    void record(const Signature& signature,
                const CallView& view,
                const CallOperands& operands,
                const BoundCall& call,
                const Plan& plan,
                const Variant& variant,
                const Backend& backend);

private:
    static constexpr std::size_t most = 4;
    std::array<RememberedCall, most> calls_;
    std::size_t used_ = 0;
    std::size_t next_ = 0;
};

}  // namespace kgen
