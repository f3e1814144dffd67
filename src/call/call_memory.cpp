// SPDX-License-Identifier: MIT
#include "call/call_memory.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <optional>
#include <vector>

#include "device/capture_record.hpp"
#include "device/graph_backend.hpp"
#include "memory/layout.hpp"
#include "memory/memory_check.hpp"
#include "plan/overlap.hpp"
#include "text/error_parts.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

// Returns the parts of the error for an operand whose address or stride is misaligned.
ErrorParts misalignment(const Signature& signature, const BoundCall& call, std::size_t k) {
    return {ErrorKind::layout,
            signature.parameters[k].name,
            fmt::format("a multiple of {} bytes", item_size(call.operands[k].dtype)),
            "another address or stride"};
}

bool is_walked(const BoundCall& call, std::size_t k) {
    return call.operands[k].kind == OperandKind::array;
}

using Spans = PerParameter<AddressSpan>;

// Returns the bytes of the walked operands. An output that is still to be allocated has no address, so it
// overlaps nothing.
Spans walked_spans(const BoundCall& call) {
    Spans spans;
    spans.resize(call.operands.size());
    for (std::size_t k = 0; k < spans.size(); ++k) {
        if (is_walked(call, k) && call.operands[k].address != 0)
            spans[k] = address_span(call.operands[k]);
    }
    return spans;
}

void check_outputs_apart(const Signature& signature, const BoundCall& call, const Spans& spans) {
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
        if (!call.operands[k].written) continue;
        for (std::size_t j = k + 1; j < call.operands.size(); ++j) {
            if (!call.operands[j].written || !spans[k].intersects(spans[j])) continue;
            if (!have_common_bytes(call.operands[k], call.operands[j])) continue;
            refuse<ShapeError>(
                {ErrorKind::layout, signature.parameters[k].name, "no overlap", "an overlap"},
                "kernel '{}': {} and {} overlap; pass arrays that share no memory",
                signature.name,
                describe_argument(signature, k),
                describe_argument(signature, j));
        }
    }
}

// Whether each element is read only by the iteration that writes it, so that no store changes an element
// that is read later. False if several elements are folded to one output element. A row kernel reads a row before it
// writes the row's elements.
bool is_in_place(const BoundCall& call, const Operand& output, const Operand& input) {
    for (int axis = 0; axis < call.loop.rank(); ++axis) {
        if ((call.reduced_axes >> axis & 1) != 0 && call.loop[axis] != output.shape[axis])
            return false;
    }
    return is_same_walk(output, input, call.loop);
}

// Returns the inputs that the stores of other iterations would change.
std::vector<std::size_t> find_overlapped_inputs(const BoundCall& call, const Spans& spans) {
    std::vector<std::size_t> found;
    PerParameter<std::size_t> outputs;
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
        if (call.operands[k].written) outputs.push_back(k);
    }
    for (std::size_t j = 0; j < call.operands.size(); ++j) {
        const Operand& input = call.operands[j];
        if (input.written) continue;
        for (const std::size_t k : outputs) {
            const Operand& output = call.operands[k];
            if (!spans[j].intersects(spans[k])) continue;
            if (is_in_place(call, output, input) || !have_common_bytes(output, input)) continue;
            found.push_back(j);
            break;
        }
    }
    return found;
}

// Device code aligns complex numbers to their full size. An Array may align them to half of it.
bool is_misaligned(const Operand& operand) {
    if (operand.kind == OperandKind::scalar || kind_of(operand.dtype) != DTypeKind::complex)
        return false;
    if (operand.address == 0 || extent_product(operand.shape) == 0) return false;
    const auto item = static_cast<std::int64_t>(item_size(operand.dtype));
    if (operand.address % static_cast<std::uintptr_t>(item) != 0) return true;
    for (int axis = 0; axis < operand.shape.rank(); ++axis) {
        if (operand.shape[axis] > 1 && operand.strides[axis] % item != 0) return true;
    }
    return false;
}

std::uintptr_t address_of(const Array& array) {
    return reinterpret_cast<std::uintptr_t>(array.data());
}

void replace_by_copy(BoundCall& call, std::size_t k) {
    call.has_temporaries = true;
    call.take(k, call.arrays[k]->copy());
    const Dims& strides = call.arrays[k]->strides();
    const bool is_result = call.reduced_axes != 0 && call.operands[k].written;
    call.operands[k].strides =
        is_result ? walk_of_output(call, call.arrays[k]->shape(), strides) : strides;
    call.operands[k].address = address_of(*call.arrays[k]);
}

void replace_by_temporaries(const Signature& signature,
                            BoundCall& call,
                            const Stream& stream,
                            const std::vector<std::size_t>& overlapped) {
    std::optional<StreamScope> scope;
    if (!overlapped.empty()) scope.emplace(stream);
    for (const std::size_t j : overlapped) replace_by_copy(call, j);
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
        const Operand& operand = call.operands[k];
        if (!is_misaligned(operand)) continue;
        if (!scope) scope.emplace(stream);
        if (operand.kind == OperandKind::raw || (operand.written && overlaps_itself(operand))) {
            refuse<ShapeError>(
                misalignment(signature, call, k),
                "kernel '{}': {} is raw and {}, but its address or a stride is not a "
                "multiple of {} bytes; pass a copy()",
                signature.name,
                describe_argument(signature, k),
                to_text(operand.dtype),
                item_size(operand.dtype));
        }
        if (operand.written) call.write_backs.emplace_back(k, *call.arrays[k]);
        replace_by_copy(call, k);
    }
}

void refuse_temporaries(const Signature& signature,
                        const BoundCall& call,
                        const std::vector<std::size_t>& overlapped) {
    if (!overlapped.empty()) {
        refuse<ShapeError>(
            {ErrorKind::layout,
             signature.parameters[overlapped.front()].name,
             "no overlap",
             "an overlap"},
            "kernel '{}': {} overlaps an output and is not exactly in place, so each "
            "launch would need a new copy of it; bind a copy(), or call the kernel",
            signature.name,
            describe_argument(signature, overlapped.front()));
    }
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
        if (!is_misaligned(call.operands[k])) continue;
        refuse<ShapeError>(
            misalignment(signature, call, k),
            "kernel '{}': {} is {}, but its address or a stride is not a multiple of {} bytes, "
            "so each launch would need a new copy of it; bind a copy(), or call the kernel",
            signature.name,
            describe_argument(signature, k),
            to_text(call.operands[k].dtype),
            item_size(call.operands[k].dtype));
    }
}

}  // namespace

namespace {

Array relaid_copy(const Array& source, const RelaidInput& input, const Stream& stream) {
    const auto item = static_cast<std::int64_t>(item_size(source.dtype()));
    std::vector<Range> ranges(static_cast<std::size_t>(input.shape.rank()));
    Dims shape = input.shape, strides = input.strides;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (strides[axis] != 0) continue;
        ranges[static_cast<std::size_t>(axis)] = Range{0, 1};
        shape[axis] = 1;
        strides[axis] = item;
    }
    const Array copy = allocate_array(shape, strides, source.dtype(), stream);
    const StreamScope scope(stream);
    copy.assign(source.broadcast_to(input.shape).slice(ranges));
    return copy.broadcast_to(input.shape);
}

}  // namespace

std::vector<Array> relaid_copies(std::span<const RelaidInput> inputs,
                                 std::span<const Array* const> arrays,
                                 const Stream& stream) {
    std::vector<Array> copies;
    try {
        for (const RelaidInput& input : inputs)
            copies.push_back(relaid_copy(*arrays[input.operand], input, stream));
    } catch (const Error& error) {
        log().debug("inputs are read as they lie, without copies: {}", error.what());
        copies.clear();
    }
    return copies;
}

bool may_relay(const Backend& device, const Stream& stream) {
    return CaptureRecord::of_this_thread() != nullptr ||
           !device.graphs().is_capturing(stream.handle());
}

void relay_inputs(BoundCall& call, std::vector<RelaidInput> inputs, const Stream& stream) {
    std::vector<Array> copies =
        relaid_copies(inputs, {call.arrays.data(), call.arrays.size()}, stream);
    for (std::size_t n = 0; n < copies.size(); ++n) {
        const std::size_t k = inputs[n].operand;
        Operand& operand = call.operands[k];
        call.left.push_back({k, call.arrays[k], operand});
        call.take(k, std::move(copies[n]));
        operand.shape = call.arrays[k]->shape();
        operand.strides = call.arrays[k]->strides();
        operand.address = address_of(*call.arrays[k]);
    }
    if (!call.left.empty()) call.relaid = std::move(inputs);
}

void leave_inputs(BoundCall& call) {
    for (const BoundCall::Left& each : call.left) {
        call.arrays[each.operand] = each.array;
        call.operands[each.operand] = each.facts;
    }
    call.left.clear();
    call.relaid.clear();
}

void finish_memory(BoundCall& call, const Stream& stream) {
    if (call.write_backs.empty()) return;
    const StreamScope scope(stream);
    for (auto& [k, array] : call.write_backs) {
        array.assign(*call.arrays[k]);
        call.arrays[k] = &array;
    }
}

void check_arguments(const Signature& signature, const BoundCall& call) {
    if (!checks_pointers()) return;
    for (std::size_t k = 0; k < call.arrays.size(); ++k) {
        if (call.arrays[k] == nullptr) continue;
        check_foreign(
            fmt::format("kernel '{}': {}", signature.name, describe_argument(signature, k)),
            *call.arrays[k]);
    }
}

void prepare_memory(const Signature& signature,
                    BoundCall& call,
                    const Stream& stream,
                    Temporaries temporaries) {
    const Spans spans = walked_spans(call);
    check_outputs_apart(signature, call, spans);
    const std::vector<std::size_t> overlapped = find_overlapped_inputs(call, spans);
    if (temporaries == Temporaries::refused) refuse_temporaries(signature, call, overlapped);
    replace_by_temporaries(signature, call, stream, overlapped);
    for (const auto& [k, shape, strides] : call.new_outputs) {
        call.take(k, allocate_array(shape, strides, call.operands[k].dtype, stream));
        call.operands[k].address = address_of(*call.arrays[k]);
    }
}

void imagine_memory(const Signature& signature, BoundCall& call) {
    const Spans spans = walked_spans(call);
    check_outputs_apart(signature, call, spans);
    std::vector<std::size_t> imagined = find_overlapped_inputs(call, spans);
    for (const std::size_t j : imagined) {
        call.operands[j].strides =
            c_strides(call.operands[j].shape, item_size(call.operands[j].dtype));
    }
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
        if (call.operands[k].kind != OperandKind::scalar && call.operands[k].address == 0)
            imagined.push_back(k);
    }
    // Each of these operands gets a part of the address space of its own, in which no real array lies.
    constexpr std::uintptr_t part = std::uintptr_t{1} << 56;
    std::uintptr_t next = part;
    for (const std::size_t k : imagined) {
        call.operands[k].address = next;
        next += part;
    }
}

void place_memory(BoundCall& call, Placement placement) {
    PerParameter<Operand>& operands = call.operands;
    const auto is_array = [](const Operand& operand) { return operand.kind == OperandKind::array; };
    for (Operand& operand : operands) {
        if (placement == Placement::shifted && is_array(operand))
            operand.address += item_size(operand.dtype);
    }
    if (placement != Placement::in_place) return;
    for (const Operand& output : operands) {
        if (!output.written) continue;
        for (Operand& input : operands) {
            if (input.written || !is_array(input) || input.dtype != output.dtype) continue;
            if (input.shape != output.shape) continue;
            input.address = output.address;
            return;
        }
    }
}

}  // namespace kgen
