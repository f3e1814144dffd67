// SPDX-License-Identifier: MIT
//
// Calls of kernels with several outputs that are all given.
#include <kgen/kgen.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("a call in parentheses writes several outputs if all are given", "[call]") {
    const ElementwiseKernel split("T x", "T lo, T hi", "lo = x - 1; hi = x + 1", "split");
    const ReductionKernel range(
        "T x", "T lo, T hi", "x", "min(a, b)", "lo = a; hi = -a", "", "range");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Array x = array({1, 2, 3}, int64, {device});
        const Array lo = zeros_like(x);
        const Array hi = zeros_like(x);
        const auto check_and_clear = [&] {
            CHECK(lo.to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 1, 2});
            CHECK(hi.to_vector<std::int64_t>() == std::vector<std::int64_t>{2, 3, 4});
            lo.assign(0);
            hi.assign(0);
        };
        CHECK_FALSE(split(x, out(lo), out(hi)).has_value());
        check_and_clear();
        CHECK_FALSE(split(x, out(lo, hi)).has_value());
        check_and_clear();
        CHECK_FALSE(split(x, lo, hi).has_value());
        check_and_clear();
        const auto [first, second] = split.call<2>(out(lo, hi), x);
        CHECK((first.data() == lo.data() && second.data() == hi.data()));
        check_and_clear();
        split.bind(x, out(lo, hi)).launch();
        check_and_clear();
        // An indexed array is an output too.
        const Array ends = zeros({2}, int64, {device});
        range(x, out(ends[0], ends[1]));
        CHECK(ends.to_vector<std::int64_t>() == std::vector<std::int64_t>{1, -1});
        CHECK(KGEN_MESSAGE_OF(TypeError, split(x, out(lo))) ==
              "kernel 'split': expected 2 outputs (lo, hi), but 1 was given");
        CHECK(KGEN_MESSAGE_OF(TypeError, split(x, out(lo, hi, x))) ==
              "kernel 'split': expected 2 outputs (lo, hi), but 3 were given");
        CHECK(KGEN_MESSAGE_OF(TypeError, split(x)) ==
              "kernel 'split': it has 2 outputs; use call<2>(...)");
    }
}
