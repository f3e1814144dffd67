// SPDX-License-Identifier: MIT
//
// The reductions of the library on NaN, infinities, zeros of both signs and the limits of each dtype, for
// arrays of 0 to 3 elements. The results are compared with NumPy's (golden/make_special_reductions.py).
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <type_traits>

#include "support/devices.hpp"
#include "support/template_cases.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using Fields = std::vector<std::string>;

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? ""
                                      : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

Fields split(const std::string& text, char separator) {
    Fields fields;
    std::stringstream stream(text);
    for (std::string field; std::getline(stream, field, separator);)
        fields.push_back(trimmed(field));
    return fields;
}

template <typename T>
T item_of(const std::string& text) {
    if constexpr (is_complex<T>) {
        const Fields parts = split(text, ',');
        return {item_of<typename T::value_type>(parts[0]),
                item_of<typename T::value_type>(parts[1])};
    } else {
        const std::uint64_t bits = std::stoull(text, nullptr, 16);
        T item;
        std::memcpy(static_cast<void*>(&item),
                    &bits,
                    sizeof item);  // the CPUs that kgen runs on are little-endian
        return item;
    }
}

Array array_of(const std::string& row, DType dtype, Device device) {
    return visit_dtype(dtype, [&]<typename T>() -> Array {
        std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> items;
        for (const std::string& each : row.empty() ? Fields() : split(row, ' '))
            items.push_back(item_of<T>(each));
        return from_host(
            items.data(), dtype, {static_cast<std::int64_t>(items.size())}, {.device = device});
    });
}

enum class Match : std::uint8_t {
    bits,           // equal bits, except for rounding of sums and roots
    values,         // 0 equals -0
    finite_or_not,  // any value is accepted if NumPy's is not finite
};

bool is_same(LongReal got, LongReal expected, DType dtype, Match match) {
    if (match == Match::finite_or_not && !std::isfinite(expected)) return true;
    return is_near(
        got, expected, dtype, 4, match == Match::bits ? Zeros::signed_ones : Zeros::alike);
}

template <typename T>
std::string difference(const Array& result, const std::string& expected, DType dtype, Match match) {
    const auto shown = [](const auto& value) {
        if constexpr (is_complex<T>)
            return fmt::format("({}, {})", value.real(), value.imag());
        else
            return fmt::format("{}", static_cast<double>(value));
    };
    const T wanted = item_of<T>(expected);
    const T got = result.item<T>();
    bool same = false;
    if constexpr (is_complex<T>) {
        const DType part = sizeof(T) == 8 ? float32 : float64;
        same = is_same(static_cast<LongReal>(got.real()),
                       static_cast<LongReal>(wanted.real()),
                       part,
                       match) &&
               is_same(static_cast<LongReal>(got.imag()),
                       static_cast<LongReal>(wanted.imag()),
                       part,
                       match);
    } else if constexpr (std::is_integral_v<T>) {
        same = got == wanted;
    } else {
        same = is_same(static_cast<LongReal>(got), static_cast<LongReal>(wanted), dtype, match);
    }
    return same ? "" : "got " + shown(got) + ", expected " + shown(wanted);
}

std::string difference(const KernelTemplate& kernel,
                       const Array& x,
                       DType dtype,
                       const std::string& expected) {
    const std::vector<Argument> arguments(static_cast<std::size_t>(kernel.input_count()), x);
    if (expected == "!") {
        try {
            kernel.call(arguments, {});
        } catch (const ShapeError&) {
            return "";
        }
        return "got a result of nothing";
    }
    const Array result = kernel.call(arguments, {})[0];
    if (result.dtype() != dtype) return "got " + std::string(to_text(result.dtype()));
    const std::string name = kernel.name();
    const Match match = name.ends_with("prod") && kind_of(dtype) == DTypeKind::complex
                            ? Match::finite_or_not
                        : name.ends_with("min") || name.ends_with("max") ? Match::values
                                                                         : Match::bits;
    return visit_dtype(dtype, [&]<typename T>() -> std::string {
        return difference<T>(result, expected, dtype, match);
    });
}

// Checks the templates of those dtypes: every parts-th one, beginning with `part`.
void check_dtypes(const std::set<std::string>& dtypes, int part = 0, int parts = 1) {
    const std::vector<Device> devices = present_devices();
    std::ifstream file(std::string(KGEN_SOURCE_DIR) + "/tests/golden/special_reductions.txt");
    std::string wrong;
    int number = 0;
    int checked = 0;
    Fields rows;
    for (std::string line; std::getline(file, line);) {
        Fields fields = split(line, '|');
        const Fields head = split(fields[0], ' ');
        fields.erase(fields.begin());
        if (head[0] == "rows") rows = fields;
        if (head[0] == "rows" || dtypes.count(head[1]) == 0 || number++ % parts != part) continue;
        const KernelTemplate kernel = kernel_template(head[0]);
        const DType dtype = *parse_dtype(head[1]);
        REQUIRE(fields.size() == rows.size());
        for (const Device device : devices) {
            for (std::size_t k = 0; k < rows.size(); ++k) {
                const std::string found = difference(
                    kernel, array_of(rows[k], dtype, device), *parse_dtype(head[2]), fields[k]);
                ++checked;
                if (!found.empty())
                    wrong += fmt::format("\n{} of {} on {}: [{}]: {}",
                                         head[0],
                                         head[1],
                                         to_text(device),
                                         rows[k],
                                         found);
            }
        }
    }
    CHECK(wrong == "");
    CHECK(checked > 100);
}

}  // namespace

// Separate test cases, so that they can run in parallel.
TEST_CASE("reductions of special float32 values are NumPy's: the first third",
          "[template][special]") {
    check_dtypes({"float32"}, 0, 3);
}

TEST_CASE("reductions of special float32 values are NumPy's: the second third",
          "[template][special]") {
    check_dtypes({"float32"}, 1, 3);
}

TEST_CASE("reductions of special float32 values are NumPy's: the last third",
          "[template][special]") {
    check_dtypes({"float32"}, 2, 3);
}

TEST_CASE("reductions of special complex64 values are NumPy's: the first half",
          "[template][special]") {
    check_dtypes({"complex64"}, 0, 2);
}

TEST_CASE("reductions of special complex64 values are NumPy's: the second half",
          "[template][special]") {
    check_dtypes({"complex64"}, 1, 2);
}

// Hidden, because it compiles hundreds of kernels.
TEST_CASE("reductions of special values of the other dtypes are NumPy's", "[template][.special]") {
    check_dtypes({"bool",
                  "int8",
                  "int64",
                  "uint8",
                  "uint64",
                  "float16",
                  "bfloat16",
                  "float64",
                  "complex128"});
}
