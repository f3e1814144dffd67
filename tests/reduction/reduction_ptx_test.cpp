// SPDX-License-Identifier: MIT
//
// The PTX that NVRTC makes from the sources of reductions. Needs no GPU.
#include "source/source.hpp"
#include "support/ptx.hpp"
#include "support/reduction_cases.hpp"
#include "support/reduction_trial.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::string ptx_of(const ReductionCase& row) {
    const Explanation told = explained(row, {.device = Device::cuda(), .arch = "sm_90"});
    return test::ptx_of(row.name, told.source, told.symbol);
}

std::string ptx_of(const ReductionTrial& trial) {
    const Planned planned = plan_of(trial);
    const Source source = generate_source(planned.signature, planned.types, planned.plan.baked);
    return test::ptx_of(planned.signature.name, source.text, source.symbol);
}

// Returns the order of the PTX instructions: L is a 16-byte load, A an addition, B a branch or its target.
std::string order_of(const std::string& ptx) {
    static const std::regex expression(
        R"((\bld\.global\.nc\.v4\.\w32\b)|(\b(?:add|fma\.rn)\.f32\b)|(\bbra\b|\$L_\w+:))");
    std::string order;
    for (auto at = std::sregex_iterator(ptx.begin(), ptx.end(), expression);
         at != std::sregex_iterator();
         ++at)
        order += (*at)[1].matched ? 'L' : (*at)[2].matched ? 'A' : 'B';
    return order;
}

}  // namespace

TEST_CASE("NVRTC takes the sources of all reductions and keeps accumulators in registers",
          "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    for (const ReductionCase& row : reduction_cases()) {
        if (row.devices.front() != DeviceKind::cuda) continue;
        INFO(row.name);
        const std::string ptx = ptx_of(row);
        CHECK(count(ptx, "\\.entry") >= 1);
        CHECK(count(ptx, "\\.local") == 0);
    }
}

TEST_CASE("folds of narrow items stay in registers", "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    const ReductionTrial trials[] = {
        dense_trial(uint8, {30000, 700}, 2),
        dense_trial(uint8, {30000, 700}, 2, Fold::top),
        dense_trial(uint8, {3, 70000}, 2, Fold::places),
        dense_trial(uint8, {1000, 100000}, 1),
        dense_trial(uint8, {100000, 4095}, 1, Fold::places),
        dense_trial(float16, {100000, 4096}, 1, Fold::top),
        dense_trial(uint8, {100000, 12}, 1),
    };
    for (const ReductionTrial& trial : trials) {
        INFO(describe(trial));
        CHECK(count(ptx_of(trial), "\\.local") == 0);
    }
}

TEST_CASE("a thread's loads stand together before its first addition", "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    struct Expected {
        std::string name;
        std::size_t loads;
        bool guarded;  // whether each load may be skipped
    };
    const Expected table[] = {
        {"reduced_full", 4, false},
        {"reduced_rows_by_blocks", 8, false},
        {"reduced_rows_split_shifted", 8, false},
        {"reduced_rows_by_warps", 4, true},
        {"reduced_segments", 4, true},
        {"reduced_columns", 4, true},
        {"reduced_columns_split", 4, true},
        {"reduced_wide_columns", 4, true},
    };
    for (const ReductionCase& row : reduction_cases()) {
        for (const Expected& expected : table) {
            if (row.name != expected.name) continue;
            std::string order = order_of(ptx_of(row));
            if (expected.guarded)
                order.erase(std::remove(order.begin(), order.end(), 'B'), order.end());
            INFO(row.name << ": " << order);
            const std::size_t first = order.find('L');
            REQUIRE(first != std::string::npos);
            CHECK(order.find_first_not_of('L', first) - first == expected.loads);
            CHECK(order[first + expected.loads] == 'A');
        }
    }
}

TEST_CASE("short rows go to shared memory without passing registers", "[source][nvrtc]") {
    if (!has_nvrtc()) return;
    for (const ReductionCase& row : reduction_cases()) {
        if (row.name.rfind("staged_", 0) != 0) continue;
        INFO(row.name);
        const std::string ptx = ptx_of(row);
        CHECK(count(ptx, R"(\bcp\.async\.cg\.shared\.global\b.*, 16;)") == 1);
        CHECK(count(ptx, R"(\bcp\.async\.wait_all\b)") == 1);
        CHECK(count(ptx, R"(\bld\.shared\b)") >= 1);
    }
}
