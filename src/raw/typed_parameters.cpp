// SPDX-License-Identifier: MIT
#include "raw/typed_parameters.hpp"

#include <algorithm>

#include "dtype/dtype_table.hpp"
#include "program/raw_names.hpp"

namespace kgen {

namespace {

using TypeForm = ParameterType::Form;

// A kgen::array of rank 0 is as large as one of rank 1.
std::size_t view_bytes(int rank) {
    return sizeof(void*) + 2 * sizeof(std::ptrdiff_t) * static_cast<std::size_t>(std::max(rank, 1));
}

bool fits(const ParameterType& type, const KernelParameter& parameter) {
    switch (type.form) {
        case TypeForm::number:
            return item_size(*type.number) == parameter.bytes;
        case TypeForm::pointer:
            return parameter.bytes == sizeof(void*);
        case TypeForm::view:
            return parameter.bytes == view_bytes(type.rank);
        case TypeForm::other:
            break;
    }
    return true;
}

ParameterKind kind_of_type(const ParameterType& type, ParameterKind known) {
    switch (type.form) {
        case TypeForm::pointer:
            return ParameterKind::pointer;
        case TypeForm::view:
            return ParameterKind::aggregate;
        case TypeForm::number:
            break;
        case TypeForm::other:
            return known;
    }
    switch (kind_of(*type.number)) {
        case DTypeKind::complex:
            return known;
        case DTypeKind::real:
            return item_size(*type.number) < sizeof(float) ? known : ParameterKind::floating;
        default:
            return ParameterKind::integer;
    }
}

// Returns the alignment of pointers, numbers and views, which their size determines. 0 for other types.
std::size_t natural_alignment(const TypedParameter& parameter) {
    if (parameter.type.form == TypeForm::view) return alignof(void*);
    switch (parameter.kind) {
        case ParameterKind::integer:
        case ParameterKind::floating:
        case ParameterKind::pointer:
            return parameter.bytes;
        default:
            return 0;
    }
}

RawParameter::Kind public_kind(const TypedParameter& parameter) {
    if (parameter.type.form == TypeForm::view) return RawParameter::Kind::array;
    if (parameter.type.number) return RawParameter::Kind::number;
    switch (parameter.kind) {
        case ParameterKind::pointer:
            return RawParameter::Kind::pointer;
        case ParameterKind::integer:
        case ParameterKind::floating:
            return RawParameter::Kind::number;
        case ParameterKind::aggregate:
            return RawParameter::Kind::value;
        case ParameterKind::unknown:
            break;
    }
    return RawParameter::Kind::unknown;
}

// Returns the dtype of a number, or the only dtype of the elements in the memory that the type refers to.
std::optional<DType> public_dtype(const ParameterType& type) {
    if (type.form == TypeForm::number) return type.number;
    if (type.form == TypeForm::other) return std::nullopt;
    const auto has = [&](DType dtype) { return type.elements.has(dtype); };
    if (std::ranges::count_if(all_dtypes, has) != 1) return std::nullopt;
    return *std::ranges::find_if(all_dtypes, has);
}

}  // namespace

std::vector<TypedParameter> type_parameters(std::span<const KernelParameter> parameters,
                                            const std::vector<ParameterType>& types) {
    std::vector<TypedParameter> typed;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const KernelParameter& each = parameters[k];
        TypedParameter parameter{.offset = each.offset,
                                 .bytes = each.bytes,
                                 .kind = each.kind,
                                 .alignment = each.alignment};
        if (types.size() == parameters.size() && fits(types[k], each)) {
            parameter.kind = kind_of_type(types[k], each.kind);
            parameter.dtypes = types[k].elements;
            if (types[k].use == MemoryUse::reads) parameter.read_only_dtypes = types[k].elements;
            parameter.misaligned_bits = types[k].alignment - 1U;
            parameter.type = types[k];
        }
        if (parameter.alignment == 0) parameter.alignment = natural_alignment(parameter);
        typed.push_back(std::move(parameter));
    }
    return typed;
}

RawParameter describe_parameter(const TypedParameter& parameter) {
    const ParameterType& type = parameter.type;
    const bool takes_memory = parameter.kind == ParameterKind::pointer ||
                              type.form == TypeForm::view || type.form == TypeForm::other;
    return {.name = {},
            .type = type.text,
            .may_be_written = takes_memory && type.use != MemoryUse::reads,
            .is_view = type.form == TypeForm::view,
            .kind = public_kind(parameter),
            .size_bytes = parameter.bytes,
            .alignment = parameter.alignment,
            .offset_bytes = parameter.offset,
            .dtype = public_dtype(type),
            .rank = type.rank};
}

std::vector<ParameterType> types_in_code(std::span<const KernelParameter> parameters,
                                         const std::string& symbol) {
    std::vector<ParameterType> types;
    for (const KernelParameter& each : parameters) {
        if (!each.type.empty()) types.push_back(read_parameter_type(each.type));
    }
    if (types.size() == parameters.size()) return types;
    types.clear();
    for (const std::string& each : parameter_types(symbol))
        types.push_back(read_parameter_type(each));
    if (types.size() != parameters.size()) types.clear();
    return types;
}

}  // namespace kgen
