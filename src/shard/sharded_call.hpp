// SPDX-License-Identifier: MIT
//
// ShardedCall: one call of a kernel with sharded arrays, matched with the kernel's parameters.
#pragma once

#include <kgen/sharded_array.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "call/bound_call.hpp"
#include "call/pipeline_choice.hpp"
#include "shard/sharded_array_access.hpp"

namespace kgen {

// Borrows the parts of the call, which must outlive it.
class ShardedCall {
public:
    // Checks the call as one of the whole arrays. Throws TypeError or ShapeError, naming the argument and the remedy.
    ShardedCall(const GeneratedKernel& kernel, std::span<const detail::ShardedPart> parts);

    // Runs the call on the ranks of this process. `results` has an element for each output.
    void run(std::span<ShardedArray> results);
    // Binds the call on the only rank of this process.
    BoundLaunch bind_locally() const;

private:
    // One argument or output: a sharded array, or a number.
    struct Operand {
        const ShardedArray* array = nullptr;
        const CallPart* part = nullptr;
    };

    void find_communicator();
    void bind();
    void find_split();
    void check_split(std::size_t k);
    void check_outputs();
    [[noreturn]] void refuse_part(const CallPart& part, std::size_t k) const;

    const Signature& signature() const { return pipeline_->signature(); }
    std::string name_of(std::size_t k) const { return describe_argument(signature(), k); }
    bool is_raw(std::size_t k) const { return signature().parameters[k].raw; }
    // The axis of the loop that an axis of operand k is.
    int loop_axis(std::size_t k, int axis) const;
    bool folds_split() const { return split_ && contains(bound_.reduced_axes, split_->axis); }

    // Returns the block of a rank as an operand of the local call.
    Array local_operand(std::size_t k, std::size_t place, int rank) const;
    Sharding result_sharding() const;
    std::vector<CallPart> local_parts(std::vector<Array>& arrays,
                                      std::size_t place,
                                      int rank,
                                      std::size_t count) const;
    // Returns nothing if no text of the kernel tells places, so that the call may be remembered.
    std::optional<Section> section_of(int rank) const;
    void run_locally(std::span<ShardedArray> results);
    void fold_across(std::span<ShardedArray> results);

    const PipelineChoice& choice_;
    const Pipeline* pipeline_ = nullptr;
    std::vector<Operand> operands_;  // inputs, then outputs if they are given
    std::vector<CallPart> options_;
    const Communicator* communicator_ = nullptr;
    const Stream* stream_ = nullptr;  // nullptr for the current streams
    // The call of the whole arrays, as parts that refer to the specs, and checked.
    std::vector<ArraySpec> specs_;
    std::vector<CallPart> whole_parts_;
    BoundCall bound_;
    bool keepdims_ = false;

    // The axis of the loop along which the operands are split, and the operand that says so.
    struct Split {
        int axis = 0;
        std::size_t operand = 0;
        const ShardedParts* parts = nullptr;
    };
    std::optional<Split> split_;
};

// Requires that the ranks of this process are on the stream's device. `call` begins the message. Throws TypeError.
void require_stream_of_ranks(const Stream& stream,
                             const Communicator& communicator,
                             std::string_view call);

}  // namespace kgen
