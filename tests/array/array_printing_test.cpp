// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <kgen/array_printing.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

const ArrayOptions on_host{.device = Device::host()};

struct PrintingCase {
    std::string request;
    std::optional<PrintOptions> options;
    std::string expected;
};

PrintOptions read_options(const nlohmann::json& given) {
    PrintOptions options;
    options.precision = given.value("precision", options.precision);
    options.threshold = given.value("threshold", options.threshold);
    options.edge_items = given.value("edge_items", options.edge_items);
    options.line_width = given.value("line_width", options.line_width);
    options.suppress_small = given.value("suppress_small", options.suppress_small);
    if (given.contains("sign"))
        options.sign = given["sign"] == "plus" ? PrintSign::plus : PrintSign::space;
    return options;
}

std::vector<PrintingCase> read_cases() {
    std::ifstream file(KGEN_SOURCE_DIR "/tests/golden/array_printing.txt");
    std::vector<PrintingCase> cases;
    for (std::string line; std::getline(file, line);) {
        if (line.front() == '#') continue;
        const auto row = nlohmann::json::parse(line);
        cases.push_back({row["array"], std::nullopt, row["text"]});
        if (row.contains("options")) cases.back().options = read_options(row["options"]);
    }
    return cases;
}

// Builds the array of a test case (see golden/make_array_printing.py).
Array make_array(const std::string& request) {
    std::istringstream words(request);
    std::string dtype_name, shape_text, kind;
    words >> dtype_name >> shape_text >> kind;
    const DType dtype = parse_dtype(dtype_name).value();
    Dims shape;
    if (shape_text != "scalar") {
        std::replace(shape_text.begin(), shape_text.end(), 'x', ' ');
        std::istringstream extents(shape_text);
        for (std::int64_t extent = 0; extents >> extent;) shape.push_back(extent);
    }
    const auto count = std::accumulate(
        shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
    if (kind == "bits") {
        const bool is_complex = kind_of(dtype) == DTypeKind::complex;
        const std::size_t item = item_size(dtype) / (is_complex ? 2 : 1);
        std::vector<unsigned char> bytes;
        for (std::string word; words >> word;) {
            const std::uint64_t bits = std::stoull(word, nullptr, 16);
            bytes.resize(bytes.size() + item);
            std::memcpy(bytes.data() + bytes.size() - item, &bits, item);  // little-endian
        }
        REQUIRE(bytes.size() == static_cast<std::size_t>(count) * item_size(dtype));
        return from_host(bytes.data(), dtype, shape, on_host);
    }
    std::string start, step;
    words >> start >> step;
    if (start.find('.') == std::string::npos && step.find('.') == std::string::npos) {
        std::vector<std::int64_t> values(static_cast<std::size_t>(count), std::stoll(start));
        for (std::size_t k = 0; k < values.size(); ++k) {
            values[k] += static_cast<std::int64_t>(k) * std::stoll(step);
        }
        return from_vector(values, shape, on_host).astype(dtype);
    }
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = std::stod(start) + static_cast<double>(k) * std::stod(step);
    }
    return from_vector(values, shape, on_host).astype(dtype);
}

}  // namespace

TEST_CASE("arrays print as NumPy prints them") {
    const auto cases = read_cases();
    REQUIRE(cases.size() > 800);
    for (const PrintingCase& each : cases) {
        const Array x = make_array(each.request);
        if (each.options) {
            const PrintOptions& o = *each.options;
            INFO(each.request << ", precision " << o.precision << ", threshold " << o.threshold
                              << ", edge_items " << o.edge_items << ", line_width " << o.line_width
                              << ", suppress_small " << o.suppress_small << ", sign "
                              << static_cast<int>(o.sign));
            CHECK(to_text(x, o) == each.expected);
        } else {
            INFO(each.request);
            CHECK(to_text(x) == each.expected);
        }
    }
}

TEST_CASE("print options out of range are refused") {
    const Array x = arange(3, int32, on_host);
    CHECK(KGEN_MESSAGE_OF(TypeError, to_text(x, {.precision = -1})) ==
          "to_text: the precision is -1, expected 0 to 100");
    CHECK(KGEN_MESSAGE_OF(TypeError, to_text(x, {.precision = 101})) ==
          "to_text: the precision is 101, expected 0 to 100");
    CHECK(KGEN_MESSAGE_OF(TypeError, to_text(x, {.edge_items = 0})) ==
          "to_text: edge_items is 0, expected at least 1");
    CHECK(to_text(x, {.line_width = -5}) == "[0\n 1\n 2]");
    CHECK(to_text(x, {.threshold = -1, .edge_items = std::numeric_limits<std::int64_t>::max()}) ==
          "[0 1 2]");
    CHECK(KGEN_MESSAGE_OF(ShapeError, to_text(Array(), PrintOptions{})) ==
          "to_text: the array has no memory, because it was default-constructed");
}

TEST_CASE("views print their own elements") {
    const Array x = arange(6, int32, on_host).reshape({2, 3});
    CHECK(to_text(x.transpose()) == "[[0 3]\n [1 4]\n [2 5]]");
    CHECK(to_text(x.slice({{}, {.step = -1}})) == "[[2 1 0]\n [5 4 3]]");
    CHECK(to_text(x[1].broadcast_to({2, 3})) == "[[3 4 5]\n [3 4 5]]");
    CHECK(to_text(arange(3000, int32, on_host).reshape({30, 100}).transpose()) ==
          "[[   0  100  200 ... 2700 2800 2900]\n [   1  101  201 ... 2701 2801 2901]\n"
          " [   2  102  202 ... 2702 2802 2902]\n ...\n"
          " [  97  197  297 ... 2797 2897 2997]\n [  98  198  298 ... 2798 2898 2998]\n"
          " [  99  199  299 ... 2799 2899 2999]]");
}

TEST_CASE("bfloat16 prints the shortest digits that read back as the same bfloat16") {
    CHECK(to_text(full({2}, 0.1, bfloat16, on_host)) == "[0.1 0.1]");
    CHECK(to_text(full({1}, 65536.0, bfloat16, on_host)) == "[65536.]");
    CHECK(to_text(full({}, 3.14159, bfloat16, on_host)) == "3.14");
    CHECK(to_text(full({2}, 1e30, bfloat16, on_host)) == "[1.e+30 1.e+30]");
}

TEST_CASE("fmt formats an array as to_text does, with width and alignment") {
    const Array x = arange(3, float32, on_host);
    CHECK(fmt::format("{}", x) == "[0. 1. 2.]");
    CHECK(fmt::format("{:>12}", x) == "  [0. 1. 2.]");
}

TEST_CASE("printing an array that holds nothing is an error") {
    CHECK(KGEN_MESSAGE_OF(ShapeError, to_text(Array())) ==
          "to_text: the array has no memory, because it was default-constructed");
}
