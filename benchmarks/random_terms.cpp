// SPDX-License-Identifier: MIT
#include "benchmarks/random_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kgen::bench {

namespace {

// Whether the low 32 bits of the inputs decide all outputs. random_torch_text.py asks the same of each output.
bool is_narrow(const TermKernel& kernel) {
    const auto keeps_low_bits = [](const Term& term) {
        return term.kind != Term::root && term.kind != Term::quotient;
    };
    return std::ranges::all_of(kernel.outputs, [](DType dtype) { return item_size(dtype) <= 4; }) &&
           std::ranges::all_of(kernel.sums, [&](const std::vector<Term>& sum) {
               return std::ranges::all_of(sum, keeps_low_bits);
           });
}

std::string value_type(const TermKernel& kernel) {
    if (kernel.arithmetic == Arithmetic::integers)
        return is_narrow(kernel) ? "unsigned" : "unsigned long long";
    if (kernel.arithmetic == Arithmetic::reals) return kernel.is_wide ? "double" : "float";
    return kernel.is_wide ? "complex128" : "complex64";
}

std::string converted(const TermKernel& kernel, DType dtype, const std::string& element) {
    if (kernel.arithmetic == Arithmetic::integers)
        return fmt::format("value((long long){})", element);
    const char* real = kernel.is_wide ? "double" : "float";
    if (kind_of(dtype) == DTypeKind::complex) return fmt::format("value({})", element);
    const std::string scale =
        is_integer(dtype) ? fmt::format(" * {}({})", real, integer_scale) : "";
    const char* first = item_size(dtype) == 2 && !is_integer(dtype) ? "float" : real;
    return fmt::format("value({}({}({})){})", real, first, element, scale);
}

std::string term_text(const TermKernel& kernel, const Term& term) {
    const bool integers = kernel.arithmetic == Arithmetic::integers;
    const std::string x = fmt::format("v{}", term.input);
    std::string text = x;
    switch (term.kind) {
        case Term::linear:
            break;
        case Term::product:
            text = fmt::format("{} * v{}", x, term.other);
            break;
        case Term::root:
            text = integers ? fmt::format("({0} ^ ({0} >> 3))", x)
                            : fmt::format("sqrt(value(1) + {0} * {0})", x);
            break;
        case Term::exponential:
            text = integers ? fmt::format("({0} * {0} + {0})", x) : fmt::format("exp({})", x);
            break;
        case Term::quotient:
            text = integers ? fmt::format("({} % 7)", x)
                            : fmt::format("(value(1) / (value(1) + {0} * {0}))", x);
            break;
        case Term::polynomial: {
            const std::string t = integers ? x : fmt::format("({} * value(0.25))", x);
            text = "value(3)";
            for (int k = 0; k < term.degree; ++k)
                text = fmt::format("({} * {} + value(3))", text, t);
            break;
        }
        case Term::index:
            text = fmt::format("value(float(i % {}))", index_period);
            break;
        case Term::axis:
            text = fmt::format("value(float(_ind.get()[{}] % {}))", term.at, axis_period);
            break;
        case Term::gather:
            text = converted(kernel,
                             kernel.inputs.back(),
                             fmt::format("r[(i * {} + 3) % r.size()]", kernel.stride));
            break;
    }
    if (integers) return fmt::format("value({}) * {}", term.coefficient, text);
    return fmt::format("value({}) * {}", term.coefficient * 0.25, text);
}

std::string output_text(const TermKernel& kernel, std::size_t output) {
    std::string sum;
    for (const Term& term : kernel.sums[output]) {
        sum += (sum.empty() ? "" : " + ") + term_text(kernel, term);
    }
    const DType dtype = kernel.outputs[output];
    if (dtype == DType::bool_) {
        sum = fmt::format("(({}) & 1) != 0", sum);
    } else if (is_integer(dtype)) {
        sum = fmt::format("{}(({}) & {}ull)", to_text(dtype), sum, exact_bits);
    } else if (kind_of(dtype) == DTypeKind::real) {
        const char* part = kernel.arithmetic == Arithmetic::complexes ? ".real()" : "";
        sum = fmt::format("{}({}(({}){}))",
                          to_text(dtype),
                          item_size(dtype) == 8 ? "double" : "float",
                          sum,
                          part);
    } else {
        sum = fmt::format("{}({})", to_text(dtype), sum);
    }
    return fmt::format("y{} = {};\n", output, sum);
}

}  // namespace

bool is_integer(DType dtype) {
    return kind_of(dtype) <= DTypeKind::unsigned_integer;
}

std::string body_text(const TermKernel& kernel) {
    std::string text = fmt::format("using value = {};\n", value_type(kernel));
    for (std::size_t k = 0; k + (kernel.has_raw ? 1 : 0) < kernel.inputs.size(); ++k) {
        text += fmt::format("const value v{} = {};\n",
                            k,
                            converted(kernel, kernel.inputs[k], fmt::format("x{}", k)));
    }
    for (std::size_t k = 0; k < kernel.outputs.size(); ++k) text += output_text(kernel, k);
    return text;
}

std::string expression_text(const TermKernel& kernel) {
    static constexpr const char* arithmetics[] = {"integers", "reals", "complexes"};
    static constexpr const char* kinds[] = {"linear",
                                            "product",
                                            "root",
                                            "exponential",
                                            "quotient",
                                            "polynomial",
                                            "index",
                                            "axis",
                                            "gather"};
    const bool integers = kernel.arithmetic == Arithmetic::integers;
    nlohmann::ordered_json object = {
        {"kind", "terms"},
        {"arithmetic", arithmetics[static_cast<std::size_t>(kernel.arithmetic)]},
        {"wide", kernel.is_wide}};
    for (const std::vector<Term>& sum : kernel.sums) {
        nlohmann::ordered_json terms = nlohmann::ordered_json::array();
        for (const Term& term : sum) {
            nlohmann::ordered_json one = {{"kind", kinds[term.kind]}};
            if (integers) one["coefficient"] = term.coefficient;
            if (!integers) one["coefficient"] = term.coefficient * 0.25;
            if (term.kind < Term::index) one["input"] = term.input;
            if (term.kind == Term::product) one["other"] = term.other;
            if (term.kind == Term::polynomial) one["degree"] = term.degree;
            if (term.kind == Term::index) one["period"] = index_period;
            if (term.kind == Term::axis) {
                one["axis"] = term.at;
                one["period"] = axis_period;
            }
            if (term.kind == Term::gather) {
                one["input"] = kernel.inputs.size() - 1;
                one["stride"] = kernel.stride;
            }
            terms.push_back(std::move(one));
        }
        object["outputs"].push_back(std::move(terms));
    }
    return object.dump();
}

}  // namespace kgen::bench
