// SPDX-License-Identifier: MIT
#include "array/kernels/array_kernels.hpp"

#include <algorithm>

namespace kgen::array_kernels {

namespace {

// CUDA's conversions: a float outside an integer's range saturates, and NaN becomes 0. Complex to real drops
// the imaginary part. To bool is `!= 0`.
constexpr const char* conversion =
    "template <class To, class From> struct kgen_convert {\n"
    "    static __device__ To of(const From& x) { return (To)x; }\n"
    "};\n"
    "template <class From> struct kgen_convert<bool, From> {\n"
    "    static __device__ bool of(const From& x) { return x != From(0); }\n"
    "};\n";
constexpr const char* complex_conversion =
    "template <class To, class Part> struct kgen_convert<To, complex<Part> > {\n"
    "    static __device__ To of(const complex<Part>& x) { return (To)x.real(); }\n"
    "};\n"
    "template <class Part> struct kgen_convert<bool, complex<Part> > {\n"
    "    static __device__ bool of(const complex<Part>& x) { return x.real() != 0 || x.imag() != "
    "0; }\n"
    "};\n"
    "template <class To, class Part> struct kgen_convert<complex<To>, complex<Part> > {\n"
    "    static __device__ complex<To> of(const complex<Part>& x) { return "
    "complex<To>((To)x.real(), (To)x.imag()); }\n"
    "};\n";

bool is_integer(DType dtype) {
    return kind_of(dtype) == DTypeKind::signed_integer ||
           kind_of(dtype) == DTypeKind::unsigned_integer;
}

class Templates {
public:
    void add(Definition definition,
             std::vector<TemplateTypes> types,
             std::vector<std::string> layouts,
             std::vector<std::string> numbers) {
        if (types.empty()) return;
        TemplateDefinition made;
        made.name = definition.name;
        made.description = "of kgen's own";
        Signature signature = parse_signature(definition);
        made.overloads.push_back({std::move(definition), std::move(signature), {}});
        made.types = std::move(types);
        made.layouts = std::move(layouts);
        made.numbers = std::move(numbers);
        list_.push_back(std::move(made));
    }
    std::vector<TemplateDefinition> take() { return std::move(list_); }

private:
    std::vector<TemplateDefinition> list_;
};

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
            .preamble = conversion};
}

Definition convert_complex() {
    Definition definition = convert();
    definition.name = "convert_complex";
    definition.preamble += complex_conversion;
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
            const TemplateTypes types{0, {{'T', each}}};
            if (std::find(copied.begin(), copied.end(), types) == copied.end()) {
                copied.push_back(types);
            }
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
    Templates templates;
    templates.add(copy(), std::move(copied), {"contiguous", "strided"}, {});
    templates.add(convert(), std::move(converted), {"contiguous"}, {});
    templates.add(convert_complex(), std::move(converted_complex), {"contiguous"}, {});
    templates.add(fill(), std::move(filled), {"contiguous"}, {"x"});
    templates.add(arange(), std::move(integers), {"contiguous"}, {"start", "step"});
    templates.add(arange_real(), std::move(reals), {"contiguous"}, {"start", "step"});
    return templates.take();
}

}  // namespace kgen::array_kernels
