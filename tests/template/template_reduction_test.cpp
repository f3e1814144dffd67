// SPDX-License-Identifier: MIT
//
// The reductions of the library, compared with plain loops in long double: rows of ordinary numbers, ties,
// NaN, infinities, and empty rows.
#include <set>

#include "support/devices.hpp"
#include "support/template_cases.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using Row = const Values&;
using enum ResultType;

struct Case {
    const char* name;
    std::vector<DType> dtypes;
    ResultType result;
    LongReal (*reference)(Row);
    LongReal ulps = 0;
    std::optional<LongReal> of_nothing = {};  // empty if folding no elements is an error
};

bool is_nan(LongReal value) {
    return value != value;
}

template <typename Step>
LongReal folded(Row row, LongReal start, const Step& step) {
    for (const LongReal value : row) start = step(start, value);
    return start;
}

LongReal sum(Row row) {
    return folded(row, 0, [](LongReal a, LongReal b) { return a + b; });
}

LongReal product(Row row) {
    return folded(row, 1, [](LongReal a, LongReal b) { return a * b; });
}

Values without_nan(Row row) {
    Values rest;
    for (const LongReal value : row) {
        if (!is_nan(value)) rest.push_back(value);
    }
    return rest;
}

bool has_nan(Row row) {
    return without_nan(row).size() != row.size();
}

LongReal largest(Row row) {
    return row.empty() ? not_a_number : *std::max_element(row.begin(), row.end());
}

LongReal smallest(Row row) {
    return row.empty() ? not_a_number : *std::min_element(row.begin(), row.end());
}

LongReal place_of(Row row, LongReal wanted) {
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (row[k] == wanted || (is_nan(wanted) && is_nan(row[k]))) return static_cast<LongReal>(k);
    }
    return -1;
}

LongReal mean(Row row) {
    return sum(row) / static_cast<LongReal>(row.size());
}

LongReal variance(Row row) {
    const LongReal middle = mean(row);
    const auto add = [&](LongReal a, LongReal b) { return a + (b - middle) * (b - middle); };
    return folded(row, 0, add) / static_cast<LongReal>(row.size());
}

LongReal sum_of_sizes(Row row) {
    return folded(row, 0, [](LongReal a, LongReal b) { return a + std::fabs(b); });
}

LongReal sum_of_squares(Row row) {
    return folded(row, 0, [](LongReal a, LongReal b) { return a + b * b; });
}

LongReal count_true(Row row) {
    return folded(row, 0, [](LongReal a, LongReal b) { return a + (b != 0); });
}

LongReal log_sum_exp(Row row) {
    const LongReal top = has_nan(row) ? not_a_number : largest(row);
    if (is_nan(top) || std::isinf(top)) return top;
    const auto add = [&](LongReal a, LongReal b) { return a + std::exp(b - top); };
    return top + std::log(folded(row, 0, add));
}

const std::vector<Case> cases = {
    {"sum", {float32, float16, int8, uint8, bool_}, wide, sum, 64, 0},
    {"sum_compensated", {float32}, same, sum, 1, 0},
    {"prod", {float32, int8, uint8}, wide, product, 64, 1},
    {"min",
     {float32, int8},
     same,
     [](Row row) { return has_nan(row) ? not_a_number : smallest(row); }},
    {"max",
     {float32, float16, uint8, bool_},
     same,
     [](Row row) { return has_nan(row) ? not_a_number : largest(row); }},
    {"argmin",
     {float32, int8},
     index,
     [](Row row) { return place_of(row, has_nan(row) ? not_a_number : smallest(row)); }},
    {"argmax",
     {float32, float16, bool_},
     index,
     [](Row row) { return place_of(row, has_nan(row) ? not_a_number : largest(row)); }},
    {"any",
     {float32, bool_},
     boolean,
     [](Row row) { return LongReal(count_true(row) != 0); },
     0,
     0},
    {"all",
     {float32, int8},
     boolean,
     [](Row row) { return LongReal(count_true(row) == static_cast<LongReal>(row.size())); },
     0,
     1},
    {"count_nonzero", {float32, float16, bool_}, index, count_true, 0, 0},
    {"l1norm", {float32, int8}, floating, sum_of_sizes, 64, 0},
    {"l2norm",
     {float32, bfloat16, int8},
     floating,
     [](Row row) { return std::sqrt(sum_of_squares(row)); },
     64,
     0},
    {"maxnorm",
     {float32, int8},
     floating,
     [](Row row) {
         if (has_nan(row)) return not_a_number;
         return folded(row, 0, [](LongReal a, LongReal b) { return std::max(a, std::fabs(b)); });
     },
     0,
     0},
    // It gets each row as both inputs.
    {"dot", {float32, float16, int8, uint8}, wide, sum_of_squares, 64, 0},
    {"mean", {float32, bfloat16, int8, bool_}, floating, mean, 64, not_a_number},
    {"var", {float32, float16, float64, int8}, floating, variance, 64, not_a_number},
    {"std",
     {float32, uint8},
     floating,
     [](Row row) { return std::sqrt(variance(row)); },
     64,
     not_a_number},
    {"nanvar",
     {float32, bfloat16, int8},
     floating,
     [](Row row) { return variance(without_nan(row)); },
     64,
     not_a_number},
    {"nanstd",
     {float32, float64},
     floating,
     [](Row row) { return std::sqrt(variance(without_nan(row))); },
     64,
     not_a_number},
    {"ptp",
     {float32, float16, int8, uint8},
     same,
     [](Row row) { return has_nan(row) ? not_a_number : largest(row) - smallest(row); }},
    {"logsumexp", {float32, float64, int8}, floating, log_sum_exp, 64, -infinity},
    {"nansum", {float32, int8}, wide, [](Row row) { return sum(without_nan(row)); }, 64, 0},
    {"nanprod", {float32}, wide, [](Row row) { return product(without_nan(row)); }, 64, 1},
    {"nanmin", {float32, int8}, same, [](Row row) { return smallest(without_nan(row)); }},
    {"nanmax", {float32, float16}, same, [](Row row) { return largest(without_nan(row)); }},
    {"nanargmin",
     {float32, int8},
     index,
     [](Row row) {
         const Values rest = without_nan(row);
         return rest.empty() ? LongReal(-1) : place_of(row, smallest(rest));
     },
     0,
     -1},
    {"nanargmax",
     {float32},
     index,
     [](Row row) {
         const Values rest = without_nan(row);
         return rest.empty() ? LongReal(-1) : place_of(row, largest(rest));
     },
     0,
     -1},
    {"nanmean",
     {float32, int8},
     floating,
     [](Row row) { return mean(without_nan(row)); },
     64,
     not_a_number},
};

constexpr std::size_t row_length = 37;

// Returns rows of one length with different difficulties.
std::vector<Values> rows_for(DType dtype) {
    std::vector<Values> rows;
    Values ordinary;
    Values ties;
    Values far;  // far from 0 but near each other, so sums of squares would cancel
    for (std::size_t k = 0; k < row_length; ++k) {
        const auto n = static_cast<int>(k);
        ordinary.push_back(is_floating(dtype) ? ((n * 7) % 11 - 4) / 8.0L : (n * 5) % 9 - 2);
        ties.push_back(n % 6 == 3 ? 5 : n % 6 == 1 ? -5 : 1);
        far.push_back(is_floating(dtype) ? 1000 + n % 2 : 3 - n % 2);
    }
    rows = {ordinary, ties, far, Values(row_length, 0), Values(row_length, 1)};
    if (!is_floating(dtype)) return rows;
    const auto with = [&](std::initializer_list<std::pair<std::size_t, LongReal>> changes) {
        Values row = ordinary;
        for (const auto& [at, value] : changes) row[at] = value;
        rows.push_back(row);
    };
    with({{30, not_a_number}});
    with({{0, not_a_number}, {36, not_a_number}});
    with({{17, infinity}});
    with({{3, -infinity}, {4, not_a_number}});
    rows.push_back(Values(row_length, not_a_number));
    rows.push_back(Values(row_length, -infinity));
    return rows;
}

std::string shown(Row row) {
    std::string text;
    for (const LongReal value : row)
        text += fmt::format("{}{}", text.empty() ? "" : " ", static_cast<double>(value));
    return text;
}

// Sums cancel, so the error is measured relative to the sum of the sizes, not to the result.
bool is_near_sum(LongReal result, LongReal expected, DType dtype, LongReal ulps, Row row) {
    if (is_near(result, expected, dtype, ulps, Zeros::alike)) return true;
    if (is_nan(expected) || is_nan(result) || std::isinf(expected) || std::isinf(result))
        return false;
    return std::fabs(result - expected) <= ulps / 16 * epsilon_of(dtype) * sum_of_sizes(row);
}

void check(const Case& each, DType dtype, Device device) {
    INFO(fmt::format("{} of {}", each.name, to_text(dtype)));
    const KernelTemplate kernel = kernel_template(each.name);
    std::vector<Values> rows = rows_for(dtype);
    Values all;
    for (Values& row : rows) {
        row = kept(row, dtype);
        all.insert(all.end(), row.begin(), row.end());
    }
    const auto count = static_cast<std::int64_t>(rows.size());
    const Array x = array_of(all, dtype, {count, static_cast<std::int64_t>(row_length)}, device);
    const auto call = [&](const Array& array) {
        const std::vector<Argument> arguments(static_cast<std::size_t>(kernel.input_count()),
                                              array);
        return kernel.call(arguments, {.axes = std::vector<int>{1}})[0];
    };
    const Array result = call(x);
    REQUIRE(result.dtype() == result_dtype(each.result, dtype));
    const Values results = values_of(result);
    std::string wrong;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const LongReal expected = kept({each.reference(rows[k])}, result.dtype())[0];
        if (is_near_sum(results[k], expected, result.dtype(), each.ulps, rows[k])) continue;
        wrong += fmt::format("\n{}: got {}, expected {}",
                             shown(rows[k]),
                             static_cast<double>(results[k]),
                             static_cast<double>(expected));
    }
    CHECK(wrong == "");

    const Array nothing = empty({1, 0}, dtype, {.device = device});
    if (each.of_nothing) {
        const LongReal found = values_of(call(nothing))[0];
        const bool is_whole_nan = is_nan(*each.of_nothing);
        CHECK((is_whole_nan ? is_nan(found) : found == *each.of_nothing));
    } else {
        CHECK_THROWS_AS(call(nothing), ShapeError);
    }
}

// Separate test cases, so that they can run in parallel.
constexpr std::size_t parts = 3;

void check_part(std::size_t part) {
    for (const Device device : present_devices()) {
        for (std::size_t k = part; k < cases.size(); k += parts) {
            for (const DType dtype : cases[k].dtypes) check(cases[k], dtype, device);
        }
    }
}

}  // namespace

TEST_CASE("reduction templates give what plain loops do: the first third", "[template][library]") {
    check_part(0);
}

TEST_CASE("reduction templates give what plain loops do: the second third", "[template][library]") {
    check_part(1);
}

TEST_CASE("reduction templates give what plain loops do: the last third", "[template][library]") {
    check_part(2);
}

TEST_CASE("every reduction of the library has a reference", "[template][library]") {
    std::set<std::string> missing;
    for (const TemplateInfo& each : kernel_templates()) {
        if (each.kind == KernelTemplate::Kind::reduction) missing.insert(each.name);
    }
    for (const Case& each : cases) missing.erase(each.name);
    CHECK(missing == std::set<std::string>());
}

// Long arrays are folded in pieces that are merged, which rows of 37 elements hardly test.
TEST_CASE("reductions with accumulators of their own merge the parts of long arrays",
          "[template][library]") {
    constexpr std::size_t count = 300000;
    Values values;
    for (std::size_t k = 0; k < count; ++k)
        values.push_back(1000 + static_cast<int>((k * 2654435761U) % 1024) / 64.0L);
    values[123456] = 2000;
    values[223456] = 2000;
    values[42] = 1;
    for (const Device device : present_devices()) {
        const Array x = array_of(values, float32, {static_cast<std::int64_t>(count)}, device);
        const auto result = [&](const char* name) {
            return static_cast<double>(values_of(kernel_template(name)(x))[0]);
        };
        CHECK(result("argmax") == 123456);
        CHECK(result("argmin") == 42);
        CHECK(result("nanargmax") == 123456);
        CHECK(result("var") == Approx(static_cast<double>(variance(values))).epsilon(1e-4));
        CHECK(result("logsumexp") ==
              Approx(static_cast<double>(log_sum_exp(values))).epsilon(1e-6));
        CHECK(result("nanmean") == Approx(static_cast<double>(mean(values))).epsilon(1e-5));
    }
}

TEST_CASE("norms of complex numbers are real", "[template][library]") {
    const std::vector<std::complex<float>> values = {{3, 4}, {0, -12}, {0, 0}};
    for (const Device device : present_devices()) {
        const Array x = from_vector(values, {.device = device});
        CHECK(kernel_template("l1norm")(x).item<float>() == 17);
        CHECK(kernel_template("l2norm")(x).item<float>() == 13);
        CHECK(kernel_template("maxnorm")(x).item<float>() == 12);
        CHECK(kernel_template("sum")(x).item<std::complex<float>>() == std::complex<float>(3, -8));
    }
}
