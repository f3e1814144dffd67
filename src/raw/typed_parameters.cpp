// SPDX-License-Identifier: MIT
#include "raw/typed_parameters.hpp"

#include <algorithm>

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

}  // namespace

std::vector<TypedParameter> type_parameters(std::span<const KernelParameter> parameters,
                                            const std::vector<ParameterType>& types) {
    std::vector<TypedParameter> typed;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const KernelParameter& each = parameters[k];
        TypedParameter parameter{.offset = each.offset, .bytes = each.bytes, .kind = each.kind};
        if (types.size() == parameters.size() && fits(types[k], each)) {
            parameter.kind = kind_of_type(types[k], each.kind);
            parameter.dtypes = types[k].elements;
            if (types[k].use == MemoryUse::reads) parameter.read_only_dtypes = types[k].elements;
            parameter.misaligned_bits = types[k].alignment - 1U;
            parameter.type = types[k];
        }
        typed.push_back(std::move(parameter));
    }
    return typed;
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
