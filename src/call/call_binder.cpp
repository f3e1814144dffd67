// SPDX-License-Identifier: MIT
#include "call/call_binder.hpp"

#include <algorithm>

#include "memory/layout.hpp"
#include "plan/broadcast.hpp"
#include "plan/overlap.hpp"
#include "text/advice.hpp"

namespace kgen {

CallBinder::CallBinder(const Signature& signature,
                       const CallView& call,
                       CallPurpose purpose,
                       BoundCall& bound)
    : signature_(signature),
      arguments_(call.arguments()),
      options_(call),
      purpose_(purpose),
      call_(bound) {}

void CallBinder::bind_arguments() {
    if (options_.size && *options_.size < 0)
        refuse<ShapeError>({ErrorKind::option, "size", "0 or more", std::to_string(*options_.size)},
                           "size is {}, expected 0 or more",
                           *options_.size);
    match_arguments();
    find_device();
    resolve();
    make_operands();
}

std::string CallBinder::names(std::size_t begin, std::size_t end) const {
    std::string list;
    for (std::size_t k = begin; k < end; ++k)
        list += (list.empty() ? "" : ", ") + parameter(k).name;
    return list;
}

void CallBinder::match_arguments() {
    const std::span<const Array* const> outputs = options_.outputs();
    const bool separate = !outputs.empty();
    const bool with_outputs = arguments_.size() == count() && !separate;
    if (arguments_.size() != inputs() && !with_outputs) {
        std::string expected =
            fmt::format("expected {} argument{}", inputs(), inputs() == 1 ? "" : "s");
        if (inputs() > 0) expected += fmt::format(" ({})", names(0, inputs()));
        if (count() > inputs() && !separate) {
            expected += fmt::format(" or, with outputs, {} ({})", count(), names(0, count()));
        }
        std::string counts = std::to_string(inputs());
        if (count() > inputs() && !separate) counts += fmt::format(" or {}", count());
        refuse<TypeError>(
            {ErrorKind::argument_count, {}, counts, std::to_string(arguments_.size())},
            "{}, but got {}",
            expected,
            arguments_.size());
    }
    if (separate && outputs.size() != count() - inputs()) {
        refuse<TypeError>({ErrorKind::argument_count,
                           names(inputs(), count()),
                           std::to_string(count() - inputs()),
                           std::to_string(outputs.size())},
                          "expected {} output{} ({}), but {} {} given",
                          count() - inputs(),
                          count() - inputs() == 1 ? "" : "s",
                          names(inputs(), count()),
                          outputs.size(),
                          outputs.size() == 1 ? "was" : "were");
    }
    for (std::size_t k = 0; k < count(); ++k) {
        const Array* array = nullptr;
        if (separate && k >= inputs())
            array = outputs[k - inputs()];
        else if (given(k) != nullptr)
            array = given(k)->array();
        call_.arrays.push_back(array);
        if (spec_of(k) != nullptr && purpose_ == CallPurpose::run) {
            refuse<TypeError>(
                {ErrorKind::argument_type, parameter(k).name, "an Array", "an ArraySpec"},
                "{} is an ArraySpec, which has no memory; pass an Array",
                argument(k));
        }
        if (array != nullptr && !array->has_value()) {
            refuse<TypeError>({ErrorKind::argument_type,
                               parameter(k).name,
                               "an Array that has memory",
                               "an empty Array"},
                              "{} is an empty Array; pass one that has memory",
                              argument(k));
        }
    }
}

void CallBinder::find_device() {
    std::optional<std::size_t> first;
    for (std::size_t k = 0; k < count(); ++k) {
        if (call_.arrays[k] == nullptr) continue;
        const Device device = call_.arrays[k]->device();
        if (!first) {
            first = k;
            call_.device = device;
        } else if (!(device == call_.device)) {
            refuse<ShapeError>(
                {ErrorKind::device, parameter(k).name, to_text(call_.device), to_text(device)},
                "{} is on {} but {} is on {}; move one of them with to()",
                argument(*first),
                to_text(call_.device),
                argument(k),
                to_text(device));
        }
    }
    const std::optional<Device> wanted =
        options_.device
            ? options_.device
            : (options_.stream != nullptr ? std::optional<Device>(options_.stream->device())
                                          : std::nullopt);
    if (!first) {
        call_.device = wanted ? *wanted : current_device();
    } else if (wanted && !(*wanted == call_.device)) {
        refuse<ShapeError>(
            {ErrorKind::device, parameter(*first).name, to_text(*wanted), to_text(call_.device)},
            "{} is on {}, but the call is for {}",
            argument(*first),
            to_text(call_.device),
            to_text(*wanted));
    }
}

void CallBinder::resolve() {
    PerParameter<ArgumentType> types;
    types.resize(count());
    for (std::size_t k = 0; k < count(); ++k) {
        if (is_array(k)) {
            types[k] = {ArgumentType::Kind::array, dtype_of_array(k)};
        } else if (given(k) != nullptr && given(k)->scalar() != nullptr) {
            types[k] = {ArgumentType::Kind::scalar, given(k)->scalar()->dtype()};
        }
    }
    call_.types = resolve_types(signature_, types);
}

void CallBinder::make_operands() {
    for (std::size_t k = 0; k < count(); ++k) {
        Operand& operand = call_.operands.emplace_back();
        operand.dtype = call_.types.dtypes[k];
        operand.written = parameter(k).written;
        operand.kind = parameter(k).raw ? OperandKind::raw : OperandKind::array;
        if (spec_of(k) != nullptr) {
            describe_operand(k, operand);
        } else if (is_array(k)) {
            operand.shape = call_.arrays[k]->shape();
            operand.strides = call_.arrays[k]->strides();
            operand.address = reinterpret_cast<std::uintptr_t>(call_.arrays[k]->data());
        } else if (given(k) != nullptr) {
            operand.kind = OperandKind::scalar;
            const std::string problem =
                convert_scalar(*given(k)->scalar(), operand.dtype, operand.scalar.data());
            if (!problem.empty()) {
                refuse<TypeError>({ErrorKind::value,
                                   parameter(k).name,
                                   std::string(to_text(operand.dtype)),
                                   to_text(*given(k)->scalar())},
                                  "{}: {}",
                                  argument(k),
                                  problem);
            }
        }
    }
}

void CallBinder::describe_operand(std::size_t k, Operand& operand) const {
    const ArraySpec& spec = *spec_of(k);
    try {
        checked_size_bytes(spec.shape, spec.dtype);
        operand.shape = spec.shape;
        operand.strides = spec.strides.value_or(c_strides(spec.shape, item_size(spec.dtype)));
        if (operand.strides.rank() == operand.shape.rank()) {
            byte_span(operand.shape, operand.strides, spec.dtype);
        }
    } catch (const ShapeError& error) {
        refuse<ShapeError>({ErrorKind::shape, parameter(k).name, {}, to_text(spec.shape)},
                           "{}: {}",
                           argument(k),
                           error.what());
    }
    if (operand.strides.rank() == operand.shape.rank()) return;
    refuse<ShapeError>({ErrorKind::layout,
                        parameter(k).name,
                        std::to_string(operand.shape.rank()),
                        std::to_string(operand.strides.rank())},
                       "{} has shape {} but {} strides",
                       argument(k),
                       to_text(operand.shape),
                       operand.strides.rank());
}

Dims CallBinder::loop_of(const PerParameter<std::size_t>& walked) const {
    if (walked.empty()) {
        if (options_.loop_shape != nullptr) return *options_.loop_shape;
        if (options_.size) return {*options_.size};
        const bool any_raw = std::any_of(signature_.parameters.begin(),
                                         signature_.parameters.end(),
                                         [](const Parameter& p) { return p.raw; });
        refuse<ShapeError>({ErrorKind::option, "size", "size(n)", "no size"},
                           "{}, so the loop size is unknown; {}",
                           any_raw ? "all array arguments are raw" : "no argument is an array",
                           advise(Advice::pass_size));
    }
    if (options_.size) {
        refuse<ShapeError>({ErrorKind::option, "size", "no size", std::to_string(*options_.size)},
                           "{} is only for calls in which every array is raw, but {} is not",
                           advise(Advice::size_name),
                           argument(walked[0]));
    }
    Dims loop =
        options_.loop_shape != nullptr ? *options_.loop_shape : call_.operands[walked[0]].shape;
    for (const std::size_t k : walked) {
        if (!broadcast_to_both(loop, call_.operands[k].shape)) fail_broadcast(walked);
    }
    return loop;
}

void CallBinder::fail_broadcast(const PerParameter<std::size_t>& walked) const {
    for (std::size_t b = 1; b < walked.size(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            const Dims& left = call_.operands[walked[a]].shape;
            const Dims& right = call_.operands[walked[b]].shape;
            const int rank = std::max(left.rank(), right.rank());
            for (int axis = rank - 1; axis >= 0; --axis) {
                const int i = axis - (rank - left.rank());
                const int j = axis - (rank - right.rank());
                if (i < 0 || j < 0 || left[i] == right[j] || left[i] == 1 || right[j] == 1)
                    continue;
                refuse<ShapeError>(
                    {ErrorKind::shape, parameter(walked[b]).name, to_text(left), to_text(right)},
                    "shapes do not broadcast: {} is {}, {} is {}; axis {} is {} against {}",
                    parameter(walked[a]).name,
                    to_text(left),
                    parameter(walked[b]).name,
                    to_text(right),
                    axis,
                    left[i],
                    right[j]);
            }
        }
    }
    refuse<ShapeError>({ErrorKind::shape}, "shapes do not broadcast");
}

void CallBinder::check_new_output(std::size_t k, NewShape of_raw) const {
    if (parameter(k).raw && of_raw == NewShape::unknown) {
        refuse<ShapeError>({ErrorKind::argument_count, parameter(k).name, "an array", "no array"},
                           "{} is raw, so its shape is unknown; pass the array",
                           argument(k));
    }
    if (!parameter(k).read_first) return;
    refuse<TypeError>({ErrorKind::argument_count, parameter(k).name, "an array", "no array"},
                      "{} is read before it is written, but no array is given for it; {}",
                      argument(k),
                      advise(Advice::pass_output, names(inputs(), count())));
}

void CallBinder::check_written() const {
    for (std::size_t k = 0; k < count(); ++k) {
        if (!parameter(k).written || !is_array(k)) continue;
        const std::string_view role = parameter(k).output ? "" : " is written (_non_const) but";
        if (call_.arrays[k] != nullptr && call_.arrays[k]->is_read_only()) {
            refuse<ShapeError>(
                {ErrorKind::read_only, parameter(k).name, "a writable array", "a read-only array"},
                "{}{} is read-only; pass a writable array",
                argument(k),
                role);
        }
        if (parameter(k).raw) continue;
        const Operand* written = &call_.operands[k];
        std::optional<Operand> stretched;
        if (!parameter(k).output) {
            if (parameter(k).by_reference) continue;  // its body decides what is written
            stretched = *written;
            stretched->strides = broadcast_strides(written->shape, written->strides, call_.loop);
            stretched->shape = call_.loop;
            written = &*stretched;
        }
        const Operand& operand = *written;
        if (overlaps_itself(operand)) {
            refuse<ShapeError>(
                {ErrorKind::layout,
                 parameter(k).name,
                 "elements that do not overlap",
                 "strides " + to_text(operand.strides)},
                "{}{} overlaps itself: shape {}, strides {}; pass an array whose elements do not "
                "overlap",
                argument(k),
                role,
                to_text(operand.shape),
                to_text(operand.strides));
        }
    }
}

PerParameter<std::size_t> CallBinder::walked(std::size_t begin, std::size_t end) const {
    PerParameter<std::size_t> list;
    for (std::size_t k = begin; k < end; ++k) {
        if (is_walked(k)) list.push_back(k);
    }
    return list;
}

StrideRows CallBinder::input_strides() const {
    StrideRows strides;
    for (std::size_t k = 0; k < inputs(); ++k) {
        if (!is_walked(k)) continue;
        strides.push_back(
            broadcast_strides(call_.operands[k].shape, call_.operands[k].strides, call_.loop));
    }
    return strides;
}

}  // namespace kgen
