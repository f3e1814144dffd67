// SPDX-License-Identifier: MIT
//
// Folds of narrow integers on the host, which are exact at the ends of their dtypes on every loop.
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/host_loops.hpp"
#include "support/placed.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Folds arrays that hold the least, the largest or mixed values, over each axis and all of them, by each loop.
template <typename T>
void check_folds(const std::string& map, const std::string& reduce, const std::string& identity) {
    const ReductionKernel fold("T x", "int64 y", map, reduce, "y = a", identity, "fold_narrow");
    for (const Dims& shape : {Dims{40000, 3}, Dims{3, 40000}, Dims{300, 400}, Dims{20, 11}}) {
        std::vector<T> values(static_cast<std::size_t>(shape[0] * shape[1]));
        for (int kind = 0; kind < 3; ++kind) {
            for (std::size_t k = 0; k < values.size(); ++k) {
                const bool low = kind == 0 || (kind == 2 && k * k % 7 < 3);
                values[k] = low ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
            }
            const Array x = from_vector(values, shape, {host});
            const Array wide = x.astype(int64);
            for (const std::vector<int>& axes :
                 {std::vector{0}, std::vector{1}, std::vector{0, 1}}) {
                const auto expected = elements<std::int64_t>(fold(wide, axis(axes)));
                for (const char* loop : {"", "reduced_rows", "reduced_columns", "short_folds"}) {
                    const ScopedVariable forced("KGEN_LOOP", loop);
                    INFO(to_text(shape)
                         << ", axis " << axes[0] << ", " << loop << ", " << map << ", " << reduce);
                    try {
                        CHECK(elements<std::int64_t>(fold(x, axis(axes))) == expected);
                    } catch (const ShapeError&) {
                        CHECK(*loop != '\0');  // the loop cannot run this call
                    }
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("folds of narrow integers are exact on every loop", "[host_reduction]") {
    check_folds<std::int8_t>("x", "a + b", "0");
    check_folds<std::uint16_t>("x", "a + b", "0");
    check_folds<std::int16_t>("(long long)x", "a + b", "0");
    check_folds<std::uint8_t>("x > 3", "a + b", "0");
    check_folds<std::int16_t>("x", "max(a, b)", "-100000");
    check_folds<std::uint16_t>("x", "min(a, b)", "");
    check_folds<std::int8_t>("x", "a ^ b", "0");
    check_folds<std::int8_t>("x != 127", "a && b", "1");
    check_folds<std::uint8_t>("x != 0", "a || b", "0");
}

TEST_CASE("sums of several narrow inputs are exact", "[host_reduction]") {
    const ReductionKernel fold(
        "uint16 x, uint8 c", "int64 y", "(long long)x + c", "a + b", "y = a", "0", "fold_inputs");
    const Array x = full({3, 70000}, 65535, uint16, {host});
    const Array c = full({3, 70000}, 255, uint8, {host});
    CHECK(elements<std::int64_t>(fold(x, c, axis(1))) ==
          std::vector<std::int64_t>(3, std::int64_t{70000} * (65535 + 255)));
    CHECK(elements<std::int64_t>(fold(x, c)) ==
          std::vector<std::int64_t>{std::int64_t{210000} * (65535 + 255)});
}
