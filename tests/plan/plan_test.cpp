// SPDX-License-Identifier: MIT
#include "plan/plan.hpp"

#include <algorithm>
#include <cstring>
#include <kgen/error.hpp>

#include "plan/plan_cuda.hpp"
#include "support/catch.hpp"
#include "support/choice.hpp"

using namespace kgen;

namespace {

constexpr std::uintptr_t base = std::uintptr_t{1} << 40;

// A plan of "T x, T y -> T z" for CUDA, with its inputs.
struct Planned {
    Signature signature;
    TypeBinding types;
    std::vector<Operand> operands;
    Plan plan;
};

Operand array_at(
    std::uintptr_t address, DType dtype, Dims shape, Dims strides, bool written = false) {
    return {
        .dtype = dtype, .written = written, .shape = shape, .strides = strides, .address = address};
}

Planned plan_for(std::vector<Operand> operands,
                 const Dims& loop,
                 const std::string& operation = "z = x + y",
                 DeviceKind device = DeviceKind::cuda,
                 std::optional<int> block_size = {}) {
    Planned planned{
        .signature = parse_signature(
            {.name = "k", .inputs = "T x, U y", .outputs = "V z", .operation = operation}),
        .types = {},
        .operands = std::move(operands),
        .plan = {}};
    for (const Operand& operand : planned.operands) planned.types.dtypes.push_back(operand.dtype);
    planned.plan = make_plan({.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = loop,
                              .target = {device, "sm_90"},
                              .block_size = block_size});
    return planned;
}

std::vector<Operand> contiguous(DType dtype, std::int64_t count, std::uintptr_t offset = 0) {
    const auto item = static_cast<std::int64_t>(item_size(dtype));
    const std::uintptr_t apart = std::uintptr_t{1} << 38;
    return {array_at(base + offset, dtype, {count}, {item}),
            array_at(base + apart, dtype, {count}, {item}),
            array_at(base + 2 * apart, dtype, {count}, {item}, true)};
}

std::int64_t field(const Planned& planned, FieldKind kind, int operand = -1) {
    for (const BlockField& field : lay_out_block(planned.plan.baked, planned.types.dtypes).fields) {
        if (field.kind != kind || field.operand != operand) continue;
        std::int64_t value = 0;
        std::memcpy(&value, planned.plan.runtime.block.data() + field.offset, sizeof value);
        return value;
    }
    return -1;
}

}  // namespace

TEST_CASE("contiguous CUDA loops read 16 bytes of the widest dtype", "[plan]") {
    struct Case {
        DType dtype;
        int vector;
    };
    for (const Case& row : {Case{uint8, 16},
                            {bool_, 16},
                            {float16, 8},
                            {int16, 8},
                            {float32, 4},
                            {float64, 2},
                            {complex64, 2},
                            {complex128, 1}}) {
        const Plan plan = plan_for(contiguous(row.dtype, 1 << 20), {1 << 20}).plan;
        CHECK(plan.baked.loop == LoopKind::flat);
        CHECK(plan.baked.vector == row.vector);
        const std::int64_t tile = 256 * row.vector * plan.baked.as<FlatChoice>().accesses;
        CHECK(plan.runtime.grid == ((1 << 20) + tile - 1) / tile);
    }
}

TEST_CASE("arrays that are misaligned alike are read by vectors from before their begin",
          "[plan]") {
    std::vector<Operand> operands = contiguous(float32, 1000);
    for (Operand& operand : operands) operand.address += 12;
    const Planned alike = plan_for(operands, {1000});
    CHECK(alike.plan.baked.vector == 4);
    CHECK(test::is_shifted(alike.plan.baked));
    CHECK(field(alike, FieldKind::shift) == 3);
    for (const BakedOperand& operand : alike.plan.baked.operands)
        CHECK(operand.access == Access::vector);
    // Shifted tiles begin three elements before the array, so the last elements need one more tile.
    CHECK(plan_for(contiguous(float32, 1024), {1024}).plan.runtime.grid == 1);
    CHECK(plan_for(
              [&] {
                  std::vector<Operand> longer = contiguous(float32, 1024 * 1024);
                  for (Operand& operand : longer) operand.address += 12;
                  return longer;
              }(),
              {1024 * 1024})
              .plan.runtime.grid == 1025);
}

TEST_CASE("an array that is misaligned unlike the outputs is accessed by single elements",
          "[plan]") {
    std::vector<Operand> operands = contiguous(float32, 1000);
    operands[0].address += 4;
    const Plan input = plan_for(operands, {1000}).plan;
    CHECK(input.baked.vector == 4);
    CHECK_FALSE(test::is_shifted(input.baked));
    CHECK(input.baked.operands[0].access == Access::singles);
    CHECK(input.baked.operands[1].access == Access::vector);
    CHECK(input.baked.operands[2].access == Access::vector);
    operands = contiguous(float32, 1000);
    operands[2].address += 8;
    const Planned output = plan_for(operands, {1000});
    CHECK(field(output, FieldKind::shift) == 2);
    CHECK(output.plan.baked.operands[0].access == Access::singles);
    CHECK(output.plan.baked.operands[2].access == Access::vector);
}

TEST_CASE("bodies that take an address or are long are given single elements", "[plan]") {
    const Plan references = plan_for(contiguous(float32, 1000), {1000}, "f(&z)").plan;
    CHECK(references.baked.by_reference);
    CHECK(references.baked.vector == 1);
    // References lead to memory, so a thread has one element also where inputs lie across each other.
    const Dims large{51749, 91, 8};
    std::vector<Operand> across = contiguous(float32, 1);
    const Dims strides[] = {{4, 1655968, 206996}, {2912, 4, 364}, {2912, 32, 4}};
    for (std::size_t k = 0; k < 3; ++k) {
        across[k].shape = large;
        across[k].strides = strides[k];
    }
    CHECK(plan_for(across, large, "f(&z); z = x + y").plan.baked.as<FlatChoice>().accesses == 1);
    std::string body = "z = x";
    for (int k = 0; k < 1200; ++k) body += " + x";
    CHECK(plan_for(contiguous(uint8, 1000), {1000}, body).plan.baked.vector == 1);
}

TEST_CASE("an operand is read-only exactly where nothing written reaches it", "[plan]") {
    std::vector<Operand> operands = contiguous(float32, 1000);
    CHECK(plan_for(operands, {1000}).plan.baked.operands[0].loads == Loads::read_only);
    CHECK(plan_for(operands, {1000}).plan.baked.operands[2].loads == Loads::plain);
    operands[0].address = operands[2].address;  // in place
    CHECK(plan_for(operands, {1000}).plan.baked.operands[0].loads == Loads::plain);
    CHECK(plan_for(operands, {1000}).plan.baked.operands[1].loads == Loads::read_only);
    operands[0].address = operands[2].address - 3999;  // one byte is shared
    CHECK(plan_for(operands, {1000}).plan.baked.operands[0].loads == Loads::plain);
    operands[0].address = operands[2].address - 4000;  // no byte is shared
    CHECK(plan_for(operands, {1000}).plan.baked.operands[0].loads == Loads::read_only);
}

TEST_CASE("offsets have 32 bits exactly while all spans and the count allow it", "[plan]") {
    const std::int64_t limit = (std::int64_t{1} << 31) - 1;
    const auto width_for = [&](const Dims& loop, const Dims& x_strides) {
        std::vector<Operand> operands = contiguous(uint8, 1);
        operands[0] = array_at(base, uint8, loop, x_strides);
        operands[1] = array_at(base, uint8, {1}, {1});
        operands[2] = array_at(std::uintptr_t{1} << 45, uint8, loop, {loop[1] * 2, 2}, true);
        return plan_for(operands, loop).plan.baked.width;
    };
    CHECK(width_for({2, 3}, {1, 2}) == IndexWidth::bits32);
    CHECK(width_for({2, 3}, {limit - 5, 2}) == IndexWidth::bits32);  // spans 2^31 - 1
    CHECK(width_for({2, 3}, {limit - 4, 2}) == IndexWidth::bits64);  // spans 2^31
    CHECK(width_for({2, 3}, {-limit, 2}) == IndexWidth::bits64);
    CHECK(width_for({1 << 16, 1 << 15}, {0, 0}) == IndexWidth::bits64);  // 2^31 elements
}

TEST_CASE("a loop of no element launches nothing, and one of rank 0 one element", "[plan]") {
    std::vector<Operand> operands = contiguous(float32, 0);
    CHECK(plan_for(operands, {0}).plan.runtime.count == 0);
    for (Operand& operand : operands) operand.shape = operand.strides = {};
    const Plan plan = plan_for(operands, {}).plan;
    CHECK(plan.runtime.count == 1);
    CHECK(plan.runtime.grid == 1);
}

TEST_CASE("reversed operands begin at their last element", "[plan]") {
    std::vector<Operand> operands = contiguous(float32, 100);
    for (Operand& operand : operands) {
        operand.address += 99 * 4;
        operand.strides = {-4};
    }
    const Planned planned = plan_for(operands, {100});
    CHECK(planned.plan.baked.loop == LoopKind::flat);
    CHECK(field(planned, FieldKind::data, 0) == static_cast<std::int64_t>(base));
    // With `i`, the walk follows memory too, and the index is counted backwards.
    const Planned counted = plan_for(operands, {100}, "z = x + i");
    CHECK(counted.plan.baked.loop == LoopKind::flat);
    CHECK(counted.plan.baked.moves_index);
    CHECK(counted.plan.baked.operands[0].access == Access::vector);
    CHECK(field(counted, FieldKind::data, 0) == static_cast<std::int64_t>(base));
    // A body that keeps state sees its elements in C order.
    const Planned kept = plan_for(operands, {100}, "static int k; z = x + i + k++");
    CHECK_FALSE(kept.plan.baked.moves_index);
}

TEST_CASE("launches over the limits are refused with both numbers", "[plan]") {
    std::vector<Operand> operands = contiguous(float32, 1);
    const Dims loop{std::int64_t{1} << 40};
    for (Operand& operand : operands) {
        operand.shape = loop;
        operand.strides = {0};
    }
    CHECK(KGEN_MESSAGE_OF(ShapeError, plan_for(operands, loop, "z = f(&x)", DeviceKind::cuda, 1)) ==
          "kernel 'k': 1099511627776 elements need 1099511627776 blocks of 1 threads, at most "
          "2147483647 can be "
          "launched");
}

TEST_CASE("a body with shared memory of its own gets no tiles in shared memory", "[plan]") {
    const Dims loop{4096, 4096};
    std::vector<Operand> operands = contiguous(float32, 1);
    operands[0] = array_at(base, float32, loop, {4, 16384});
    operands[1] = array_at(2 * base, float32, loop, {16384, 4});
    operands[2] = array_at(3 * base, float32, loop, {16384, 4}, true);
    CHECK(plan_for(operands, loop).plan.baked.loop == LoopKind::shared_tiles);
    CHECK(plan_for(operands, loop, "__shared__ float t[9]; z = x + t[0]").plan.baked.loop !=
          LoopKind::shared_tiles);
}

TEST_CASE("a loop of no element is within every limit, however long its other axes are", "[plan]") {
    const std::int64_t many = std::int64_t{1} << 40;
    std::vector<Operand> operands = contiguous(float32, 1);
    operands[0] = array_at(base, float32, {many, 1, 1}, {4, 4, 4});
    operands[1] = array_at(2 * base, float32, {16}, {4});
    operands[2] = array_at(3 * base, float32, {many, 0, 16}, {64, 64, 4}, true);
    CHECK(plan_for(operands, {many, 0, 16}).plan.runtime.grid == 0);
}

TEST_CASE("plans that differ have keys that differ", "[plan]") {
    const Baked plain = plan_for(contiguous(float32, 1000), {1000}).plan.baked;
    std::vector<Baked> others(16, plain);
    others[0].kept = 1;
    others[1].loop = LoopKind::vector_rows;
    others[2].rank = 2;
    others[3].width = IndexWidth::bits32;
    others[4].vector = 2;
    others[5].choice = FlatChoice{.accesses = 4};
    others[6].block_bound = 1024;
    others[7].by_reference = true;
    others[8].logical_rank = 3;
    others[9].output_rank = 2;
    others[10].choice = FlatChoice{.shifted = true};
    others[11].counted = true;
    others[12].index_width = IndexWidth::bits32;
    others[13].narrow_index = true;
    others[14].choice = SharedTilesChoice{};
    others[15].choice = SharedTilesChoice{.straight = true};
    for (std::size_t k = 0; k < 10; ++k) {
        Baked other = plain;
        BakedOperand& operand = other.operands[0];
        if (k == 0) operand.kind = OperandKind::raw;
        if (k == 1) operand.inner = StrideClass::strided;
        if (k == 2) operand.loads = Loads::plain;
        operand.viewed = (k >= 3 && k < 6) || k == 8;
        if (k == 3) operand.view_rank = 2;
        if (k == 4) operand.view_contiguous = true;
        if (k == 5) operand.view_width = IndexWidth::bits32;
        if (k == 6) operand.access = Access::shared;
        if (k == 7) operand.repeats = true;
        if (k == 8) operand.view_wraps = true;
        if (k == 9) operand.step = 2;
        others.push_back(other);
    }
    for (const DeviceKind device : {DeviceKind::cuda, DeviceKind::host}) {
        Baked folds;
        folds.device = device;
        folds.loop = LoopKind::reduced_rows;
        for (const ReducedRowsChoice& choice : {ReducedRowsChoice{},
                                                ReducedRowsChoice{.accesses = 2},
                                                ReducedRowsChoice{.block_team = true},
                                                ReducedRowsChoice{.shifted = true},
                                                ReducedRowsChoice{.split = true}}) {
            folds.choice = choice;
            others.push_back(folds);
        }
        folds.loop = LoopKind::reduced_columns;
        for (const ReducedColumnsChoice& choice : {ReducedColumnsChoice{},
                                                   ReducedColumnsChoice{.accesses = 2},
                                                   ReducedColumnsChoice{.wide = true},
                                                   ReducedColumnsChoice{.split = true}}) {
            folds.choice = choice;
            others.push_back(folds);
        }
    }
    std::vector<std::string> keys = {to_key(plain)};
    for (const Baked& other : others) keys.push_back(to_key(other));
    std::sort(keys.begin(), keys.end());
    CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}

TEST_CASE("outputs that begin at different places of a vector are stored by shorter vectors",
          "[plan]") {
    constexpr std::int64_t count = std::int64_t{1} << 25;
    const auto plan_of_copies = [](std::uintptr_t elements_behind, std::int64_t extent) {
        const Signature signature = parse_signature({.name = "k",
                                                     .inputs = "T x, T y",
                                                     .outputs = "T v, T w",
                                                     .operation = "v = x; w = y"});
        TypeBinding types;
        for (int k = 0; k < 4; ++k) types.dtypes.push_back(DType::int16);
        std::vector<Operand> operands;
        for (std::uintptr_t k = 0; k < 4; ++k)
            operands.push_back(array_at(base + (k << 38) + (k == 2 ? 2 * elements_behind : 0),
                                        DType::int16,
                                        {extent},
                                        {2},
                                        k >= 2));
        return make_plan({.signature = signature,
                          .types = types,
                          .operands = operands,
                          .loop = {extent},
                          .target = {DeviceKind::cuda, "sm_90"}})
            .baked;
    };
    for (const std::uintptr_t behind : {1, 2, 3, 4, 5, 6, 7, 9, 10}) {
        const Baked baked = plan_of_copies(behind, count);
        INFO(behind << " elements behind: " << to_key(baked));
        CHECK(baked.vector == static_cast<int>(std::min<std::uintptr_t>(behind & -behind, 4)));
        for (const BakedOperand& operand : baked.operands) CHECK(operand.access == Access::vector);
    }
    CHECK(plan_of_copies(0, count).vector == 8);
    CHECK(plan_of_copies(8, count).vector == 8);
    CHECK(plan_of_copies(2, 1000).operands[2].access == Access::singles);
}
