// SPDX-License-Identifier: MIT
//
// Whether a statement of rows is one kernel or several, and what explain says about it.
#include <kgen/kgen.hpp>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "dtype/strides.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/fresh_process.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using kgen::test::present_devices;

namespace {

// An array that is only described.
Array imagined(const Dims& shape, DType dtype = float32) {
    return Array::view(
        reinterpret_cast<void*>(std::uintptr_t{1} << 40), dtype, shape, {.device = Device::host()});
}

const TargetOptions gpu = {.device = Device::cuda(0), .arch = "sm_90"};
const TargetOptions host = {.device = Device::host()};

template <typename Statement>
std::string choice(Statement&& statement, const TargetOptions& target) {
    const std::vector<Explanation> kernels = explain(std::forward<Statement>(statement), target);
    for (const Explanation& each : kernels) CHECK(each.statement == kernels[0].statement);
    return kernels[0].statement;
}

std::string without_times(const std::string& text) {
    return std::regex_replace(text, std::regex("[0-9]+\\.[0-9] us"), "# us");
}

// Whether the arrays are equal up to a few roundings.
bool near(const Array& a, const Array& b) {
    return a.shape() == b.shape() && all(abs(a - b) <= 1e-5 * (1 + abs(b))).item<bool>();
}

}  // namespace

TEST_CASE("a statement of rows is one kernel or several by predicted times", "[rows]") {
    const std::string one =
        "1 kernel, predicted to take # us; 3 kernels without row kernels would take # us";
    CHECK(without_times(choice(softmax(imagined({4096, 1000})), gpu)) == one);
    CHECK(without_times(choice(layer_norm(imagined({100'000, 64}, float16)), gpu)) ==
          "1 kernel, predicted to take # us; 2 kernels with one pass for all reductions would "
          "take # us, 3 kernels without row kernels would take # us");
    CHECK(without_times(choice(softmax(imagined({1, 1 << 26})), gpu)) ==
          "2 kernels, predicted to take # us; 1 kernel for all rows would take # us, 3 kernels "
          "without row kernels would take # us");
    // Short rows that begin anywhere: each element is tested.
    const Array x = imagined({4'591'723, 7}, float16);
    const std::vector<Explanation> kernels = explain(x / sum(x, axis(1), keepdims), gpu);
    REQUIRE(kernels.size() == 2);
    CHECK(without_times(kernels[0].statement) ==
          "2 kernels, predicted to take # us; 1 kernel for all rows would take # us");
    // The times are those of the kernels' plans, and 0.7 us from one kernel to the next.
    const double us = 0.7 + 1000 * (*kernels[0].predicted_ms + *kernels[1].predicted_ms);
    CHECK(kernels[0].statement.find(fmt::format("predicted to take {:.1f} us", us)) !=
          std::string::npos);
    // Three kernels would be quicker, but there are too many, and two would draw the numbers twice.
    const Array short_rows = imagined({4'591'723, 15});
    CHECK(without_times(choice(softmax(short_rows + Generator(3).normal(like(short_rows))), gpu)) ==
          "1 kernel, predicted to take # us; 3 kernels without row kernels would take # us, but "
          "statements of rows take at most two");
    // One reduction with what follows it alone is no choice, and so is no reduction.
    CHECK(choice(sqrt(sum(square(imagined({4, 5})), axis(1))), gpu).empty());
    CHECK(choice(sqrt(imagined({4, 5})), gpu).empty());
}

TEST_CASE("statements of rows take at most two launches on a GPU for any length", "[rows]") {
    std::mt19937 random(std::random_device{}());
    const auto is_odd = [&] { return random() % 2 == 1; };
    for (std::int64_t row = 64; row <= 5'000'000;
         row = row < 4'000'000 ? row * 5 / 2 : row + 1'000'000) {
        for (const std::int64_t rows : {1, 3, 100, 20'000}) {
            const std::int64_t length = row + (is_odd() ? 1 : 0);
            if (rows * length > (std::int64_t{1} << 31)) continue;
            const DType dtype = is_odd() ? float16 : float32;
            const TargetOptions target = {.device = Device::cuda(0),
                                          .arch = is_odd() ? "sm_80" : "sm_90"};
            const Array x = imagined({rows, length}, dtype);
            const Array turned = imagined({length, rows}, dtype);
            INFO(rows << " rows of " << length << " " << to_text(dtype) << ", " << *target.arch);
            const std::size_t most = length <= 4096 && dtype == float32 ? 1 : 2;
            CHECK(explain(softmax(x), target).size() <= most);
            CHECK(explain(layer_norm(x), target).size() <= most);
            CHECK(explain(softmax(turned, axis(0)), target).size() <= most);
            CHECK(explain(sum(x * max(x, axis(1), keepdims), axis(1)) / sum(x, axis(1)), target)
                      .size() <= 2);
        }
    }
}

TEST_CASE("loops of row kernels predict their times", "[rows]") {
    const Explanation kernel = explain(softmax(imagined({4096, 1000})), gpu)[0];
    CHECK(kernel.loops == std::vector<std::string>{"fused_rows", "fused_columns"});
    CHECK(kernel.plan.find("loops that can run it: fused_rows (") != std::string::npos);
    CHECK(kernel.predicted_ms);
    // Rows across memory, and rows of a transposed array, which lie along memory.
    const auto loop = [](Explanation each) {
        return each.plan.substr(each.plan.find("; ") + 2, 8);
    };
    const Array turned = imagined({1000, 4096}).transpose();
    CHECK(loop(explain(softmax(turned), gpu)[0]) == "neighbou");
    CHECK(loop(explain(softmax(turned, axis(0)), gpu)[0]) == "rows by ");
}

TEST_CASE("reductions along equal axes are one kernel however the axes are written", "[rows]") {
    for (const Device device : present_devices()) {
        const Array x = arange(60, float32, {.device = device}).reshape(6, 10) * 0.37f;
        const Array means = mean(x, axis(1), keepdims), largest = max(x, axis(1), keepdims);
        CHECK(explain((x - mean(x, axis(1), keepdims)) / max(x, axis(-1), keepdims)).size() == 1);
        CHECK(near((x - mean(x, axis(1), keepdims)) / max(x, axis(-1), keepdims),
                   (x - means) / largest));
        CHECK(explain(x - mean(x, axis(-2), keepdims) * max(x, axis(0), keepdims)).size() == 1);
        CHECK(explain(x - mean(x, axis({0, 1}), keepdims) * max(x, axis({-1, -2}), keepdims))
                  .size() == 1);
        CHECK(explain(x - mean(x, axis({0, 1}), keepdims) * max(x)).size() == 1);
        // In three dimensions, axis 1 is not the last one. The statement is known already.
        const Array cube = arange(60, float32, {.device = device}).reshape(3, 4, 5) * 0.37f;
        const std::vector<Explanation> kernels =
            explain((cube - mean(cube, axis(1), keepdims)) / max(cube, axis(-1), keepdims));
        CHECK(kernels.size() == 3);
        CHECK(kernels[0].statement == "3 kernels, because its reductions run along different axes");
        const Array cube_means = mean(cube, axis(1), keepdims);
        const Array cube_largest = max(cube, axis(2), keepdims);
        CHECK(near((cube - mean(cube, axis(1), keepdims)) / max(cube, axis(-1), keepdims),
                   (cube - cube_means) / cube_largest));
    }
}

TEST_CASE("a reduction over all axes joins as one row", "[rows]") {
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{7}, Dims{1}, Dims{5, 8}, Dims{3, 4, 5}, Dims{30, 41}}) {
            const Array x =
                arange(extent_product(shape), float32, {.device = device}).reshape(shape) * 0.25f -
                3;
            INFO(to_text(shape) << " on " << to_text(device));
            const Array sums = sum(x), means = mean(x), spread = stddev(x);
            CHECK(explain(x / sum(x)).size() == 1);
            CHECK(near(x / sum(x), x / sums));
            CHECK(explain((x - mean(x)) / (stddev(x) + 1)).size() == 1);
            CHECK(near((x - mean(x)) / (stddev(x) + 1), (x - means) / (spread + 1)));
            CHECK(explain(mean(square(x - mean(x)))).size() == 1);
            CHECK(near(mean(square(x - mean(x))), square(spread)));
            const Array high = max(x), low = min(x);
            CHECK(near(max(x) - min(x), high - low));
            CHECK(near(x - mean(x, keepdims), x - means));
        }
        // A scalar has no axes to reduce.
        const Array one = full({}, 4, float32, {.device = device});
        CHECK((one / sum(one)).compute().item<float>() == 1);
        // A result that is no scalar lacks the axes.
        const Array x = arange(25, float32, {.device = device}).reshape(5, 5);
        const std::vector<Explanation> kernels = explain(x - sum(x, axis(1)));
        CHECK(kernels.size() == 2);
        CHECK(kernels[0].statement ==
              "2 kernels, because a reduction without keepdims meets arrays that have its axes");
    }
}

TEST_CASE("explain says why a statement takes several kernels", "[rows]") {
    const Array x = imagined({64, 100});
    CHECK(
        choice(x / call("sum_compensated", x, axis(1), keepdims), host) ==
        "2 kernels, because the text of 'sum_compensated' cannot stand beside reductions of rows");
    CHECK(choice(sum(x / sum(x, axis(1), keepdims)), host) ==
          "2 kernels, because its reductions run along different axes");
    CHECK(choice(sum(sum(x, axis(1))), host) ==
          "2 kernels, because 'sum' reduces the result of another reduction, or a number");
    CHECK(choice(x - sum(x, axis(1), keepdims) / sum(imagined({64, 1}), axis(1), keepdims), host) ==
          "3 kernels, because one kernel for all needs reductions of whole rows");
    CHECK(choice(softmax(x), host) == "1 kernel, because its reductions run along the same axes");
    const Array many = imagined({(std::int64_t{1} << 31) + 8, 2, 2}, int8);
    CHECK(choice(many - max(many, axis(1), keepdims), host) ==
          "2 kernels, because one kernel for all counts at most 2^31 - 1 rows");
}

TEST_CASE("few long rows on two threads", "[.fresh]") {
    const Array x = arange(1 << 18, float32).reshape(1, 1 << 18), z = empty(x.shape(), float32);
    report(choice(x / sum(x, axis(1), keepdims), host) + "\n");
    if (std::string(std::getenv("KGEN_COMPILE")) == "never") {
        compute(x / sum(x, axis(1), keepdims), out(z));
    } else {
        bind(x / sum(x, axis(1), keepdims), out(z))();  // has one kernel
    }
    report(fmt::format("{:.3f}", sum(z).compute().item<float>()));
}

TEST_CASE("the host divides few long rows among its threads", "[rows]") {
    const TempDir folder;
    const auto run = [&](const char* compile) {
        return run_fresh("few long rows on two threads",
                         {{"KGEN_HOST_THREADS", "2"},
                          {"KGEN_DEVICE", "host"},
                          {"KGEN_CACHE_DIR", folder / "cache"},
                          {"KGEN_COMPILE", compile}})
            .text;
    };
    const std::string several =
        "2 kernels, because one kernel for all would leave threads idle: there are few, long rows";
    CHECK(run("auto") == several + "\n1.000");
    // The bound launch has compiled the other way.
    CHECK(run("never") ==
          several +
              "; nothing can be compiled, so the one kernel runs, which the cache has\n1.000");
}

namespace {

Array small_rows() {
    return arange(12, float32, {.device = Device::host()}).reshape(3, 4);
}

}  // namespace

TEST_CASE("statements of rows of which nothing or all is compiled", "[.fresh]") {
    const Array x = small_rows();
    report(explain(exp(x - max(x, axis(1), keepdims)))[0].statement + "\n");
    report(fmt::format("{}", exp(x - max(x, axis(1), keepdims))[{0}]));
}

TEST_CASE("the parts of a statement of rows", "[.fresh]") {
    const Array x = small_rows();
    const Array largest = max(x, axis(1), keepdims);
    report(fmt::format("{}", exp(x - largest)[{0}]));
}

TEST_CASE("without a compiler, the kernels that are present compute a statement of rows",
          "[rows]") {
    const TempDir folder;
    const auto run = [&](const char* test, const char* compile) {
        return run_fresh(test,
                         {{"KGEN_CACHE_DIR", folder / "cache"},
                          {"KGEN_COMPILE", compile},
                          {"KGEN_DEVICE", "host"}})
            .text;
    };
    const std::string row = "[0.04978707 0.13533528 0.36787945 1.        ]";
    CHECK(run("the parts of a statement of rows", "auto") == row);
    const std::string one = "1 kernel, because its reductions run along the same axes";
    const char* const both = "statements of rows of which nothing or all is compiled";
    CHECK(run(both, "never") ==
          one + "; nothing can be compiled, so 2 kernels run, which the cache has\n" + row);
    CHECK(run(both, "auto") == one + "\n" + row);
    CHECK(run(both, "never") == one + "\n" + row);
}
