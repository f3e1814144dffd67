// SPDX-License-Identifier: MIT
//
// Inputs that lie unlike other arrays in memory: when copies replace them, and that results stay the same.
#include "plan/relaid_inputs.hpp"

#include <kgen/kgen.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "call/call_memory.hpp"
#include "image/compile_settings.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const TargetOptions hopper = {.device = Device::cuda(0), .arch = "sm_90"};

ReductionKernel defined_dot(const char* map = "x * y") {
    return {"T x, T y", "T z", map, "a + b", "z = a", "0", "relaid_dot"};
}

// Returns an array of that shape without gaps. The axis that is named first has the closest elements.
ArraySpec in_order(const Dims& shape, const std::vector<int>& axes, DType dtype = float32) {
    Dims strides = Dims::filled(shape.rank(), 0);
    auto next = static_cast<std::int64_t>(item_size(dtype));
    for (const int axis : axes) {
        strides[axis] = next;
        next *= shape[axis];
    }
    return {.dtype = dtype, .shape = shape, .strides = strides};
}

// Returns what explain says about copies.
std::string copies_of(const GeneratedKernel& kernel,
                      const std::vector<Argument>& arguments,
                      const CallOptions& options = {}) {
    const std::string plan = kernel.explain(arguments, options, hopper).plan;
    const std::size_t at = plan.find("copy: ");
    return at == std::string::npos ? ""
                                   : plan.substr(at, plan.find("because: arrays lie", at) - at);
}

// Whole numbers, so that sums are exact, in an array whose axes have any order in memory. Some are reversed.
Array numbers(std::mt19937& random, const Dims& shape, Device device) {
    std::vector<int> order(static_cast<std::size_t>(shape.rank()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    Dims memory, back = Dims::filled(shape.rank(), 0);
    for (const int axis : order) {
        back[axis] = memory.rank();
        memory.push_back(shape[axis]);
    }
    std::vector<std::int32_t> values(static_cast<std::size_t>(extent_product(shape)));
    for (std::int32_t& value : values) value = static_cast<std::int32_t>(random() % 100);
    Array x = from_vector(values, memory, {.device = device}).transpose(back);
    return random() % 3 == 0 ? flip(x) : x;
}

struct ScopedPoolLimit {
    ScopedPoolLimit(std::uint64_t bytes, Device limited) : device(limited) {
        set_memory_pool_limit(bytes, device);
    }
    ~ScopedPoolLimit() { set_memory_pool_limit(0, device); }
    Device device;
};

}  // namespace

TEST_CASE("an input that runs fastest along another axis is copied where that is quicker",
          "[relaid]") {
    const Dims shape = {1187, 17, 256, 9};
    const ArraySpec x = in_order(shape, {3, 2, 1, 0}, float16);
    const ArraySpec y = in_order(shape, {1, 0, 2, 3}, float16);
    CHECK(copies_of(defined_dot(), {x, y}, {.axes = {{0, 2}}}) ==
          "copy: x is copied before the launch, to strides (34, 2, 40358, 10331648)\n");
    CHECK(copies_of(defined_dot("*(&x) * y"), {x, y}, {.axes = {{0, 2}}}) ==
          "copy: y is copied before the launch, to strides (78336, 4608, 18, 2)\n");
    const ElementwiseKernel add("T x, T y, T v, T w", "T z", "z = x + y * v + w", "relaid_add");
    const Dims large = {64, 100, 120, 32};
    CHECK(copies_of(add,
                    {in_order(large, {0, 1, 2, 3}, float16),
                     in_order(large, {1, 3, 2, 0}, float16),
                     in_order(large, {3, 2, 1, 0}, float16),
                     in_order(large, {2, 0, 1, 3}, float16)}) ==
          "copy: x is copied before the launch, to strides (768000, 7680, 64, 2)\n"
          "copy: y is copied before the launch, to strides (768000, 7680, 64, 2)\n"
          "copy: w is copied before the launch, to strides (768000, 7680, 64, 2)\n");
}

TEST_CASE("elements that repeat along short axes are copied so that vectors read them",
          "[relaid]") {
    const std::vector<Argument> arguments = {ArraySpec{bfloat16, {3962, 2048, 2}},
                                             ArraySpec{bfloat16, {2048, 1}}};
    CHECK(copies_of(defined_dot(), arguments, {.axes = {{0}}}) ==
          "copy: y is copied before the launch, to strides (0, 4, 2)\n");
}

TEST_CASE("inputs are not copied where that is not quicker, or where texts may see it",
          "[relaid]") {
    const Dims shape = {1187, 17, 256, 9}, small = {11, 17, 256, 9};
    const std::vector<int> order = {3, 2, 1, 0}, other = {1, 0, 2, 3};
    const ArraySpec x = in_order(shape, order, float16), y = in_order(shape, other, float16);
    const CallOptions rows = {.axes = {{0, 2}}};
    CHECK(copies_of(defined_dot(), {x, x}, rows) == "");
    CHECK(copies_of(defined_dot(), {y, y}, rows) == "");
    CHECK(copies_of(defined_dot(),
                    {in_order(small, order, float16), in_order(small, other, float16)},
                    rows) == "");
    CHECK(copies_of(defined_dot("*(&x) * *(&y)"), {x, y}, rows) == "");
    CHECK(copies_of(defined_dot("*(&x) * y * (T)_raw_y.size()"), {x, y}, rows) == "");
    const ElementwiseKernel transpose("T x", "T y", "y = x", "relaid_transpose");
    CHECK(copies_of(transpose, {y}) == "");
    const ScopedVariable forced("KGEN_LOOP", std::string("reduced_columns"));
    CHECK(copies_of(defined_dot(), {x, y}, rows) == "");
}

TEST_CASE("copies of inputs have their elements", "[relaid]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (const Device device : present_devices()) {
        const Array x = numbers(random, {6, 1, 5, 7}, device);
        const RelaidInput turned = {0, {6, 4, 5, 7}, {4, 0, 168, 24}};
        const auto copy_of = [&](const Array& source, const RelaidInput& input) {
            const Array* const arrays[] = {&source};
            return relaid_copies({&input, 1}, arrays, Stream::legacy(device)).at(0);
        };
        const Array copy = copy_of(x, turned);
        CHECK(copy.shape() == turned.shape);
        CHECK(copy.strides() == turned.strides);
        CHECK(array_equal(copy, x.broadcast_to(turned.shape)));
        const Array row = numbers(random, {7}, device);
        const RelaidInput repeated = {0, {6, 5, 7}, {0, 28, 4}};
        CHECK(array_equal(copy_of(row, repeated), row.broadcast_to(repeated.shape)));
    }
}

TEST_CASE("large calls of arrays that lie unlike each other are right, again and in graphs",
          "[relaid]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const ReductionKernel dot("int32 x, int32 y, int32 w",
                              "int64 z",
                              "(int64)x * y + w",
                              "a + b",
                              "z = a",
                              "0",
                              "relaid_3");
    const ElementwiseKernel step(
        "int32 x, int32 y, int32 w", "int32 z", "z += x - 2 * y + w", "relaid_4");
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{130, 97, 160}, Dims{1100, 97, 10}, Dims{9, 97, 1300}}) {
            const Array x = numbers(random, shape, device), y = numbers(random, shape, device);
            const Array w = numbers(random, {shape[1], 1}, device),
                        z = numbers(random, shape, device);
            const Array sums = zeros({shape[0], shape[2]}, int64, {.device = device});
            std::vector<std::int32_t> steps = z.to_vector<std::int32_t>();
            const auto check = [&](const char* when) {
                INFO(when << ", " << to_text(shape) << " on " << to_text(device));
                const auto a = x.to_vector<std::int32_t>(), b = y.to_vector<std::int32_t>();
                const auto c = w.to_vector<std::int32_t>();
                std::vector<std::int64_t> expected(static_cast<std::size_t>(sums.size()));
                for (std::size_t at = 0; at < a.size(); ++at) {
                    const auto k = static_cast<std::int64_t>(at) % shape[2];
                    const auto j = static_cast<std::int64_t>(at) / shape[2] % shape[1];
                    const auto i = static_cast<std::int64_t>(at) / shape[2] / shape[1];
                    const std::int32_t row = c[static_cast<std::size_t>(j)];
                    expected[static_cast<std::size_t>(i * shape[2] + k)] +=
                        std::int64_t{a[at]} * b[at] + row;
                    steps[at] += a[at] - 2 * b[at] + row;
                }
                CHECK(sums.to_vector<std::int64_t>() == expected);
                CHECK(z.to_vector<std::int32_t>() == steps);
            };
            const auto run = [&] {
                dot(x, y, w, axis(1), out(sums));
                step(x, y, w, out(z));
            };
            run();
            check("first");
            x.assign(numbers(random, shape, device));
            run();
            check("remembered");
            const Graph graph = capture(Stream::create(device), run);
            y.assign(numbers(random, shape, device));
            graph.launch();
            check("graph");
            // Where memory is short, inputs are read as they lie.
            const ScopedPoolLimit limit(memory_pool_statistics(device).used_bytes + 65536, device);
            run();
            check("memory is short");
        }
    }
}

TEST_CASE("a copy that copies its input first is right after others took its place", "[relaid]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (const Device device : present_devices()) {
        const Array gray = numbers(random, {1300, 1200}, device).astype(uint8).transpose().copy();
        const Array pixels =
            gray.transpose().reshape({1300, 1200, 1}).broadcast_to({1300, 1200, 3});
        const Array image = zeros({1300, 1200, 3}, uint8, {.device = device});
        for (int round = 0; round < 3; ++round) {
            image.assign(zeros({1300, 1200, 3}, uint8, {.device = device}));
            image.assign(pixels);
            CHECK(array_equal(image, pixels));
            for (const std::int64_t other : {1201, 1203, 1207}) {
                const Array x = zeros({1300, other}, uint8, {.device = device});
                zeros({other, 1300}, uint8, {.device = device}).assign(x.transpose());
            }
        }
    }
}
