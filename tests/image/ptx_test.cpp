// SPDX-License-Identifier: MIT
//
// The PTX that NVRTC makes from the generated sources. Needs no GPU.
#include "support/ptx.hpp"

#include "source/source.hpp"
#include "support/catch.hpp"
#include "support/source_cases.hpp"
#include "support/trial.hpp"

using namespace kgen;
using test::count;
using test::has_nvrtc;

namespace {

std::string ptx_of(const test::SourceCase& row) {
    const Explanation told =
        row.kernel.explain(row.arguments, row.options, {.device = Device::cuda(), .arch = "sm_90"});
    return test::ptx_of(row.name, told.source, told.symbol);
}

std::string ptx_of(const test::Trial& trial) {
    const test::Planned planned = test::plan_of(trial);
    const Source source = generate_source(planned.signature, planned.types, planned.plan.baked);
    return test::ptx_of(planned.signature.name, source.text, source.symbol);
}

}  // namespace

TEST_CASE("NVRTC takes the sources of all paths", "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    for (const test::SourceCase& row : test::source_cases()) {
        INFO(row.name);
        CHECK(ptx_of(row).find(".entry") != std::string::npos);
    }
}

TEST_CASE("a body that names a constant alone gets what the constant is made of",
          "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    for (const char* constant :
         {"CUDART_INF_F", "CUDART_NAN", "CUDART_MAX_NORMAL_F", "FLT_MAX", "M_PI"}) {
        const ElementwiseKernel kernel("", "float64 y", std::string("y = ") + constant, "constant");
        const test::SourceCase row{"constant", kernel, {}, {.size = 4}};
        INFO(constant);
        CHECK(ptx_of(row).find(".entry") != std::string::npos);
    }
}

TEST_CASE("contiguous kernels read and write 16 bytes at a time, and no output that is overwritten",
          "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    struct Expected {
        std::string name;
        std::string wide_load;
        std::string wide_store;
        std::size_t loads;  // in the whole tile and in the tail
        std::size_t stores;
    };
    const std::string wide_load = R"(ld\.global\.nc\.(v4\.\w32|v2\.\w64))";
    const std::string wide_store = R"(st\.global\.(v4\.\w32|v2\.\w64))";
    const Expected table[] = {
        {"contiguous_float32", wide_load, wide_store, 4, 2},
        {"contiguous_uint8", wide_load, wide_store, 4, 2},
        {"contiguous_uint8_to_float32", R"(ld\.global\.nc\.\w32)", wide_store, 4, 2},
        {"contiguous_complex128", wide_load, wide_store, 2, 1},
        {"several_outputs", wide_load, wide_store, 4, 4},
    };
    for (const test::SourceCase& row : test::source_cases()) {
        for (const Expected& expected : table) {
            if (row.name != expected.name) continue;
            INFO(row.name);
            const std::string ptx = ptx_of(row);
            CHECK(count(ptx, expected.wide_load) >= 1);
            CHECK(count(ptx, expected.wide_store) >= 1);
            CHECK(count(ptx, R"(\bld\.global)") == expected.loads);
            CHECK(count(ptx, R"(\bst\.global)") == expected.stores);
        }
    }
}

TEST_CASE("rows and tiles read and write whole vectors alone", "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    using test::c_part;
    const Dims square{4096, 4096};
    const auto turned = [&](DType dtype) { return test::ordered_part(dtype, square, {1, 0}); };
    const std::string four_words = R"((v4\.\w32|v2\.\w64)\b)";
    const std::string two_words = R"((v4\.\w16|v2\.\w32|\w64)\b)";
    struct Expected {
        const char* name;
        test::Trial trial;
        std::string width;
        bool shared;
    };
    const Expected table[] = {
        {"a row",
         {{c_part(float32, square), c_part(float32, {4096})}, c_part(float32, square)},
         four_words,
         false},
        {"a row of uint8",
         {{c_part(uint8, square), c_part(uint8, {4096})}, c_part(uint8, square)},
         four_words,
         false},
        {"transposed float32",
         {{turned(float32), c_part(float32, square)}, c_part(float32, square)},
         four_words,
         true},
        {"transposed float16", {{turned(float16)}, c_part(float16, square)}, four_words, true},
        {"transposed uint8", {{turned(uint8)}, c_part(uint8, square)}, two_words, true},
    };
    for (const Expected& expected : table) {
        INFO(expected.name);
        const std::string ptx = ptx_of(expected.trial);
        const std::size_t loads = count(ptx, R"(\bld\.global)");
        const std::size_t stores = count(ptx, R"(\bst\.global)");
        CHECK(loads >= expected.trial.inputs.size());
        CHECK(stores >= 1);
        CHECK(count(ptx, R"(\bld\.global\.nc\.(L2::128B\.)?)" + expected.width) == loads);
        CHECK(count(ptx, R"(\bst\.global\.)" + expected.width) == stores);
        CHECK((count(ptx, R"(\bst\.shared\.)" + expected.width) > 0) == expected.shared);
        CHECK((count(ptx, R"(\bld\.shared\.)" + expected.width) > 0) == expected.shared);
    }
}

TEST_CASE("misaligned arrays are read by vectors where they are misaligned alike",
          "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    using test::c_part;
    const Dims line{1 << 20};
    const auto ptx_for = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return ptx_of(test::Trial{{c_part(float32, line, x), c_part(float32, line, y)},
                                  c_part(float32, line, z)});
    };
    const std::string wide = R"((v4\.\w32|v2\.\w64)\b)";
    const std::string alike = ptx_for(4, 4, 4);
    CHECK(count(alike, R"(\bld\.global\.nc\.)" + wide) == 2);
    // One input is read by single elements, 4 in a whole tile. The others are read by vectors.
    const std::string unlike = ptx_for(8, 4, 4);
    CHECK(count(unlike, R"(\bld\.global\.nc\.)" + wide) == 1);
    CHECK(count(unlike, R"(\bld\.global\.nc\.\w32\b)") == 4 + 2);
}
