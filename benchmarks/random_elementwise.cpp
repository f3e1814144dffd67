// SPDX-License-Identifier: MIT
//
// Random elementwise kernels. Each output is a sum of terms, which have one text and one reference. Integers
// are computed modulo 2^64. Real and complex numbers are scaled so that their parts are below 2: all terms are
// then small, and the tolerance follows from the number of terms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/random_terms.hpp"

namespace kgen::bench {

namespace {

// The reference, in std::uint64_t, long double or std::complex<long double>.

using Real = long double;
using Complex = std::complex<long double>;

template <typename V>
V value_of(const Number& number, DType dtype) {
    const Real scale = is_integer(dtype) ? integer_scale : 1;
    if constexpr (std::is_integral_v<V>)
        return static_cast<V>(static_cast<std::int64_t>(number.real()));
    if constexpr (std::is_same_v<V, Real>) return static_cast<Real>(number.real()) * scale;
    if constexpr (std::is_same_v<V, Complex>) return Complex(number) * scale;
}

template <typename V>
struct Place {
    std::vector<V> values;
    V gathered;
    std::int64_t i;
    const Dims* index;
};

template <typename V>
V term_value(const Term& term, const Place<V>& place) {
    constexpr bool integers = std::is_integral_v<V>;
    const V x = place.values[static_cast<std::size_t>(term.input)];
    const V one(1);
    V result = x;
    switch (term.kind) {
        case Term::linear:
            break;
        case Term::product:
            result = x * place.values[static_cast<std::size_t>(term.other)];
            break;
        case Term::root:
            if constexpr (integers) result = x ^ (x >> 3);
            if constexpr (!integers) result = std::sqrt(one + x * x);
            break;
        case Term::exponential:
            if constexpr (integers) result = x * x + x;
            if constexpr (!integers) result = std::exp(x);
            break;
        case Term::quotient:
            if constexpr (integers) result = x % 7;
            if constexpr (!integers) result = one / (one + x * x);
            break;
        case Term::polynomial: {
            V t = x;
            if constexpr (!integers) t *= Real(0.25);
            result = V(3);
            for (int k = 0; k < term.degree; ++k) result = result * t + V(3);
            break;
        }
        case Term::index:
            result = V(place.i % index_period);
            break;
        case Term::axis:
            result = V((*place.index)[term.at] % axis_period);
            break;
        case Term::gather:
            result = place.gathered;
            break;
    }
    if constexpr (integers) return static_cast<V>(term.coefficient) * result;
    if constexpr (!integers) return Real(term.coefficient * 0.25) * result;
}

template <typename V>
Number output_value(const TermKernel& kernel, const PlaceView& at) {
    Place<V> place{.values = {}, .gathered = {}, .i = at.i, .index = &at.index};
    for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
        const bool is_raw = kernel.has_raw && k + 1 == kernel.inputs.size();
        if (is_raw) {
            place.gathered =
                value_of<V>(at.gathered(k, at.i * kernel.stride + 3), kernel.inputs[k]);
        } else {
            place.values.push_back(value_of<V>(at.value(k), kernel.inputs[k]));
        }
    }
    V sum(0);
    for (const Term& term : kernel.sums[at.output]) sum += term_value(term, place);
    if constexpr (std::is_integral_v<V>) {
        return visit_dtype(kernel.outputs[at.output], [&]<typename T>() -> Number {
            if constexpr (std::is_same_v<T, bool>) return static_cast<double>(sum & 1);
            if constexpr (std::is_integral_v<T>)
                return static_cast<double>(static_cast<T>(sum & exact_bits));
            return {};
        });
    } else {
        const Complex whole(sum);
        const bool is_complex = kind_of(kernel.outputs[at.output]) == DTypeKind::complex;
        return {static_cast<double>(whole.real()),
                is_complex ? static_cast<double>(whole.imag()) : 0};
    }
}

double tolerance_of(const TermKernel& kernel) {
    if (kernel.arithmetic == Arithmetic::integers) return 0;
    // Each term is below 34, and its error below 8 roundings of that. An output is rounded once more.
    std::size_t terms = 0;
    double rounding_of_output = 0;
    for (const std::vector<Term>& sum : kernel.sums) terms = std::max(terms, sum.size());
    for (const DType dtype : kernel.outputs) {
        const double rounding_of_this = dtype == bfloat16                        ? 0x1.1p-8
                                        : dtype == float16                       ? 0x1.1p-11
                                        : dtype == float32 || dtype == complex64 ? 0x1p-23
                                                                                 : 0;
        rounding_of_output = std::max(rounding_of_output, rounding_of_this);
    }
    return rounding_of_output +
           (kernel.is_wide ? 0x1p-53 : 0x1p-24) * 8 * 34 * static_cast<double>(terms);
}

// The distribution.

const std::vector<DType>& dtypes_of(Arithmetic arithmetic) {
    static const std::vector<DType> integers = {
        DType::bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64};
    static const std::vector<DType> reals = {float16, bfloat16, float32, float32, float32, float64};
    static const std::vector<DType> complexes = {complex64, complex64, complex128};
    return arithmetic == Arithmetic::integers ? integers
           : arithmetic == Arithmetic::reals  ? reals
                                              : complexes;
}

Term random_term(Draw& draw, const TermKernel& kernel, int elements, int rank, bool light) {
    static const std::vector<int> all = {25, 20, 10, 10, 8, 12, 6, 9};
    static const std::vector<int> cheap = {60, 30, 3, 0, 0, 2, 2, 3};
    Term term{static_cast<Term::Kind>(draw.weighted(light ? cheap : all))};
    const bool has_functions = kernel.arithmetic != Arithmetic::complexes;
    const bool is_function = term.kind >= Term::root && term.kind <= Term::quotient;
    if (is_function && !has_functions) term.kind = Term::product;
    term.other = static_cast<int>(draw.below(elements));
    term.coefficient = static_cast<int>(2 * draw.below(8) - 7);
    term.degree = static_cast<int>(draw.between(3, 24));
    term.at = static_cast<int>(draw.below(rank));
    return term;
}

std::string declarations(const std::vector<DType>& dtypes, char name, bool has_raw) {
    std::string text;
    for (std::size_t k = 0; k < dtypes.size(); ++k) {
        const bool is_raw = has_raw && k + 1 == dtypes.size();
        text += text.empty() ? "" : ", ";
        text += is_raw ? fmt::format("raw {} r", to_text(dtypes[k]))
                       : fmt::format("{} {}{}", to_text(dtypes[k]), name, k);
    }
    return text;
}

RandomKernel random_copy(Draw& draw) {
    static const std::vector<int> counts = {70, 15, 10, 5};
    const int count = 1 + draw.weighted(counts);
    RandomKernel result;
    std::string body;
    for (int k = 0; k < count; ++k) {
        result.inputs.push_back(static_cast<DType>(draw.below(dtype_count)));
        body += fmt::format("y{0} = x{0};\n", k);
    }
    result.outputs = result.inputs;
    Kernel kernel{declarations(result.inputs, 'x', false),
                  declarations(result.outputs, 'y', false),
                  body,
                  {}};
    kernel.place_reference = [](const PlaceView& at) { return at.value(at.output); };
    result.kernel = std::move(kernel);
    result.expression = R"({"kind":"copy"})";
    return result;
}

}  // namespace

RandomKernel random_elementwise(Draw& draw, int rank, bool light) {
    if (draw.chance(light ? 40 : 10)) return random_copy(draw);
    TermKernel terms{};
    terms.arithmetic = static_cast<Arithmetic>(draw.weighted({35, 50, 15}));
    const int elements = 1 + draw.weighted({30, 30, 14, 8, 6, 5, 4, 3});
    const int outputs = 1 + draw.weighted({70, 15, 9, 6});
    const std::vector<DType>& own = dtypes_of(terms.arithmetic);
    const DType most = draw.among(own);
    const bool mixed = draw.chance(40);
    const auto any_below = [&] {
        return draw.among(
            dtypes_of(static_cast<Arithmetic>(draw.below(static_cast<int>(terms.arithmetic) + 1))));
    };
    terms.inputs.push_back(most);
    for (int k = 1; k < elements; ++k) terms.inputs.push_back(mixed ? any_below() : most);
    for (int k = 0; k < outputs; ++k) terms.outputs.push_back(mixed ? draw.among(own) : most);
    terms.has_raw = elements < 8 && draw.chance(10);
    terms.stride = draw.among(std::vector<std::int64_t>{1, 2, 7, 97});
    if (terms.has_raw) terms.inputs.push_back(mixed ? any_below() : most);
    if (mixed && terms.arithmetic == Arithmetic::complexes && draw.chance(50))
        terms.outputs.back() = float32;
    for (const std::vector<DType>* list : {&terms.inputs, &terms.outputs}) {
        for (const DType dtype : *list) terms.is_wide |= dtype == float64 || dtype == complex128;
    }
    // Each input has a term in one output at least.
    terms.sums.resize(static_cast<std::size_t>(outputs));
    for (int k = 0; k < std::max(elements, outputs); ++k) {
        Term term = random_term(draw, terms, elements, rank, light);
        term.input = k % elements;
        const auto output = static_cast<std::size_t>(k % outputs);
        // A term of the index leaves the input to a product.
        terms.sums[output].push_back(term);
        if (term.kind >= Term::index) terms.sums[output].push_back({Term::linear, term.input});
    }
    if (terms.has_raw) terms.sums[0].push_back({Term::gather});

    RandomKernel result{.inputs = terms.inputs,
                        .outputs = terms.outputs,
                        .expression = expression_text(terms),
                        .has_raw = terms.has_raw};
    Kernel kernel{declarations(terms.inputs, 'x', terms.has_raw),
                  declarations(terms.outputs, 'y', false),
                  body_text(terms),
                  {},
                  tolerance_of(terms)};
    kernel.place_reference = [terms = std::move(terms)](const PlaceView& at) {
        switch (terms.arithmetic) {
            case Arithmetic::integers:
                return output_value<std::uint64_t>(terms, at);
            case Arithmetic::reals:
                return output_value<Real>(terms, at);
            default:
                return output_value<Complex>(terms, at);
        }
    };
    result.kernel = std::move(kernel);
    return result;
}

}  // namespace kgen::bench
