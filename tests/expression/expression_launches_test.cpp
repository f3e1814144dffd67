// SPDX-License-Identifier: MIT
//
// How many kernels statements launch, counted by the fake driver.
#include <functional>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/fresh_driver.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::indexing;

namespace {

struct Counted {
    std::string name;
    int launches;
    std::function<void()> statement;
};

}  // namespace

TEST_CASE("a statement launches one kernel, and one more for each reduction that others use",
          "[cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const Array x = empty({4, 8}, float32);
    const Array y = empty({8}, float32);
    Array z = empty({4, 8}, float32);
    const Array i = empty({4, 8}, int32);
    const Array long_rows = empty({7, 4096}, float32);
    const Array longest_rows = empty({64, 1'000'000}, float32);
    const Array one_row = empty({1, 4'000'000}, float32);
    const Array few_columns = empty({2000, 3}, float32);
    const Array long_columns = empty({1'000'000, 3}, float32);
    const Array many_columns = empty({1, 65536, 68}, float32);
    Generator rng(7);
    ElementwiseKernel next("T a", "T b", "b = a + 1", "next");
    const std::vector<Counted> list = {
        {"sqrt(x * x + y)", 1, [&] { Array r = sqrt(x * x + y); }},
        {"sqrt(sum(x * x))", 1, [&] { Array r = sqrt(sum(x * x, axis(1))); }},
        {"sum(x * y)", 1, [&] { Array r = sum(x * y); }},
        {"exp(x - max(x))", 1, [&] { Array r = exp(x - max(x, axis(-1), keepdims)); }},
        {"softmax", 1, [&] { Array r = softmax(x); }},
        {"layer_norm and more", 1, [&] { Array r = layer_norm(x, axis(0)) * x + y; }},
        {"rows of 4096", 1, [&] { Array r = softmax(long_rows); }},
        {"rows of a million", 1, [&] { Array r = layer_norm(longest_rows); }},
        {"one row of 4 million", 1, [&] { Array r = softmax(one_row); }},
        {"3 columns", 1, [&] { Array r = softmax(few_columns, axis(0)); }},
        {"3 long columns, whose reductions read them once",
         2,
         [&] { Array r = softmax(long_columns, axis(0)); }},
        {"68 columns, whose reductions read them once",
         2,
         [&] { Array r = softmax(many_columns, axis(1)); }},
        {"cosine of rows",
         1,
         [&] { Array r = sum(x * z, axis(1)) / sqrt(sum(x * x, axis(1)) * sum(z * z, axis(1))); }},
        {"rows and their means",
         1,
         [&] {
             auto [a, b] = compute(x - mean(x, axis(1), keepdims), mean(x, axis(1), keepdims));
         }},
        {"drawn numbers that a function uses twice",
         1,
         [&] {
             Array r = softmax(rng.normal({4, 8}));
         }},
        {"a product that is used twice",
         3,
         [&] {
             const Value product = x * 2;
             Array r = max(product, axis(0)) - max(product) + max(product, axis(0)) * max(product);
         }},
        {"different axes",
         3,
         [&] { Array r = x / sum(x, axis(0), keepdims) + sum(x, axis(1), keepdims); }},
        {"z += y", 1, [&] { z += y; }},
        {"z.assign", 1, [&] { z.assign(x * 2 + z); }},
        {"x[1] = ...", 1, [&] { z[{1}] = y * 2; }},
        {"x[:, :2] += 1",
         1,
         [&] {
             z[{all, s(0, 2)}] += 1;
         }},
        {"two outputs", 1, [&] { auto [a, b] = compute(minimum(x, y), maximum(x, y)); }},
        {"out and on", 1, [&] { compute(x * y, out(z), on(current_stream())); }},
        {"call", 1, [&] { Array r = call("leaky_relu", x * 2, 0.1); }},
        {"mixed dtypes", 1, [&] { Array r = x * i + 0.5; }},
        {"cast to an output", 1, [&] { z.assign(i * 2); }},
        {"mean and more", 1, [&] { Array r = sqrt(mean(x * x, axis(1))) * 3 + 1; }},
        {"mean used twice", 1, [&] { Array r = square(mean(x)) + mean(x); }},
        {"x - mean(x)", 1, [&] { Array r = (x - mean(x, axis(1), keepdims)) / 3; }},
        {"var of a sum", 2, [&] { Array r = var(sum(x, axis(0))); }},
        {"comparison", 1, [&] { Array r = (x > y) & (x < 2); }},
        {"mask", 1, [&] { z[x > 2] = 0; }},
        {"an argument of a kernel", 2, [&] { Array r = next(x * 2); }},
        {"broadcast into an output", 1, [&] { z.assign(y + 1); }},
        {"astype", 1, [&] { Array r = (x * 2).astype(float64); }},
    };
    // Blocks of the whole grid that share rows are launched by cuLaunchKernelEx.
    const auto launches = [&] {
        return driver.fake.calls("cuLaunchKernel") + driver.fake.calls("cuLaunchKernelEx");
    };
    for (const Counted& each : list) {
        INFO(each.name);
        for (int round = 0; round < 3; ++round) {
            const int before = launches();
            each.statement();
            CHECK(launches() - before == each.launches);
        }
    }
    const int cooperative = driver.fake.calls("cuLaunchKernelEx");
    BoundLaunch bound = bind(softmax(one_row));
    bound();
    CHECK(driver.fake.calls("cuLaunchKernelEx") - cooperative == 1);
    CHECK(driver.fake.record().launch.is_cooperative);
    CHECK(driver.fake.record().launch.grid[0] == 264);
    CHECK(KGEN_MESSAGE_OF(DeviceError, bound.native()) ==
          "kernel 'max_subtract_exp_sum_divide': its launch is cooperative, which cuLaunchKernel "
          "cannot express; call launch()");
    const Stream stream = Stream::create(Device::cuda(0));
    const Graph graph = capture(stream, [&] { static_cast<void>(softmax(one_row).compute()); });
    CHECK(graph.node_count() == 1);
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernelEx:720");
        const std::string message = KGEN_MESSAGE_OF(DeviceError, bound());
        CHECK(message.find("its blocks wait for each other, so all of them must run at the same "
                           "time, but the stream may not use all 132 multiprocessors; launch it "
                           "on another stream: cuLaunchKernelEx failed: ") != std::string::npos);
    }
    const BoundLaunch step = bind(x * y + z, out(z));
    const int before = driver.fake.calls("cuLaunchKernel");
    step();
    CHECK(driver.fake.calls("cuLaunchKernel") - before == 1);
    report("ok");
}

TEST_CASE("the arrays of a statement are on one device", "[cuda]") {
    if (!in_new_process("2")) return;
    const Driver driver;
    const Array x = empty({4}, float32);
    const Array y = empty({4}, float32, {.device = Device::cuda(1)});
    const Array h = zeros({4}, float32, {.device = Device::host()});
    const int before = driver.fake.calls("cuLaunchKernel");
    CHECK(KGEN_MESSAGE_OF(DeviceError, (x * 2 + y).compute()) ==
          "kernel 'multiply_add': argument 1 ('x0') is on cuda:0 but argument 3 ('x2') is on "
          "cuda:1; move one of them with to()\n  x0 * x1 + x2");
    CHECK(KGEN_MESSAGE_OF(DeviceError, sum(x * h).compute()) ==
          "kernel 'multiply_sum': argument 1 ('x0') is on cuda:0 but argument 2 ('x1') is on host; "
          "move one of them with to()\n  sum(x0 * x1)");
    CHECK(
        KGEN_MESSAGE_OF(DeviceError, x.assign(y + 1)) ==
        "kernel 'add': argument 1 ('x') is on cuda:1 but output 1 ('z') is on cuda:0; move one of "
        "them with to()\n  x0 + x1");
    CHECK(KGEN_MESSAGE_OF(DeviceError, bind(x + 1, out(h))) ==
          "kernel 'add': argument 1 ('x') is on cuda:0 but output 1 ('z') is on host; move one of "
          "them with to()\n  x0 + x1");
    const Stream other = Stream::create(Device::cuda(1));
    CHECK(KGEN_MESSAGE_OF(DeviceError, compute(x + 1, on(other))) ==
          "the stream is on cuda:1, but the arrays of the expression are on cuda:0");
    CHECK(driver.fake.calls("cuLaunchKernel") == before);
    report("ok");
}
