// SPDX-License-Identifier: MIT
//
// Rows of the host with fewer elements than the widest vectors, compared with plain loops over indices.
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <vector>

#include "image/compile_settings.hpp"
#include "support/catch.hpp"
#include "support/host_loops.hpp"
#include "support/never_compiled.hpp"
#include "support/placed.hpp"
#include "support/rounds.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;
using namespace kgen::indexing;

namespace {

constexpr const char* width = "-mprefer-vector-width=128";

bool takes_option(const Explanation& explanation) {
    return std::ranges::count(explanation.options, width) > 0;
}

class ShortVectorTrials {
public:
    explicit ShortVectorTrials(unsigned seed) : random_(seed) {}

    // Checks a call with rows of 8 to 31 bytes, and returns whether its loop has short vectors.
    template <typename T>
    bool check(const ElementwiseKernel& kernel) {
        const auto item = static_cast<std::int64_t>(sizeof(T));
        const Dims shape{pick(60, 90), pick(70, 99), pick(8 / item, 31 / item)};
        std::vector<int> order = {0, 1, 2};
        std::shuffle(order.begin(), order.end(), random_);
        const Placed x = made<T>(shape, order, 1);
        std::shuffle(order.begin(), order.end(), random_);
        const Placed y = made<T>(shape, order, pick(1, 2));
        const Placed z = made<T>(shape, {0, 1, 2}, pick(1, 2));
        const Placed w = made<T>(shape, order, 1);
        std::vector<T> sums, differences;
        const std::vector<T> of_x = x.values<T>(), of_y = y.values<T>();
        for (std::size_t k = 0; k < of_x.size(); ++k) {
            sums.push_back(static_cast<T>(of_x[k] + 3 * of_y[k]));
            differences.push_back(static_cast<T>(of_x[k] - of_y[k]));
        }
        const Explanation explanation =
            kernel.explain({{x.array, y.array}}, {.outputs = {z.array, w.array}});
        kernel(x.array, y.array, out(z.array), out(w.array));
        INFO(explanation.plan << "\n" << to_text(shape));
        CHECK(z.values<T>() == sums);
        CHECK(w.values<T>() == differences);
        CHECK(z.is_clean_around());
        CHECK(w.is_clean_around());
        const bool is_short =
            explanation.plan.find(", shorter than vectors\n") != std::string::npos;
#ifdef __x86_64__
        CHECK(takes_option(explanation) == is_short);
#endif
        return is_short;
    }

private:
    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }
    template <typename T>
    Placed made(const Dims& shape, const std::vector<int>& order, std::int64_t gaps) {
        std::vector<int> values;
        for (std::int64_t k = 0; k < count_of(shape); ++k)
            values.push_back(static_cast<int>(pick(-20, 20)));
        const auto item = static_cast<std::int64_t>(sizeof(T));
        return place<T>(host, values, shape, dense_strides(shape, order, gaps * item));
    }

    std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("rows of fewer elements than the widest vectors are right", "[host_loops][random]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    ShortVectorTrials trials(seed);
    // The body takes a pointer, so no loop copies the rows.
    const ElementwiseKernel kernel(
        "T x, T y", "T z, T w", "const T* p = &x; z = *p + 3 * y; w = *p - y", "short_vectors");
    int short_ones = 0;
    for (int round = 0; round < (is_sanitized ? 1 : 8); ++round) {
        short_ones += trials.check<std::int8_t>(kernel);
        short_ones += trials.check<std::int16_t>(kernel);
        short_ones += trials.check<float>(kernel);
        short_ones += trials.check<double>(kernel);
    }
    if (!is_sanitized) CHECK(short_ones > 4);
}

namespace {

// Explains a kernel for rows of 7 float32, which no loop copies.
Explanation explain_rows(const std::string& value) {
    const ElementwiseKernel kernel("T x", "T y", "const T* p = &x; y = " + value, "short_rows");
    const Array x = zeros({64, 100, 8}, float32, {host})[{ellipsis, s(0, 7)}];
    return kernel.explain({{x}}, {.outputs = {zeros(x.shape(), float32, {host})}});
}

}  // namespace

TEST_CASE("the loop over rows has one form if it is named", "[host_loops]") {
    CHECK(explain_rows("*p + 1").plan.find("rows over 2 axes, shorter than vectors\n") !=
          std::string::npos);
    const ScopedVariable forced("KGEN_LOOP", std::string("rows"));
    const Explanation named = explain_rows("*p + 1");
    CHECK(named.plan.find("rows over 2 axes\n") != std::string::npos);
    CHECK_FALSE(takes_option(named));
}

TEST_CASE("where nothing may be compiled, short rows run by the kernel that other rows have",
          "[host_loops]") {
    const ElementwiseKernel kernel(
        "T x", "T y", "const T* p = &x; y = *p + 1 " + never_compiled(), "short_never");
    const Array wide = ones({64, 100, 60}, float32, {host});
    CHECK(array_equal(kernel(wide[{ellipsis, s(0, 50)}]), full({64, 100, 50}, 2, float32, {host})));
    const CompileModeScope never(CompileMode::never);
    CHECK(array_equal(kernel(wide[{ellipsis, s(0, 7)}]), full({64, 100, 7}, 2, float32, {host})));
}

TEST_CASE("functions keep the widest vectors in short rows", "[host_loops]") {
    const Explanation explanation = explain_rows("exp(*p)");
    CHECK(explanation.plan.find("shorter than vectors") != std::string::npos);
    CHECK_FALSE(takes_option(explanation));
}
