// SPDX-License-Identifier: MIT
//
// Strings of reductions that are right in CuPy are right here. docs/coming-from-cupy.md lists what differs.
#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::vector<std::int64_t> longs(const Array& array) {
    return elements<std::int64_t>(array);
}

}  // namespace

TEST_CASE("_i and _j are the places of an element in the output and in CuPy's order",
          "[cupy][reduction]") {
    // CuPy moves the reduced axes to the front: _j is _J times the number of outputs, plus _i.
    const ReductionKernel joint(
        "T x", "int64 y", "_j + 0 * x", "a > b ? a : b", "y = a", "0", "joint");
    const ReductionKernel output(
        "T x", "int64 y", "10 * _i + 0 * x", "a > b ? a : b", "y = a + _i", "0", "output_place");
    const ReductionKernel all("T x",
                              "int64 y",
                              "_j == _J * _out_ind.size() + _i && i >= 0",
                              "a && b",
                              "y = a",
                              "1",
                              "agree");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        for (const Order order : {Order::c, Order::f}) {
            const Array x = range({2, 3, 4}, device).copy(order);
            CHECK(longs(joint(x, axis(0))) ==
                  std::vector<std::int64_t>{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
            CHECK(longs(joint(x, axis(2))) == std::vector<std::int64_t>{18, 19, 20, 21, 22, 23});
            CHECK(longs(joint(x, axis({0, 2}))) == std::vector<std::int64_t>{21, 22, 23});
            CHECK(longs(joint(x)) == std::vector<std::int64_t>{23});
            CHECK(longs(output(x, axis({0, 2}))) == std::vector<std::int64_t>{0, 11, 22});
            CHECK(longs(output(x, axis(1))) ==
                  std::vector<std::int64_t>{0, 11, 22, 33, 44, 55, 66, 77});
            for (const int along : {0, 1, 2})
                CHECK(array_equal(all(x, axis(along)), ones_like(all(x, axis(along)))));
        }
    }
    if (!has_nvrtc()) return;
    for (const ReductionKernel* kernel : {&joint, &output, &all}) {
        for (const std::vector<int>& axes : {std::vector<int>{0}, {1}, {0, 1}}) {
            const ArraySpec spec{int32, {300, 400}, {}};
            CHECK(cuda_refusal(*kernel, {spec}, {}, {.axes = axes}) == "");
        }
    }
}

TEST_CASE("a number for a raw parameter of a reduction is an array of one element",
          "[cupy][reduction]") {
    const ReductionKernel kernel(
        "T x, raw T w", "T y", "x * w[0]", "a + b", "y = a + w", "0", "weighted");
    for (const Device device : present_devices()) {
        const Array x = floats({1, 2, 3, 4}, {2, 2}, device);
        CHECK(elements<float>(kernel(x, 2, axis(0))) == std::vector<float>{10, 14});
        CHECK(elements<float>(kernel(x, 3, axis(0))) == std::vector<float>{15, 21});
    }
    if (has_nvrtc()) CHECK(cuda_refusal(kernel, {ArraySpec{float32, {300, 400}, {}}, 2.0F}) == "");
}

TEST_CASE("parameters of reductions have all names but i, keywords and those of kgen",
          "[cupy][reduction]") {
    const bool nvrtc = has_nvrtc();
    const std::pair<const char*, const char*> rows[] = {
        {"_J", "_in_ind"},
        {"_j", "_out_ind"},
        {"_i", "_raw_x"},
        {"f1", "u8"},
        {"byte", "single"},
        {"float16", "complex"},
        {"input_place", "place_kept_input"},
        {"reduced_place", "output_place"},
        {"place_input", "at"},
        {"row_teams", "teams"},
        {"count", "block"},
        {"steps", "length"},
        {"ptrdiff_t", "M_PI"},
        {"b", "a"},
        {"value", "accumulator"},
    };
    for (const auto& [first, second] : rows) {
        const std::string x = first, y = second;
        INFO(x << " and " << y);
        const bool own_places = x[0] == '_';
        const ReductionKernel kernel(
            "int32 " + x + ", int32 " + y,
            "int64 result",
            x + " * " + y + " + 0 * i" + (own_places ? "" : " + 0 * _J + 0 * _i"),
            "a + b",
            "result = a + 0 * i",
            "0",
            "named");
        for (const Device device : present_devices()) {
            const Array values = range({3, 4}, device);
            for (const auto& [axes, expected] :
                 {std::pair<int, std::vector<std::int64_t>>{0, {80, 107, 140, 179}},
                  {1, {14, 126, 366}}}) {
                try {
                    CHECK(longs(kernel(values, values, axis(axes))) == expected);
                } catch (const CompileError& error) {
                    FAIL_CHECK(error.what() << "\n" << error.log());
                }
            }
        }
        if (!nvrtc) continue;
        for (const Dims& shape : {Dims{300, 400}, Dims{40000, 3}, Dims{5, 70000}}) {
            for (const int along : {0, 1}) {
                const ArraySpec spec{int32, shape, {}};
                CHECK(cuda_refusal(kernel, {spec, spec}, {}, {.axes = std::vector<int>{along}}) ==
                      "");
            }
        }
    }
}

TEST_CASE("an output of a reduction may not be called a", "[cupy][reduction]") {
    CHECK(KGEN_MESSAGE_OF(SignatureError,
                          ReductionKernel("T x", "T a", "x", "a + b", "a = 2 * a", "0", "twice")) ==
          "kernel 'twice': output 1 ('a'): the name is reserved for the folded value in the "
          "post_map; "
          "choose another");
}
