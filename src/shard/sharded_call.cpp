// SPDX-License-Identifier: MIT
#include "shard/sharded_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <kgen/array_creation.hpp>
#include <kgen/error.hpp>
#include <utility>

#include "call/kernel_access.hpp"
#include "shard/split_reduction.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

const ShardedParts& parts_of(const ShardedArray& array) {
    return ShardedArrayAccess::parts(array);
}

}  // namespace

ShardedCall::ShardedCall(const GeneratedKernel& kernel, std::span<const detail::ShardedPart> parts)
    : choice_(KernelAccess::choice(kernel)) {
    std::vector<Operand> outputs;
    for (const detail::ShardedPart& each : parts) {
        const CallPart& part = each.part();
        if (each.array() != nullptr) {
            (each.is_output() ? outputs : operands_).push_back({.array = each.array()});
        } else if (part.kind() == CallPart::Kind::number && part.image() == nullptr) {
            operands_.push_back({.part = &part});
        } else if (part.is_argument() || part.kind() == CallPart::Kind::output ||
                   part.kind() == CallPart::Kind::outputs ||
                   part.kind() == CallPart::Kind::stream || part.kind() == CallPart::Kind::size) {
            refuse_part(part, operands_.size());
        } else {
            options_.push_back(part);
            keepdims_ |= part.kind() == CallPart::Kind::kept_axes;
        }
    }
    operands_.insert(operands_.end(), outputs.begin(), outputs.end());
    find_communicator();
    bind();
    find_split();
    check_outputs();
}

void ShardedCall::refuse_part(const CallPart& part, std::size_t k) const {
    const Signature& any = choice_.first().signature();
    if (part.kind() == CallPart::Kind::stream || part.kind() == CallPart::Kind::size) {
        const bool is_stream = part.kind() == CallPart::Kind::stream;
        refuse<TypeError>(
            {ErrorKind::option, is_stream ? "on" : "size"},
            "kernel '{}': {}",
            any.name,
            is_stream
                ? "on(stream) is for one device; a call with sharded arrays runs on the current "
                  "stream of each rank's device, which StreamScope chooses"
                : "size(n) is only for calls in which every array is raw; a sharded array "
                  "tells the size");
    }
    const bool is_known = part.is_argument() && k < any.parameters.size();
    refuse<TypeError>(
        {ErrorKind::argument_type,
         is_known ? any.parameters[k].name : "out",
         "a ShardedArray",
         "an Array"},
        "kernel '{}': {} is {}, which one rank has, beside arrays that all ranks share; {}",
        any.name,
        is_known ? describe_argument(any, k) : "an output",
        part.image() != nullptr ? "a texture or surface" : "an Array",
        part.image() != nullptr ? "call the kernel with the local() arrays of each rank"
                                : "make it a ShardedArray with shard() or replicate()");
}

void ShardedCall::find_communicator() {
    const Operand* first = nullptr;
    for (const Operand& each : operands_) {
        if (each.array == nullptr) continue;
        const Communicator& communicator = parts_of(*each.array).communicator;
        if (first == nullptr) {
            first = &each;
            communicator_ = &communicator;
        } else if (!(communicator == *communicator_)) {
            refuse<ShapeError>({ErrorKind::device},
                               "kernel '{}': its sharded arrays belong to different communicators; "
                               "gather() one of them, and shard() it in the other's communicator",
                               choice_.first().signature().name);
        }
    }
}

void ShardedCall::bind() {
    specs_.reserve(operands_.size());
    for (const Operand& each : operands_) {
        if (each.array == nullptr) {
            whole_parts_.push_back(*each.part);
            continue;
        }
        specs_.push_back({.dtype = each.array->dtype(), .shape = each.array->shape()});
        whole_parts_.emplace_back(specs_.back());
    }
    whole_parts_.insert(whole_parts_.end(), options_.begin(), options_.end());
    CallView view(whole_parts_);
    view.check_once(choice_.first().signature().name);
    view.device = communicator_->device(communicator_->rank());
    pipeline_ = &choice_.choose(view);
    bound_ = bind_call(signature(), view, CallPurpose::explain);
}

int ShardedCall::loop_axis(std::size_t k, int axis) const {
    return axis + bound_.loop.rank() - operands_[k].array->shape().rank();
}

void ShardedCall::find_split() {
    const auto inputs = static_cast<std::size_t>(signature().input_count);
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        if (operands_[k].array == nullptr || (signature().reduction && k >= inputs)) continue;
        if (!parts_of(*operands_[k].array).sharding.is_replicated()) check_split(k);
    }
    for (std::size_t k = 0; split_ && k < signature().parameters.size(); ++k) {
        const Parameter& each = signature().parameters[k];
        if (each.raw || !each.viewed) continue;
        refuse<TypeError>(
            {ErrorKind::argument_type, each.name},
            "kernel '{}': its text reads any element of {} as '_raw_{}', but each rank "
            "has only a block; declare it raw and pass a replicated array, or call the "
            "kernel with the local() arrays",
            signature().name,
            name_of(k),
            each.name);
    }
}

// Requires that operand k is split as those before it.
void ShardedCall::check_split(std::size_t k) {
    const ShardedParts& parts = parts_of(*operands_[k].array);
    const std::string& kernel = signature().name;
    if (is_raw(k)) {
        refuse<TypeError>(
            {ErrorKind::argument_type,
             signature().parameters[k].name,
             "a replicated array",
             to_text(parts.sharding)},
            "kernel '{}': {} is raw, so each element may read all of it, but it is {}; "
            "pass a replicated array, or call the kernel with the local() arrays",
            kernel,
            name_of(k),
            to_text(parts.sharding));
    }
    const int axis = loop_axis(k, parts.sharding.axis());
    if (parts.shape[parts.sharding.axis()] != bound_.loop[axis]) {
        refuse<ShapeError>(
            {ErrorKind::shape, signature().parameters[k].name},
            "kernel '{}': {} of shape {} is {}, along which it is broadcast; call reshard({}, "
            "Sharding::replicated()) first",
            kernel,
            name_of(k),
            to_text(parts.shape),
            to_text(parts.sharding),
            signature().parameters[k].name);
    }
    if (!split_) {
        split_ = Split{axis, k, &parts};
        return;
    }
    const Sharding& first = split_->parts->sharding;
    if (axis == split_->axis && std::ranges::equal(parts.sharding.blocks(), first.blocks())) return;
    const int own = split_->axis - (bound_.loop.rank() - parts.shape.rank());
    Sharding wanted = Sharding::replicated();
    if (own >= 0 && parts.shape[own] == bound_.loop[split_->axis])
        wanted = Sharding::split(own, {first.blocks().begin(), first.blocks().end()});
    refuse<ShapeError>(
        {ErrorKind::shape, signature().parameters[k].name, to_text(first), to_text(parts.sharding)},
        "kernel '{}': {} is {}, but {} is {}; call reshard({}, {}) first",
        kernel,
        name_of(k),
        to_text(parts.sharding),
        name_of(split_->operand),
        to_text(first),
        signature().parameters[k].name,
        call_text(wanted, parts.shape, communicator_->size()));
}

Sharding ShardedCall::result_sharding() const {
    if (!split_ || folds_split()) return Sharding::replicated();
    const auto blocks = split_->parts->sharding.blocks();
    int axis = split_->axis;
    if (signature().reduction && !keepdims_)
        axis -= std::popcount(bound_.reduced_axes & ((AxisSet{1} << axis) - 1));
    return Sharding::split(axis, {blocks.begin(), blocks.end()});
}

// Requires that arrays that are written are divided like the result.
void ShardedCall::check_outputs() {
    const Sharding expected = result_sharding();
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        const ShardedArray* array = operands_[k].array;
        if (array == nullptr || !signature().parameters[k].written) continue;
        if (is_raw(k) && split_) {
            refuse<TypeError>(
                {ErrorKind::argument_type, signature().parameters[k].name},
                "kernel '{}': {} is raw and written, so each rank would change its own "
                "copy; call the kernel with the local() arrays",
                signature().name,
                name_of(k));
        }
        if (is_raw(k)) continue;
        if (parts_of(*array).sharding == expected) continue;
        refuse<ShapeError>(
            {ErrorKind::shape,
             signature().parameters[k].name,
             to_text(expected),
             to_text(array->sharding())},
            "kernel '{}': {} is {}, but what is written to it is {}; give an array that is divided "
            "so, made with empty_sharded(shape, dtype, {}, communicator)",
            signature().name,
            name_of(k),
            to_text(array->sharding()),
            to_text(expected),
            call_text(expected, array->shape(), communicator_->size()));
    }
}

std::optional<Section> ShardedCall::section_of(int rank) const {
    if (!split_ || !tells_places(signature())) return {};
    Section section{bound_.loop, Dims::filled(bound_.loop.rank(), 0)};
    section.start[split_->axis] = box_of(split_->parts->shape, split_->parts->sharding, rank)
                                      .start[split_->parts->sharding.axis()];
    return section;
}

Array ShardedCall::local_operand(std::size_t k, std::size_t place, int rank) const {
    const ShardedParts& parts = parts_of(*operands_[k].array);
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
