// SPDX-License-Identifier: MIT
#include "shard/sharded_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <kgen/error.hpp>
#include <utility>

#include "call/kernel_access.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

const ShardedParts& parts_of(const ShardedArray& array) {
    return ShardedArrayAccess::parts(array);
}

}  // namespace

void require_stream_of_ranks(const Stream& stream,
                             const Communicator& communicator,
                             std::string_view call) {
    for (const int rank : communicator.local_ranks()) {
        const Device device = communicator.device(rank);
        if (device == stream.device()) continue;
        refuse<TypeError>(
            {ErrorKind::option, "on", to_text(device), to_text(stream.device())},
            "{}: the stream is on {}, but rank {} is on {}; without on(stream) a call "
            "with sharded arrays runs on the current stream of each rank's device, "
            "which StreamScope chooses",
            call,
            to_text(stream.device()),
            rank,
            to_text(device));
    }
}

ShardedCall::ShardedCall(const GeneratedKernel& kernel, std::span<const detail::ShardedPart> parts)
    : choice_(KernelAccess::choice(kernel)) {
    std::vector<Operand> outputs;
    for (const detail::ShardedPart& each : parts) {
        const CallPart& part = each.part();
        if (each.array() != nullptr) {
            (each.is_output() ? outputs : operands_).push_back({.array = each.array()});
        } else if (part.kind() == CallPart::Kind::number && part.image() == nullptr) {
            operands_.push_back({.part = &part});
        } else if (part.kind() == CallPart::Kind::stream) {
            stream_ = part.stream();
        } else if (part.is_argument() || part.kind() == CallPart::Kind::output ||
                   part.kind() == CallPart::Kind::outputs || part.kind() == CallPart::Kind::size) {
            refuse_part(part, operands_.size());
        } else {
            options_.push_back(part);
            keepdims_ |= part.kind() == CallPart::Kind::kept_axes;
        }
    }
    operands_.insert(operands_.end(), outputs.begin(), outputs.end());
    find_communicator();
    if (stream_ != nullptr)
        require_stream_of_ranks(
            *stream_, *communicator_, fmt::format("kernel '{}'", choice_.first().signature().name));
    bind();
    find_split();
    check_outputs();
}

void ShardedCall::refuse_part(const CallPart& part, std::size_t k) const {
    const Signature& any = choice_.first().signature();
    if (part.kind() == CallPart::Kind::size) {
        refuse<TypeError>({ErrorKind::option, "size"},
                          "kernel '{}': size(n) is only for calls in which every array is raw; a "
                          "sharded array tells the size",
                          any.name);
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

}  // namespace kgen
