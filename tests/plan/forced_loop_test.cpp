// SPDX-License-Identifier: MIT
//
// KGEN_LOOP: kernels that run with one loop, whatever the plan would choose.
#include <algorithm>
#include <functional>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <vector>

#include "image/compile_settings.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/never_compiled.hpp"
#include "support/rounds.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const TargetOptions hopper = {.device = Device::cuda(0), .arch = "sm_90"};
const TargetOptions on_host = {.device = Device::host(), .arch = {}};

ElementwiseKernel defined_add() {
    return {"T x, T y", "T z", "z = x + y", "forced_add"};
}

ReductionKernel defined_sum() {
    return {"T x", "T y", "x", "a + b", "y = a", "0", "forced_sum"};
}

// Returns an array of whole numbers, which float32 sums exactly, with its axes in a random order of memory.
Array random_numbers(std::mt19937& random, const Dims& shape, Device device) {
    std::vector<int> order(static_cast<std::size_t>(shape.rank()));
    for (int axis = 0; axis < shape.rank(); ++axis) order[static_cast<std::size_t>(axis)] = axis;
    std::shuffle(order.begin(), order.end(), random);
    Dims memory;
    Dims back = Dims::filled(shape.rank(), 0);
    for (int axis = 0; axis < shape.rank(); ++axis) {
        memory.push_back(shape[order[static_cast<std::size_t>(axis)]]);
        back[order[static_cast<std::size_t>(axis)]] = axis;
    }
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(random() % 17);
    return from_vector(values, memory, {device}).transpose(back);
}

}  // namespace

TEST_CASE("a kernel runs with the loop that KGEN_LOOP names, and computes the same",
          "[plan][random]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    for (const Device device : present_devices()) {
        const ElementwiseKernel add = defined_add();
        const ReductionKernel sum = defined_sum();
        for (int trial = 0; trial < rounds(12); ++trial) {
            Dims shape;
            for (int axis = pick(1, 3); axis > 0; --axis) shape.push_back(pick(1, 40));
            const Array x = random_numbers(random, shape, device);
            const Array y = random_numbers(random, shape, device);
            const std::vector<int> axes = {pick(0, shape.rank() - 1)};
            const std::vector<float> left = x.to_vector<float>();
            const std::vector<float> right = y.to_vector<float>();
            std::vector<float> expected(left.size());
            std::transform(
                left.begin(), left.end(), right.begin(), expected.begin(), std::plus<float>());
            for (const std::string& loop : add.explain({{x, y}}).loops) {
                INFO(to_text(device) << ", " << loop << ", " << to_text(shape) << ", strides "
                                     << to_text(x.strides()) << " and " << to_text(y.strides()));
                const ScopedVariable forced("KGEN_LOOP", loop);
                const ElementwiseKernel with_loop = defined_add();
                CHECK(with_loop(x, y).to_vector<float>() == expected);
                CHECK(with_loop.explain({{x, y}}).plan.find("\nbecause: KGEN_LOOP names it\n") !=
                      std::string::npos);
            }
            const Array folded = sum(x, axis(axes));
            for (const std::string& loop : sum.explain({{x}}, {.axes = axes}).loops) {
                const ScopedVariable forced("KGEN_LOOP", loop);
                CHECK(array_equal(defined_sum()(x, axis(axes)), folded));
            }
        }
    }
}

TEST_CASE("where nothing may be compiled, the quickest loop that is present runs", "[plan]") {
    for (const Device device : present_devices()) {
        const std::string body = "z = x + y " + never_compiled();
        const auto defined = [&] { return ElementwiseKernel("T x, T y", "T z", body, "present"); };
        const Array x = arange(1024 * 1024, float32, {device}).reshape({1024, 1024});
        const std::vector<std::string> loops = defined().explain({{x, x.transpose()}}).loops;
        REQUIRE(loops.size() >= 2);
        for (const std::string& loop : {loops[1], loops[0]}) {
            const std::vector<float> expected = [&] {
                const ScopedVariable forced("KGEN_LOOP", loop);
                return defined()(x, x.transpose()).to_vector<float>();
            }();
            CHECK(expected[1] == 1025);
            const CompileModeScope never(CompileMode::never);
            const ElementwiseKernel kernel = defined();
            CHECK(kernel(x, x.transpose()).to_vector<float>() == expected);
            const std::string reason = kernel.explain({{x, x.transpose()}}).miss_reason;
            const std::string told = "; nothing can be compiled, so the loop " + loop + " runs";
            // On the second pass the chosen loop may be present, so nothing is missing.
            if (!reason.empty()) CHECK(reason.find(told) != std::string::npos);
        }
    }
}

TEST_CASE("explain names the loops that can run a call", "[plan]") {
    const ElementwiseKernel add = defined_add();
    const ReductionKernel sum = defined_sum();
    const Argument rows = ArraySpec{float32, {4096, 4096}};
    const Argument columns =
        ArraySpec{.dtype = float32, .shape = {4096, 4096}, .strides = {{4, 16384}}};
    using Names = std::vector<std::string>;
    CHECK(add.explain({{rows, rows}}, {}, hopper).loops == Names{"flat"});
    CHECK(add.explain({{rows, columns}}, {}, hopper).loops ==
          Names{"shared_tiles", "staged_runs", "flat"});
    CHECK(add.explain({{rows, columns}}, {}, on_host).loops == Names{"tiles", "rows"});
    CHECK(sum.explain({{rows}}, {.axes = {{0}}}, hopper).loops == Names{"reduced_columns"});
    const std::string plan = add.explain({{rows, columns}}, {}, on_host).plan;
    CHECK(plan.find("\nloops that can run it: tiles, rows\n") != std::string::npos);
    CHECK(add.explain({{rows, rows}}, {}, hopper).plan.find("loops that can") == std::string::npos);
}

TEST_CASE("a loop that cannot run a call is an error that names those that can", "[plan][error]") {
    const ScopedVariable forced("KGEN_LOOP", "tiles");
    const ElementwiseKernel add = defined_add();
    const Array x = zeros({3, 4}, float32, {Device::host()});
    CHECK(KGEN_MESSAGE_OF(ShapeError, add(x, x)) ==
          "kernel 'forced_add': the loop 'tiles' of KGEN_LOOP cannot run this call on host; these "
          "can: rows");
    try {
        add(x, x);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::option);
        CHECK(error.parameter() == "KGEN_LOOP");
        CHECK(error.expected() == "rows");
        CHECK(error.got() == "tiles");
    }
    const Argument spec = ArraySpec{float32, {3, 4}};
    CHECK(KGEN_MESSAGE_OF(ShapeError, add.explain({{spec, spec}}, {}, hopper)) ==
          "kernel 'forced_add': the loop 'tiles' of KGEN_LOOP cannot run this call on cuda; these "
          "can: flat");
    // A program has kernels of both kinds, so a reduction does not mind the name of an elementwise loop.
    CHECK(defined_sum()(full({5}, 2, float32, {Device::host()})).item<float>() == 10);
    CHECK(x.copy().shape() == x.shape());
    const ScopedVariable unknown("KGEN_LOOP", "spiral");
    CHECK(KGEN_MESSAGE_OF(ShapeError, defined_sum()(x)) ==
          "kernel 'forced_sum': the loop 'spiral' of KGEN_LOOP cannot run this call on host; these "
          "can: reduced_rows");
    const KernelTemplate own = KernelTemplate::from_json(
        R"({"kind":"elementwise","name":"own","description":"d","inputs":"T x","outputs":"T y",)"
        R"("operation":"y = x"})");
    CHECK(KGEN_MESSAGE_OF(ShapeError, own(x)) ==
          "kernel 'own': the loop 'spiral' of KGEN_LOOP cannot run this call on host; these can: "
          "rows");
}

TEST_CASE("KGEN_LOOP=any_size gives calls of all sizes one kernel", "[plan]") {
    const ScopedVariable forced("KGEN_LOOP", "any_size");
    const ElementwiseKernel heavy("T x", "T y", "y = tanh(x) * exp(x)", "any_size_heavy");
    const auto source_of = [&](const Dims& shape) {
        return heavy.explain({{ArraySpec{float32, shape, {}}}}, {}, hopper).source;
    };
    CHECK(source_of({16}) == source_of({1 << 24}));
    const ReductionKernel sum = defined_sum();
    const auto sum_of = [&](const Dims& shape) {
        return sum.explain({{ArraySpec{float32, shape, {}}}}, {.axes = {{1}}}, hopper).source;
    };
    CHECK(sum_of({3, 17}) == sum_of({1 << 16, 1023}));
    CHECK(sum_of({3, 1 << 20}) == sum_of({500, 123457}));
    CHECK(sum_of({3, 17}) != sum_of({3, 1 << 20}));
}
