// SPDX-License-Identifier: MIT
//
// What NVRTC makes of the generated sources; needs no GPU.
#include <kgen/error.hpp>
#include <regex>

#include "device/compiler.hpp"
#include "device/registry.hpp"
#include "support/catch.hpp"
#include "support/source_cases.hpp"

using namespace kgen;

namespace {

// The compiler, or nothing where NVRTC is not installed (which is said).
const Compiler* nvrtc() {
    try {
        const Compiler& found = compiler(DeviceKind::cuda);
        static_cast<void>(found.producer());
        return &found;
    } catch (const DeviceError& error) {
        WARN("SKIPPED, no NVRTC: " << error.what());
        return nullptr;
    }
}

std::string ptx_of(const Compiler& compiler, const test::SourceCase& row) {
    const Explanation explanation =
        row.kernel.explain(row.arguments, row.options, {.device = Device::cuda(), .arch = "sm_90"});
    const Image image = compiler.compile({.kernel = row.name,
                                          .source = explanation.source,
                                          .symbol = explanation.symbol,
                                          .options = {},
                                          .target = {DeviceKind::cuda, "sm_90"}});
    const ImageSection* section = image.find(ImageKind::ptx);
    REQUIRE(section != nullptr);
    REQUIRE(image.find(ImageKind::cubin) != nullptr);
    return {reinterpret_cast<const char*>(section->bytes.data()), section->bytes.size()};
}

std::size_t count(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    return static_cast<std::size_t>(std::distance(
        std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()));
}

}  // namespace

TEST_CASE("NVRTC takes the sources of all paths", "[source][nvrtc]") {
    const Compiler* compiler = nvrtc();
    if (compiler == nullptr) return;
    for (const test::SourceCase& row : test::source_cases()) {
        INFO(row.name);
        CHECK(ptx_of(*compiler, row).find(".entry") != std::string::npos);
    }
}

TEST_CASE("contiguous kernels read and write 16 bytes at a time, and no output that is overwritten",
          "[source][nvrtc]") {
    const Compiler* compiler = nvrtc();
    if (compiler == nullptr) return;
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
        {"contiguous_uint8", wide_load, wide_store, 2, 2},
        {"contiguous_uint8_to_float32", R"(ld\.global\.nc\.\w32)", wide_store, 2, 2},
        {"contiguous_complex128", wide_load, wide_store, 2, 1},
        {"several_outputs", wide_load, wide_store, 2, 4},
    };
    for (const test::SourceCase& row : test::source_cases()) {
        for (const Expected& expected : table) {
            if (row.name != expected.name) continue;
            INFO(row.name);
            const std::string ptx = ptx_of(*compiler, row);
            CHECK(count(ptx, expected.wide_load) >= 1);
            CHECK(count(ptx, expected.wide_store) >= 1);
            CHECK(count(ptx, R"(\bld\.global)") == expected.loads);
            CHECK(count(ptx, R"(\bst\.global)") == expected.stores);
        }
    }
}
