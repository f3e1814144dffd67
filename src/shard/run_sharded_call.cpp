// SPDX-License-Identifier: MIT
//
// How a ShardedCall that is checked runs: each rank of this process with its blocks.
#include <fmt/format.h>

#include <kgen/array_creation.hpp>
#include <kgen/error.hpp>
#include <utility>

#include "shard/sharded_call.hpp"
#include "shard/split_reduction.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

std::optional<Section> ShardedCall::section_of(int rank) const {
    if (!split_ || !tells_places(signature())) return {};
    Section section{bound_.loop, Dims::filled(bound_.loop.rank(), 0)};
    section.start[split_->axis] = box_of(split_->parts->shape, split_->parts->sharding, rank)
                                      .start[split_->parts->sharding.axis()];
    return section;
}

Array ShardedCall::local_operand(std::size_t k, std::size_t place, int rank) const {
    const ShardedParts& parts = ShardedArrayAccess::parts(*operands_[k].array);
    const Array& block = parts.blocks[place];
    const bool is_result =
        signature().reduction && k >= static_cast<std::size_t>(signature().input_count);
    if (!split_ || !parts.sharding.is_replicated() || is_raw(k) || is_result) return block;
    const int own = split_->axis - (bound_.loop.rank() - parts.shape.rank());
    if (own < 0 || parts.shape[own] == 1) return block;
    const auto blocks = split_->parts->sharding.blocks();
    const Sharding split = Sharding::split(own, {blocks.begin(), blocks.end()});
    return view_of_box(
        block, box_of(parts.shape, Sharding::replicated(), rank), box_of(parts.shape, split, rank));
}

std::vector<CallPart> ShardedCall::local_parts(std::vector<Array>& arrays,
                                               std::size_t place,
                                               int rank,
                                               std::size_t count) const {
    arrays.reserve(count);
    std::vector<CallPart> parts;
    for (std::size_t k = 0; k < count; ++k) {
        if (operands_[k].array == nullptr) {
            parts.push_back(*operands_[k].part);
        } else {
            arrays.push_back(local_operand(k, place, rank));
            parts.emplace_back(arrays.back());
        }
    }
    return parts;
}

void ShardedCall::run(std::span<ShardedArray> results) {
    std::optional<StreamScope> scope;
    if (stream_ != nullptr) scope.emplace(*stream_);
    if (folds_split()) {
        fold_across(results);
    } else {
        run_locally(results);
    }
}

BoundLaunch ShardedCall::bind_locally() const {
    const std::span<const int> ranks = communicator_->local_ranks();
    if (ranks.size() > 1 || folds_split()) {
        refuse<ShapeError>(
            {ErrorKind::option, {}, "1 kernel"},
            "kernel '{}': bind: {}",
            signature().name,
            folds_split()
                ? "the reduction along the split axis exchanges data between ranks, but a bound "
                  "launch is one kernel; record the call in a Graph with capture()"
                : fmt::format(
                      "this process has {} ranks, but a bound launch runs on one device; bind "
                      "the kernel once for each rank, with its local() arrays",
                      ranks.size()));
    }
    std::optional<StreamScope> scope;
    if (stream_ != nullptr) scope.emplace(*stream_);
    std::vector<Array> arrays;
    std::vector<CallPart> parts = local_parts(arrays, 0, ranks[0], operands_.size());
    parts.insert(parts.end(), options_.begin(), options_.end());
    CallView view(parts);
    view.device = communicator_->device(ranks[0]);
    view.section = section_of(ranks[0]);
    return pipeline_->bind(view);
}

void ShardedCall::run_locally(std::span<ShardedArray> results) {
    const std::span<const int> ranks = communicator_->local_ranks();
    const auto inputs = static_cast<std::size_t>(signature().input_count);
    std::vector<ShardedParts> made;  // new outputs
    const bool are_given = inputs + results.size() == operands_.size();
    for (std::size_t place = 0; place < ranks.size(); ++place) {
        std::vector<Array> arrays;
        std::vector<CallPart> parts = local_parts(arrays, place, ranks[place], operands_.size());
        parts.insert(parts.end(), options_.begin(), options_.end());
        CallView view(parts);
        view.device = communicator_->device(ranks[place]);
        view.section = section_of(ranks[place]);
        std::vector<Array> outputs(results.size());
        pipeline_->run(view, outputs);
        for (std::size_t k = 0; k < outputs.size() && !are_given; ++k) {
            if (place == 0) {
                Dims shape = outputs[k].shape();
                const Sharding sharding = result_sharding();
                if (!sharding.is_replicated()) shape[sharding.axis()] = bound_.loop[split_->axis];
                made.push_back(make_parts(shape, outputs[k].dtype(), sharding, *communicator_));
            }
            made[k].blocks.push_back(outputs[k]);
        }
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
        results[k] =
            are_given ? *operands_[inputs + k].array : ShardedArrayAccess::make(std::move(made[k]));
    }
}

void ShardedCall::fold_across(std::span<ShardedArray> results) {
    const auto inputs = static_cast<std::size_t>(signature().input_count);
    const std::span<const int> ranks = communicator_->local_ranks();
    std::vector<RankFold> folds(ranks.size());
    for (std::size_t place = 0; place < ranks.size(); ++place) {
        RankFold& fold = folds[place];
        fold.device = communicator_->device(ranks[place]);
        fold.inputs = local_parts(fold.arrays, place, ranks[place], inputs);
        fold.section = section_of(ranks[place]);
        for (std::size_t k = inputs; k < operands_.size(); ++k)
            fold.outputs.push_back(local_operand(k, place, ranks[place]));
        for (const NewOutput& each : bound_.new_outputs) {
            fold.outputs.push_back(
                empty(each.shape, bound_.types.dtypes[each.parameter], {.device = fold.device}));
        }
    }
    const SplitCall call{.communicator = *communicator_,
                         .signature = signature(),
                         .whole = bound_,
                         .inputs = std::span(whole_parts_).first(inputs),
                         .options = options_,
                         .blocks = split_->parts->sharding.blocks()};
    split_reduction(call).run(call, folds);
    for (std::size_t k = 0; k < results.size(); ++k) {
        if (inputs + k < operands_.size()) {
            results[k] = *operands_[inputs + k].array;
            continue;
        }
        const Array& first = folds[0].outputs[k];
        ShardedParts made =
            make_parts(first.shape(), first.dtype(), Sharding::replicated(), *communicator_);
        for (const RankFold& each : folds) made.blocks.push_back(each.outputs[k]);
        results[k] = ShardedArrayAccess::make(std::move(made));
    }
}

void detail::call_sharded(const GeneratedKernel& kernel,
                          std::span<const ShardedPart> parts,
                          std::span<ShardedArray> results) try {
    if (static_cast<int>(results.size()) != kernel.output_count()) {
        refuse<TypeError>({ErrorKind::argument_count,
                           {},
                           std::to_string(kernel.output_count()),
                           std::to_string(results.size())},
                          "kernel '{}': it has {} outputs, but {} results are asked for",
                          kernel.name(),
                          kernel.output_count(),
                          results.size());
    }
    ShardedCall(kernel, parts).run(results);
} catch (...) {
    rethrow_as_error();
}

BoundLaunch detail::bind_sharded(const GeneratedKernel& kernel,
                                 std::span<const ShardedPart> parts) try {
    return ShardedCall(kernel, parts).bind_locally();
} catch (...) {
    rethrow_as_error();
}

ShardedArray detail::call_sharded(const GeneratedKernel& kernel,
                                  std::span<const ShardedPart> parts) {
    std::vector<ShardedArray> results(static_cast<std::size_t>(kernel.output_count()));
    call_sharded(kernel, parts, results);
    return results.size() == 1 ? results[0] : ShardedArray();
}

}  // namespace kgen
