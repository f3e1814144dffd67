// SPDX-License-Identifier: MIT
//
// trace(): runs a C++ function with values that stand for the parameters of a kernel, and makes a template of the tape.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <kgen/error.hpp>
#include <kgen/promote_types.hpp>
#include <kgen/scalar.hpp>
#include <kgen/trace.hpp>
#include <mutex>
#include <utility>

#include "call/template_access.hpp"
#include "call/template_tracer.hpp"
#include "dtype/dtype_table.hpp"
#include "expression/choose_form.hpp"
#include "expression/compare_with_limits.hpp"
#include "expression/statement.hpp"
#include "expression/tape.hpp"
#include "memory/array_access.hpp"
#include "template/template_layouts.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

using detail::ExpressionAccess;
using detail::Tape;

std::string real_literal(double value) {
    if (std::isnan(value)) return "(0.0 * (1e300 * 1e300))";
    if (std::isinf(value)) return value > 0 ? "(1e300 * 1e300)" : "(-1e300 * 1e300)";
    return fmt::format("{}", value);
}

// Returns the number as C++ of the dtype. Throws TypeError if it does not fit.
std::string literal(const Scalar& number, DType dtype, std::string_view name) {
    std::byte bytes[16];
    const std::string problem = convert_scalar(number, dtype, bytes);
    if (!problem.empty())
        refuse<TypeError>({ErrorKind::value, {}, std::string(to_text(dtype)), to_text(number)},
                          "trace '{}': {}",
                          name,
                          problem);
    std::string value;
    switch (kind_of(number.dtype())) {
        case DTypeKind::boolean:
            value = number.unsigned_value() != 0 ? "true" : "false";
            break;
        case DTypeKind::signed_integer:
            // The least int64 has no literal.
            value = fmt::format(
                "({}LL{})",
                std::max(number.signed_value(), -std::numeric_limits<std::int64_t>::max()),
                number.signed_value() == std::numeric_limits<std::int64_t>::min() ? " - 1" : "");
            break;
        case DTypeKind::unsigned_integer:
            value = fmt::format("{}ULL", number.unsigned_value());
            break;
        case DTypeKind::real:
            value = real_literal(number.real_value());
            break;
        case DTypeKind::complex: {
            const std::complex<double> both = number.complex_value();
            return fmt::format("{}({}, {})",
                               cpp_name(dtype),
                               real_literal(both.real()),
                               real_literal(both.imag()));
        }
    }
    return fmt::format("({})({})", cpp_name(dtype), value);
}

class Tracer final : public TemplateTracer {
public:
    Tracer(std::string name,
           std::size_t parameters,
           detail::TracedFunction function,
           bool has_captures)
        : name_(std::move(name)),
          parameters_(parameters),
          function_(std::move(function)),
          has_captures_(has_captures) {}

    std::vector<DType> dtypes(std::span<const ArgumentType> inputs) const override {
        std::optional<DType> of_arrays;
        for (const ArgumentType& each : inputs) {
            if (each.kind != ArgumentType::Kind::array) continue;
            of_arrays = of_arrays ? promote_types(*of_arrays, each.dtype) : each.dtype;
        }
        std::vector<DType> list;
        for (const ArgumentType& each : inputs) {
            const bool is_array = each.kind == ArgumentType::Kind::array;
            list.push_back(is_array || !of_arrays ? each.dtype
                                                  : dtype_beside_number(*of_arrays, each.dtype));
        }
        return list;
    }

    TemplateOverload form(std::span<const DType> inputs) const override {
        const TapeHolder tape;
        std::vector<std::uint16_t> slots;
        run(inputs, *tape, slots);
        std::vector<DType> of_arrays;
        for (const std::uint16_t slot : slots) of_arrays.push_back(inputs[slot]);
        const TapeKey key{tape->code, of_arrays, slots, tape->number_slots, tape->shape_slots};
        NodeList list = make_nodes(key);
        if (compare_with_limits(*tape, list)) list = make_nodes(key);
        for (Node& node : list.nodes) {
            if (node.is_number())
                node.constant = literal(tape->numbers[node.slot], node.dtype, name_);
            if (!node.is_reduction() || (node.all_axes && !node.keepdims)) continue;
            refuse<TypeError>({ErrorKind::option, "axis"},
                              "trace '{}': a reduction in the function has axes of its own; give "
                              "axis(...) and keepdims "
                              "when the kernel is called",
                              name_);
        }
        Statement statement = compose(std::move(list), Joining::traced);
        if (statement.steps.size() != 1) {
            refuse<ShapeError>(
                {ErrorKind::option, {}, "1 kernel", std::to_string(statement.steps.size())},
                "trace '{}': the function needs {} kernels, and a template is one: what follows a "
                "reduction "
                "may use only its result and numbers",
                name_,
                statement.steps.size());
        }
        Step& step = statement.steps[0];
        check_inputs(step);
        TemplateOverload overload;
        overload.definition = std::move(step.definition);
        if (!name_.empty()) overload.definition.name = name_;
        overload.signature = parse_signature(overload.definition);
        return overload;
    }

private:
    // Appends the code of the function's results, and the parameter of each array in it.
    void run(std::span<const DType> inputs, Tape& tape, std::vector<std::uint16_t>& slots) const {
        std::vector<Value> values;
        for (std::size_t k = 0; k < parameters_; ++k) {
            // The address tells the parameters apart. There is no memory behind it.
            auto parameter = std::make_shared<Tape>();
            parameter->append(
                ArrayAccess::make(nullptr, inputs[k], {}, {}, reinterpret_cast<void*>(k + 1)));
            values.push_back(ExpressionAccess::value(std::move(parameter)));
        }
        for (Expression& each : function_(values))
            tape.append(detail::OperandView(std::move(each)));
        if (!tape.shapes.empty()) {
            refuse<TypeError>({ErrorKind::argument_type, {}, "a parameter", "random numbers"},
                              "trace '{}': the function draws random numbers of a Generator, which "
                              "would be the same in every call; write an ElementwiseKernel that "
                              "calls random_normal(seed, i) or a function like it",
                              name_);
        }
        for (const std::uint16_t slot : tape.slots) {
            const Array& each = tape.arrays[slot];
            if (each.has_value() || each.data() == nullptr) {
                refuse<TypeError>({ErrorKind::argument_type, {}, "a parameter", "an array"},
                                  "trace '{}': the function uses an array; a kernel gets its "
                                  "arrays as parameters of "
                                  "type Value",
                                  name_);
            }
            slots.push_back(
                static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(each.data()) - 1));
        }
        if (!has_captures_ || !tape.has_plain_numbers) return;
        refuse<TypeError>({ErrorKind::argument_type, {}, "constant(v)", "a number"},
                          "trace '{}': the function captures something, so its numbers may change; "
                          "write constant(v) for "
                          "each number that becomes a part of the kernel, or make it a parameter",
                          name_);
    }

    void check_inputs(const Step& step) const {
        for (std::size_t k = 0; k < parameters_; ++k) {
            if (k < step.inputs.size() && step.inputs[k].index == k) continue;
            refuse<TypeError>({ErrorKind::argument_count,
                               {},
                               std::to_string(parameters_),
                               std::to_string(step.inputs.size())},
                              "trace '{}': parameter {} of the function is not used",
                              name_,
                              k + 1);
        }
    }

    std::string name_;
    std::size_t parameters_;
    detail::TracedFunction function_;
    bool has_captures_;
};

}  // namespace

KernelTemplate detail::make_trace(std::string_view name,
                                  std::size_t parameters,
                                  TracedFunction function,
                                  bool has_captures) try {
    auto tracer =
        std::make_unique<Tracer>(std::string(name), parameters, std::move(function), has_captures);
    TemplateDefinition definition;
    definition.description = "traced from a C++ function";
    definition.origin = "<trace>";
    std::exception_ptr first_error;
    for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, bool_}) {
        try {
            definition.overloads.push_back(tracer->form(std::vector<DType>(parameters, dtype)));
            definition.types.push_back({definition.overloads.size() - 1, {}});
        } catch (const Error&) {
            if (first_error == nullptr) first_error = std::current_exception();
        }
    }
    if (definition.overloads.empty()) std::rethrow_exception(first_error);
    const TemplateOverload& first = definition.overloads.front();
    definition.name = first.definition.name;
    definition.kind =
        first.definition.reduction ? TemplateKind::reduction : TemplateKind::elementwise;
    for (const TemplateLayout& each : layouts_of(definition.kind))
        definition.layouts.emplace_back(each.name);
    return TemplateAccess::traced(std::move(definition), std::move(tracer));
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
