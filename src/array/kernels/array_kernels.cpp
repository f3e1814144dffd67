// SPDX-License-Identifier: MIT
#include "array/kernels/array_kernels.hpp"

#include <embedded/array.hpp>
#include <utility>

#include "text/list.hpp"

namespace kgen::array_kernels {

namespace {

bool is_integer(DType dtype) {
    return kind_of(dtype) == DTypeKind::signed_integer ||
           kind_of(dtype) == DTypeKind::unsigned_integer;
}

}  // namespace

bool is_complex(DType dtype) noexcept {
    return kind_of(dtype) == DTypeKind::complex;
}

Definition copy() {
    return {.name = "copy", .inputs = "T x", .outputs = "T y", .operation = "y = x"};
}

Definition convert() {
    return {.name = "convert",
            .inputs = "T x",
            .outputs = "U y",
            .operation = "y = kgen_convert<U, T>::of(x)",
            .preamble = std::string(embedded::array_convert_cuh)};
}

Definition convert_complex() {
    Definition definition = convert();
    definition.name = "convert_complex";
    definition.preamble += embedded::array_convert_complex_cuh;
    return definition;
}

Definition fill() {
    return {.name = "fill", .inputs = "T x", .outputs = "T y", .operation = "y = x"};
}

Definition arange() {
    return {.name = "arange",
            .inputs = "int64 start, int64 step",
            .outputs = "T y",
            .operation = "y = (T)(start + i * step)"};
}

Definition arange_real() {
    return {.name = "arange_real",
            .inputs = "float64 start, float64 step",
            .outputs = "T y",
            // The product and the sum are each rounded, as on the host.
            .operation = "y = T(__dadd_rn(start, __dmul_rn((double)i, step)))"};
}

std::vector<TemplateDefinition> templates_for(const std::vector<DType>& dtypes) {
    std::vector<TemplateTypes> copied;
    std::vector<TemplateTypes> filled;
    std::vector<TemplateTypes> integers;
    std::vector<TemplateTypes> reals;
    std::vector<TemplateTypes> converted;
    std::vector<TemplateTypes> converted_complex;
    for (const DType dtype : dtypes) {
        const TemplateTypes one{0, {{'T', dtype}}};
        const auto add_copied = [&](DType each) {
            add_once(copied, TemplateTypes{0, {{'T', each}}});
        };
        add_copied(dtype == complex64 ? uint64 : dtype);
        // Misaligned complex numbers are copied as their parts.
        if (is_complex(dtype)) add_copied(dtype == complex64 ? float32 : float64);
        filled.push_back(one);
        (is_integer(dtype) ? integers : reals).push_back(one);
        for (const DType other : dtypes) {
            if (other == dtype) continue;
            const bool with_complex = is_complex(dtype) || is_complex(other);
            (with_complex ? converted_complex : converted)
                .push_back({0, {{'T', dtype}, {'U', other}}});
        }
    }
    std::vector<TemplateDefinition> templates;
    const auto add = [&](Definition definition,
                         std::vector<TemplateTypes> types,
                         std::vector<std::string> layouts,
                         std::vector<std::string> numbers) {
        if (types.empty()) return;
        TemplateDefinition& made = templates.emplace_back();
        made.name = definition.name;
        made.description = "of kgen's own";
        Signature signature = parse_signature(definition);
        made.overloads.push_back({std::move(definition), std::move(signature), {}});
        made.types = std::move(types);
        made.layouts = std::move(layouts);
        made.numbers = std::move(numbers);
    };
    add(copy(), std::move(copied), {"contiguous", "strided"}, {});
    add(convert(), std::move(converted), {"contiguous"}, {});
    add(convert_complex(), std::move(converted_complex), {"contiguous"}, {});
    add(fill(), std::move(filled), {"contiguous"}, {"x"});
    add(arange(), std::move(integers), {"contiguous"}, {"start", "step"});
    add(arange_real(), std::move(reals), {"contiguous"}, {"start", "step"});
    return templates;
}

}  // namespace kgen::array_kernels
