// SPDX-License-Identifier: MIT
//
// What a test of plans reads in the parameter block of a planned call.
#pragma once

#include <algorithm>
#include <cstring>

#include "support/trial.hpp"

namespace kgen::test {

template <typename T>
T field_of(const Planned& planned, FieldKind kind) {
    T value{};
    for (const BlockField& field : lay_out_block(planned.plan.baked, planned.types.dtypes).fields) {
        if (field.kind == kind)
            std::memcpy(&value, planned.plan.runtime.block.data() + field.offset, sizeof value);
    }
    return value;
}

// Checks that the plan of the same call with arrays that lie 48 bytes further on differs by addresses alone.
template <typename AnyTrial>
void check_moved_block(const AnyTrial& trial) {
    Planned one = plan_of(trial);
    Planned other = plan_of(trial, {.moved = 48});
    CHECK(one.plan.baked == other.plan.baked);
    CHECK(one.plan.runtime.grid == other.plan.runtime.grid);
    CHECK(one.plan.runtime.threads == other.plan.runtime.threads);
    CHECK(one.plan.runtime.shared_bytes == other.plan.runtime.shared_bytes);
    CHECK(one.plan.runtime.scratch.accumulators == other.plan.runtime.scratch.accumulators);
    CHECK(one.plan.runtime.scratch.handed == other.plan.runtime.scratch.handed);
    CHECK(one.plan.runtime.scratch.counters == other.plan.runtime.scratch.counters);
    CHECK(one.plan.runtime.block != other.plan.runtime.block);
    for (const BlockField& field : lay_out_block(one.plan.baked, one.types.dtypes).fields) {
        if (field.kind != FieldKind::data && field.kind != FieldKind::view) continue;
        for (Planned* planned : {&one, &other}) {
            const auto at =
                planned->plan.runtime.block.begin() + static_cast<std::ptrdiff_t>(field.offset);
            std::fill_n(at, 8, std::byte{0});
        }
    }
    CHECK(one.plan.runtime.block == other.plan.runtime.block);
}

}  // namespace kgen::test
