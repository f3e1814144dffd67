// SPDX-License-Identifier: MIT
//
// The dtypes of results are those of NumPy 2.4.
#include <kgen/kgen.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "template/overload_choice.hpp"
#include "template/template_library.hpp"

using namespace kgen;

namespace {

// NumPy's letters for the dtypes of the inputs.
constexpr std::string_view inputs = "?bBhHiIqQefdFD";

constexpr DType dtypes[] = {bool_,
                            int8,
                            uint8,
                            int16,
                            uint16,
                            int32,
                            uint32,
                            int64,
                            uint64,
                            float16,
                            float32,
                            float64,
                            complex64,
                            complex128};

struct Row {
    std::string_view name;
    // NumPy's letters for the results, in the order of `inputs`; '.' if NumPy refuses the dtype. A word for each
    // output.
    std::string_view results;
};

// Made by calling each function of NumPy 2.4 with arrays of one dtype. The condition of `where` is bool, the
// exponent of `ldexp` int32.
constexpr Row numpy[] = {{"abs", "?bBhHiIqQefdfd"},
                         {"add", "?bBhHiIqQefdFD"},
                         {"angle", "deeffddddefdfd"},
                         {"arccos", "eeeffddddefdFD"},
                         {"arccosh", "eeeffddddefdFD"},
                         {"arcsin", "eeeffddddefdFD"},
                         {"arcsinh", "eeeffddddefdFD"},
                         {"arctan", "eeeffddddefdFD"},
                         {"arctan2", "eeeffddddefd.."},
                         {"arctanh", "eeeffddddefdFD"},
                         {"bitwise_and", "?bBhHiIqQ....."},
                         {"bitwise_count", "BBBBBBBBB....."},
                         {"bitwise_or", "?bBhHiIqQ....."},
                         {"bitwise_xor", "?bBhHiIqQ....."},
                         {"cbrt", "eeeffddddefd.."},
                         {"ceil", "?bBhHiIqQefd.."},
                         {"clip", "?bBhHiIqQefdFD"},
                         {"conjugate", "bbBhHiIqQefdFD"},
                         {"copysign", "eeeffddddefd.."},
                         {"cos", "eeeffddddefdFD"},
                         {"cosh", "eeeffddddefdFD"},
                         {"degrees", "eeeffddddefd.."},
                         {"divide", "dddddddddefdFD"},
                         {"divmod", "bbBhHiIqQefd.. bbBhHiIqQefd.."},
                         {"equal", "??????????????"},
                         {"exp", "eeeffddddefdFD"},
                         {"exp2", "eeeffddddefdFD"},
                         {"expm1", "eeeffddddefdFD"},
                         {"fabs", "eeeffddddefd.."},
                         {"float_power", "ddddddddddddDD"},
                         {"floor", "?bBhHiIqQefd.."},
                         {"floor_divide", "bbBhHiIqQefd.."},
                         {"fmax", "?bBhHiIqQefdFD"},
                         {"fmin", "?bBhHiIqQefdFD"},
                         {"fmod", "bbBhHiIqQefd.."},
                         {"frexp", "eeeffddddefd.. iiiiiiiiiiii.."},
                         {"gcd", ".bBhHiIqQ....."},
                         {"greater", "??????????????"},
                         {"greater_equal", "??????????????"},
                         {"heaviside", "eeeffddddefd.."},
                         {"hypot", "eeeffddddefd.."},
                         {"i0", "dddddddddefd.."},
                         {"imag", "?bBhHiIqQefdfd"},
                         {"invert", "?bBhHiIqQ....."},
                         {"isclose", "??????????????"},
                         {"iscomplex", "??????????????"},
                         {"isfinite", "??????????????"},
                         {"isinf", "??????????????"},
                         {"isnan", "??????????????"},
                         {"isneginf", "????????????.."},
                         {"isposinf", "????????????.."},
                         {"isreal", "??????????????"},
                         {"lcm", ".bBhHiIqQ....."},
                         {"ldexp", "eeeffddddefd.."},
                         {"left_shift", "bbBhHiIqQ....."},
                         {"less", "??????????????"},
                         {"less_equal", "??????????????"},
                         {"log", "eeeffddddefdFD"},
                         {"log10", "eeeffddddefdFD"},
                         {"log1p", "eeeffddddefdFD"},
                         {"log2", "eeeffddddefdFD"},
                         {"logaddexp", "eeeffddddefd.."},
                         {"logaddexp2", "eeeffddddefd.."},
                         {"logical_and", "??????????????"},
                         {"logical_not", "??????????????"},
                         {"logical_or", "??????????????"},
                         {"logical_xor", "??????????????"},
                         {"maximum", "?bBhHiIqQefdFD"},
                         {"minimum", "?bBhHiIqQefdFD"},
                         {"modf", "eeeffddddefd.. eeeffddddefd.."},
                         {"multiply", "?bBhHiIqQefdFD"},
                         {"nan_to_num", "?bBhHiIqQefdFD"},
                         {"negative", ".bBhHiIqQefdFD"},
                         {"nextafter", "eeeffddddefd.."},
                         {"not_equal", "??????????????"},
                         {"positive", ".bBhHiIqQefdFD"},
                         {"power", "bbBhHiIqQefdFD"},
                         {"radians", "eeeffddddefd.."},
                         {"real", "?bBhHiIqQefdfd"},
                         {"reciprocal", "bbBhHiIqQefdFD"},
                         {"remainder", "bbBhHiIqQefd.."},
                         {"right_shift", "bbBhHiIqQ....."},
                         {"rint", "eeeffddddefdFD"},
                         {"round", "ebBhHiIqQefdFD"},
                         {"sign", ".bBhHiIqQefdFD"},
                         {"signbit", "????????????.."},
                         {"sin", "eeeffddddefdFD"},
                         {"sinc", "dddddddddefdFD"},
                         {"sinh", "eeeffddddefdFD"},
                         {"spacing", "eeeffddddefd.."},
                         {"sqrt", "eeeffddddefdFD"},
                         {"square", "bbBhHiIqQefdFD"},
                         {"subtract", ".bBhHiIqQefdFD"},
                         {"tan", "eeeffddddefdFD"},
                         {"tanh", "eeeffddddefdFD"},
                         {"trunc", "?bBhHiIqQefd.."},
                         {"where", "?bBhHiIqQefdFD"},
                         {"all", "??????????????"},
                         {"any", "??????????????"},
                         {"argmax", "qqqqqqqqqqqqqq"},
                         {"argmin", "qqqqqqqqqqqqqq"},
                         {"count_nonzero", "qqqqqqqqqqqqqq"},
                         {"max", "?bBhHiIqQefdFD"},
                         {"mean", "dddddddddefdFD"},
                         {"min", "?bBhHiIqQefdFD"},
                         {"nanargmax", "qqqqqqqqqqqqqq"},
                         {"nanargmin", "qqqqqqqqqqqqqq"},
                         {"nanmax", "?bBhHiIqQefdFD"},
                         {"nanmean", "dddddddddefdFD"},
                         {"nanmin", "?bBhHiIqQefdFD"},
                         {"nanprod", "qqQqQqQqQefdFD"},
                         {"nanstd", "dddddddddefdfd"},
                         {"nansum", "qqQqQqQqQefdFD"},
                         {"nanvar", "dddddddddefdfd"},
                         {"prod", "qqQqQqQqQefdFD"},
                         {"ptp", ".bBhHiIqQefdFD"},
                         {"std", "dddddddddefdfd"},
                         {"sum", "qqQqQqQqQefdFD"},
                         {"var", "dddddddddefdfd"}};

char letter_of(DType dtype) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (dtypes[k] == dtype) return inputs[k];
    }
    return '!';
}

// Returns what a call with arrays of the dtype gives, as in the table.
std::vector<char> results_of(const TemplateDefinition& definition, DType dtype) {
    for (const TemplateOverload& form : definition.overloads) {
        const std::vector<Parameter>& parameters = form.signature.parameters;
        std::vector<ArgumentType> arguments(parameters.size());
        for (std::size_t k = 0; k < static_cast<std::size_t>(form.signature.input_count); ++k) {
            const std::string& name = parameters[k].name;
            const bool is_number = name == "rtol" || name == "atol";
            arguments[k] = {is_number ? ArgumentType::Kind::scalar : ArgumentType::Kind::array,
                            is_number             ? float64
                            : name == "condition" ? bool_
                            : name == "exponent"  ? int32
                                                  : dtype};
        }
        if (!fits(form.signature, form.where, arguments)) continue;
        std::vector<char> letters;
        for (const Parameter& parameter : parameters) {
            if (parameter.output) letters.push_back(letter_of(parameter.dtype.value_or(dtype)));
        }
        return letters;
    }
    return {};
}

}  // namespace

TEST_CASE("the dtypes of results are NumPy's", "[template][library]") {
    for (const Row& row : numpy) {
        const auto definition = find_library_template(row.name);
        REQUIRE(definition);
        std::vector<std::string> found((row.results.size() + 1) / (inputs.size() + 1));
        for (const DType dtype : dtypes) {
            const std::vector<char> letters = results_of(*definition, dtype);
            for (std::size_t k = 0; k < found.size(); ++k)
                found[k] += letters.empty() ? '.' : letters.at(k);
        }
        std::string text = found[0];
        for (std::size_t k = 1; k < found.size(); ++k) text += " " + found[k];
        INFO(row.name);
        CHECK(text == row.results);
    }
}

TEST_CASE("the table has every template that NumPy has", "[template][library]") {
    std::set<std::string> others = {
        "axpby",      "axpy",     "cast",           "daxpy",     "dot",       "elu",     "erf",
        "erfc",       "fma",      "gamma",          "gelu",      "gelu_tanh", "l1norm",  "l2norm",
        "leaky_relu", "lerp",     "lgamma",         "logsumexp", "maxnorm",   "mish",    "relu",
        "relu6",      "round_to", "rsqrt",          "saxpy",     "selu",      "sigmoid", "silu",
        "softplus",   "softsign", "sum_compensated"};
    // Those of random numbers, which Generator has.
    for (const char* drawn : {"bernoulli", "exponential", "integers", "normal", "uniform"})
        others.insert(drawn);
    std::set<std::string> missing;
    for (const TemplateDefinition& made : library_templates()) {
        if (made.name.substr(0, 3) != "to_" && others.count(made.name) == 0)
            missing.insert(made.name);
    }
    for (const Row& row : numpy) missing.erase(std::string(row.name));
    CHECK(missing == std::set<std::string>());
}

TEST_CASE("names and aliases of the library differ", "[template][library]") {
    std::set<std::string> names;
    for (const TemplateDefinition& made : library_templates()) {
        INFO(made.name);
        CHECK(names.insert(made.name).second);
        for (const std::string& alias : made.aliases) {
            INFO(alias);
            CHECK(names.insert(alias).second);
            CHECK(kernel_template(alias).name() == made.name);
        }
    }
}
