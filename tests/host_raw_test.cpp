// SPDX-License-Identifier: MIT
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/raw_programs.hpp"
#include "support/raw_sources.hpp"

using namespace kgen;
using test::HostProgram;

TEST_CASE("tmp", "[host_raw]") {
    HostProgram program(test::saxpy_source, {"saxpy"});
    std::vector<float> x(1000, 1), y(1000, 2), z(1000);
    program.launch(
        "saxpy", {.grid = {4}, .block = {256}}, 2.0f, x.data(), y.data(), z.data(), 1000);
    CHECK(z == std::vector<float>(1000, 4.0f));
    std::fill(z.begin(), z.end(), 0.f);
    program.launch(
        "kgen_raw_0", {.grid = {4}, .block = {256}}, 2.0f, x.data(), y.data(), z.data(), 1000);
    CHECK(z == std::vector<float>(1000, 4.0f));
    HostProgram b(test::block_sum_source);
    std::vector<float> out(4);
    b.launch("block_sum", {.grid = {4}, .block = {256}}, x.data(), out.data(), 1000);
    CHECK(out == std::vector<float>{256, 256, 256, 232});
}
