// SPDX-License-Identifier: MIT
//
// SplitReduction: a reduction along an axis that is split among ranks. Each rank folds its block, the accumulators are
// gathered on all ranks, and each rank folds them in the order of the ranks.
#pragma once

#include <cstdint>
#include <kgen/communicator.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "call/bound_call.hpp"
#include "call/pipeline.hpp"

namespace kgen {

// The call of a rank of this process.
struct RankFold {
    Device device = Device::host();
    std::vector<Array> arrays;
    std::vector<CallPart> inputs;  // borrow the arrays
    std::optional<Section> section;
    std::vector<Array> outputs;
};

// What all ranks have in common.
struct SplitCall {
    const Communicator& communicator;
    const Signature& signature;
    const BoundCall& whole;                // the call of the whole arrays
    std::span<const CallPart> inputs;      // of the whole arrays
    std::span<const CallPart> options;     // axes and keepdims
    std::span<const std::int64_t> blocks;  // the extents of the ranks' blocks
};

// The loop over gathered accumulators: over the ranks that take part, and the outputs, or a slice of them along their
// first axis.
struct JoinedLoop {
    JoinedLoop(const BoundCall& whole, std::int64_t count);
    // Returns one of several slices.
    JoinedLoop slice(int number, int slices) const;

    bool is_slice() const { return shape.rank() > 1 && shape[1] != section.whole[1]; }
    std::int64_t rows() const { return section.whole.rank() > 1 ? section.whole[1] : 1; }
    // The number of outputs in the slice, and of those before it.
    std::int64_t outputs() const;
    std::int64_t first() const;
    Array without_unit_axes(const Array& output) const;  // a view without the axes of keepdims
    Array part_of(const Array& output) const;            // a view of the slice

    Dims shape;
    Section section;  // the reduction's own numbers of elements, which its texts see
};

// Two kernels made of one reduction's texts. `part` has the reduction's inputs, and one raw output that gets an
// accumulator for each output. `join` has the gathered accumulators as input, and the reduction's outputs.
class SplitReduction {
public:
    // `accumulator` is the accumulator's type. Only the kinds of `inputs` matter.
    SplitReduction(const Signature& signature,
                   const std::string& accumulator,
                   std::span<const CallPart> inputs);

    // Runs the call on the ranks of this process.
    void run(const SplitCall& call, std::span<RankFold> ranks) const;

private:
    std::size_t compiled_bytes(std::span<const CallPart> inputs,
                               std::span<const CallPart> options,
                               const BoundCall& whole) const;
    std::vector<CallPart> part_call(std::span<const CallPart> inputs,
                                    const TypeBinding& types,
                                    const CallPart& accumulators,
                                    std::span<const CallPart> options) const;
    void fold_part(const RankFold& rank, const SplitCall& call, const Array& accumulators) const;
    void fold_gathered(const RankFold& rank, const Array& gathered, const JoinedLoop& loop) const;

    std::string letters_;  // placeholders that only outputs have
    bool has_identity_;
    bool join_tells_places_;
    Pipeline part_;
    Pipeline join_;
};

// Returns the kernels of the call's reduction; they are made once for each definition. Thread-safe.
const SplitReduction& split_reduction(const SplitCall& call);

}  // namespace kgen
