// SPDX-License-Identifier: MIT
//
// Random shapes, strides, broadcasts and orders of axes in a few kernels, compared with a loop
// over 64-bit indices.
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using Random = std::mt19937_64;

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// Returns strides that are dense in a random order of axes, with some gaps and some backward axes.
Dims random_layout(Random& random, const Dims& shape, std::int64_t item) {
    std::vector<int> order = axis_order(shape.rank());
    std::shuffle(order.begin(), order.end(), random);
    if (pick(random, 0, 2) == 0) std::sort(order.begin(), order.end());
    Dims strides = Dims::filled(shape.rank(), 0);
    std::int64_t stride = item;
    for (const int axis : order) {
        if (pick(random, 0, 4) == 0) stride *= 2;
        strides[axis] = pick(random, 0, 4) == 0 ? -stride : stride;
        stride *= std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
}

// Returns the shape of an input that broadcasts to `shape`: some extents are 1, and some
// leading axes are missing.
Dims random_part(Random& random, const Dims& shape) {
    Dims part;
    const auto from = pick(random, 0, 3) == 0 ? pick(random, 0, shape.rank()) : 0;
    for (auto axis = from; axis < shape.rank(); ++axis) {
        part.push_back(pick(random, 0, 3) == 0 ? 1 : shape[axis]);
    }
    return part;
}

struct Case {
    Dims loop;
    std::vector<Placed> inputs;
    std::vector<std::vector<std::int64_t>> values;  // of each input after broadcasting, in C order
};

Case random_case(Random& random, Device device, std::size_t inputs, int largest_rank) {
    Case made;
    const auto rank = static_cast<int>(pick(random, 0, largest_rank));
    for (int axis = 0; axis < rank; ++axis) {
        made.loop.push_back(pick(random, 0, 9) == 0 ? 1 : pick(random, 2, rank > 3 ? 4 : 9));
    }
    if (rank > 0 && pick(random, 0, 60) == 0) made.loop[pick(random, 0, rank - 1)] = 0;
    for (std::size_t k = 0; k < inputs; ++k) {
        const Dims shape = k == 0 ? made.loop : random_part(random, made.loop);
        std::vector<std::int32_t> numbers(static_cast<std::size_t>(count_of(shape)));
        for (std::int32_t& number : numbers)
            number = static_cast<std::int32_t>(pick(random, -1000, 1000));
        const Dims strides = random_layout(random, shape, 4);
        made.inputs.push_back(
            place<std::int32_t>(device, numbers, shape, strides, 4 * pick(random, 0, 1)));

        std::vector<std::int64_t> broadcast(static_cast<std::size_t>(count_of(made.loop)));
        for (std::size_t element = 0; element < broadcast.size(); ++element) {
            auto rest = static_cast<std::int64_t>(element);
            std::int64_t at = 0;
            std::int64_t weight = 1;
            for (int axis = rank - 1; axis >= 0; --axis) {
                const std::int64_t index = rest % made.loop[axis];
                rest /= made.loop[axis];
                const int own = axis - (rank - shape.rank());
                if (own < 0 || shape[own] == 1) continue;
                at += index * weight;
                weight *= shape[own];
            }
            broadcast[element] = numbers[static_cast<std::size_t>(at)];
        }
        made.values.push_back(std::move(broadcast));
    }
    return made;
}

std::string describe(const Case& made) {
    std::string text = "loop " + to_text(made.loop);
    for (const Placed& input : made.inputs) {
        text += "; " + to_text(input.array.shape()) + " by " + to_text(input.array.strides());
    }
    return text;
}

// Runs the kernel on random cases, into a new array and into a given array with a random layout.
template <typename Expected>
void check(const ElementwiseKernel& kernel,
           std::size_t inputs,
           int largest_rank,
           int cases,
           std::uint64_t seed,
           Expected expected_of) {
    for (const Device device : present_devices()) {
        Random random(seed);
        int wrong = 0;
        for (int run = 0; run < rounds(cases) && wrong < 3; ++run) {
            const Case made = random_case(random, device, inputs, largest_rank);
            std::vector<Argument> arguments;
            for (const Placed& input : made.inputs) arguments.push_back(input.array);
            std::vector<std::int32_t> expected(static_cast<std::size_t>(count_of(made.loop)));
            for (std::size_t element = 0; element < expected.size(); ++element) {
                expected[element] = static_cast<std::int32_t>(expected_of(made, element));
            }
            const Placed given = place<std::int32_t>(device,
                                                     std::vector<std::int32_t>(expected.size(), 77),
                                                     made.loop,
                                                     random_layout(random, made.loop, 4),
                                                     4 * pick(random, 0, 1));
            const std::vector<Array> results = kernel.call(arguments);
            kernel.call(arguments, {.outputs = {given.array}});
            const bool good = elements<std::int32_t>(results.front()) == expected &&
                              given.values<std::int32_t>() == expected && given.is_clean_around();
            if (good) continue;
            ++wrong;
            FAIL_CHECK(to_text(device)
                       << ", seed " << seed << ", run " << run << ": " << describe(made)
                       << "; output by " << to_text(given.array.strides()));
        }
        CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("random layouts of one input are walked right") {
    check(ElementwiseKernel("int32 x", "int32 z", "z = x + 1", "one_input"),
          1,
          4,
          700,
          11,
          [](const Case& made, std::size_t k) { return made.values[0][k] + 1; });
}

TEST_CASE("random layouts and broadcasts of two inputs are walked right") {
    check(
        ElementwiseKernel("int32 x, int32 y", "int32 z", "z = x - 3 * y", "two_inputs"),
        2,
        3,
        700,
        12,
        [](const Case& made, std::size_t k) { return made.values[0][k] - 3 * made.values[1][k]; });
}

TEST_CASE("random layouts and broadcasts of three inputs are walked right") {
    check(ElementwiseKernel(
              "int32 x, int32 y, int32 w", "int32 z", "z = x + 3 * y - 7 * w", "three_inputs"),
          3,
          2,
          200,
          13,
          [](const Case& made, std::size_t k) {
              return made.values[0][k] + 3 * made.values[1][k] - 7 * made.values[2][k];
          });
}

TEST_CASE("the index counts in C order whatever the layouts are") {
    check(ElementwiseKernel("int32 x, int32 y", "int32 z", "z = x + y + 5 * i + n", "counted"),
          2,
          3,
          300,
          14,
          [](const Case& made, std::size_t k) {
              return made.values[0][k] + made.values[1][k] + 5 * static_cast<std::int64_t>(k) +
                     count_of(made.loop);
          });
}

TEST_CASE("references into memory are walked right") {
    check(ElementwiseKernel("int32 x, int32 y",
                            "int32 z",
                            "const int* p = &y; int* q = &z; *q = x + *p",
                            "referred"),
          2,
          3,
          200,
          15,
          [](const Case& made, std::size_t k) { return made.values[0][k] + made.values[1][k]; });
}

TEST_CASE("views of the inputs by the loop's indices are right") {
    check(ElementwiseKernel("int32 x, int32 y",
                            "int32 z",
                            "int sum = 0; for (int k = 0; k < _raw_y.ndim; ++k) sum += "
                            "(int)_ind.get()[k] * (k + 1); "
                            "z = _raw_x[_ind.get()] + _raw_y[i] + sum + y",
                            "viewed"),
          2,
          3,
          100,
          16,
          [](const Case& made, std::size_t k) {
              std::int64_t sum = 0;
              auto rest = static_cast<std::int64_t>(k);
              for (int axis = made.loop.rank() - 1; axis >= 0; --axis) {
                  sum += rest % made.loop[axis] * (axis + 1);
                  rest /= made.loop[axis];
              }
              return made.values[0][k] + 2 * made.values[1][k] + sum;
          });
}

TEST_CASE("a kernel that keeps every axis is right too") {
    check(ElementwiseKernel("int32 x, int32 y",
                            "int32 z",
                            "z = x * y",
                            "unmerged",
                            {.reduce_dims = ReduceDims::no}),
          2,
          3,
          400,
          17,
          [](const Case& made, std::size_t k) { return made.values[0][k] * made.values[1][k]; });
}
