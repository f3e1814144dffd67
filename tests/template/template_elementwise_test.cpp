// SPDX-License-Identifier: MIT
//
// The elementwise templates of the library, compared with references in long double on edge values.
#include <array>
#include <set>

#include "support/devices.hpp"
#include "support/elementwise_cases.hpp"

using namespace kgen;
using namespace kgen::test;
using namespace kgen::test::elementwise;

namespace {

Values candidates(Case::Range range, DType dtype, std::size_t operands) {
    if (kind_of(dtype) == DTypeKind::boolean) return {0, 1};
    if (kind_of(dtype) == DTypeKind::unsigned_integer) return {0, 1, 2, 3, 7, 100, 255};
    if (is_whole(dtype))
        return range == plain ? Values{0, 1, -1, 2, -3, 40}
                              : Values{0, 1, -1, 2, -3, 7, -8, 100, -128};
    if (range == plain) return {0, 1, -1, 2, -3, 0.5L, 12};
    if (range == units)
        return {0, -0.0L, 1, -1, 0.5L, -0.25L, 0.999L, -0.001L, 0.125L, 1.5L, -2.75L, not_a_number};
    Values values = {0, -0.0L, 1, -1, 0.5L, -2.5L, 3, -7, 1.5L, infinity, -infinity, not_a_number};
    if (operands < 3) {
        for (const LongReal more : {-0.001L, 0.3L, 9.75L, -20.0L, 64.0L, 1000.0L, -1000.0L})
            values.push_back(more);
    }
    if (operands < 3 && dtype != float16) {
        for (const LongReal more : {1e10L, -3e-10L, 1e30L}) values.push_back(more);
    }
    return values;
}

// Returns all combinations of values as one column for each operand.
std::vector<Values> combinations(const Values& values, std::size_t operands) {
    std::vector<Values> columns(operands);
    std::size_t count = 1;
    for (std::size_t k = 0; k < operands; ++k) count *= values.size();
    for (std::size_t row = 0; row < count; ++row) {
        std::size_t rest = row;
        for (Values& column : columns) {
            column.push_back(values[rest % values.size()]);
            rest /= values.size();
        }
    }
    return columns;
}

std::string shown(const std::vector<Values>& columns, std::size_t row) {
    std::string text;
    for (const Values& column : columns)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", static_cast<double>(column[row]));
    return text;
}

void check(const Case& each, DType dtype, Device device) {
    const KernelTemplate kernel = kernel_template(each.name);
    const auto operands = static_cast<std::size_t>(kernel.input_count());
    std::vector<Values> columns = combinations(candidates(each.range, dtype, operands), operands);
    const auto count = static_cast<std::int64_t>(columns[0].size());
    std::vector<Argument> arguments;
    for (Values& column : columns) {
        arguments.emplace_back(array_of(column, dtype, {count}, device));
        column = kept(column, dtype);
    }
    const Array result = kernel.call(arguments)[0];
    INFO(fmt::format("{} of {}", each.name, to_text(dtype)));
    REQUIRE(result.dtype() == result_dtype(each.result, dtype));
    const Values results = values_of(result);
    Values expected;
    for (std::size_t row = 0; row < results.size(); ++row) {
        std::array<LongReal, 4> operand = {};
        for (std::size_t k = 0; k < operands; ++k) operand[k] = columns[k][row];
        expected.push_back(each.reference(operand.data()));
    }
    const Values rounded = kept(expected, result.dtype());
    std::string wrong;
    for (std::size_t row = 0; row < results.size(); ++row) {
        if (is_near(results[row], rounded[row], result.dtype(), each.ulps, each.zeros)) continue;
        wrong += fmt::format("\n({}): got {}, expected {}",
                             shown(columns, row),
                             static_cast<double>(results[row]),
                             static_cast<double>(rounded[row]));
    }
    CHECK(wrong == "");
}

// Separate test cases, so that they can run in parallel.
constexpr std::size_t parts = 4;

void check_part(std::size_t part) {
    for (const Device device : present_devices()) {
        set_current_device(device);
        for (std::size_t k = part; k < cases.size(); k += parts) {
            for (const DType dtype : cases[k].dtypes) check(cases[k], dtype, device);
        }
        set_current_device(Device::host());
    }
}

}  // namespace

TEST_CASE("elementwise templates give what references do: the first quarter",
          "[template][library]") {
    check_part(0);
}

TEST_CASE("elementwise templates give what references do: the second quarter",
          "[template][library]") {
    check_part(1);
}

TEST_CASE("elementwise templates give what references do: the third quarter",
          "[template][library]") {
    check_part(2);
}

TEST_CASE("elementwise templates give what references do: the fourth quarter",
          "[template][library]") {
    check_part(3);
}

TEST_CASE("every elementwise template of the library has a reference", "[template][library]") {
    // template_special_test.cpp tests the templates with several dtypes.
    // template_numpy_test.cpp tests those with several outputs, and those of the bits of a number. tests/random tests those
    // of random numbers.
    std::set<std::string> covered = {
        "invert",      "left_shift", "right_shift", "isclose",       "where",   "lerp",
        "cast",        "divmod",     "modf",        "frexp",         "ldexp",   "round_to",
        "spacing",     "nextafter",  "conjugate",   "bitwise_count", "uniform", "normal",
        "exponential", "integers",   "bernoulli"};
    for (const Case& each : cases) covered.insert(each.name);
    std::set<std::string> missing;
    for (const TemplateInfo& each : kernel_templates()) {
        const bool is_cast = each.name.substr(0, 3) == "to_";
        if (each.kind == KernelTemplate::Kind::elementwise && !is_cast &&
            covered.count(each.name) == 0) {
            missing.insert(each.name);
        }
    }
    CHECK(missing == std::set<std::string>());
}
