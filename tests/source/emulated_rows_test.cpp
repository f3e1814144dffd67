// SPDX-License-Identifier: MIT
//
// Row kernels that are generated for a GPU, run on the CPU (support/emulated.hpp), on arrays that lie between inaccessible
// pages. The host device computes the same statement.
#include <cmath>
#include <kgen/kgen.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "api/statement_table.hpp"
#include "support/catch.hpp"
#include "support/emulated.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

Array exact_array(const Dims& shape, DType dtype, Edge edge) {
    const auto bytes = static_cast<std::size_t>(extent_product(shape)) * item_size(dtype);
    const auto memory = exact_host_memory(bytes, edge);
    return Array::view(memory.get(), dtype, shape, {.device = Device::host(), .owner = memory});
}

// Plans the only kernel of a statement whose one result has the shape of the rows, and runs it.
Baked run_rows(const Expression& expression,
               const Array& result,
               const Dims& loop,
               int along,
               std::string_view loop_name) {
    const TapeHolder tape;
    tape->append(detail::ExpressionAccess::tape(expression));
    const Statement& statement = find_statement(*tape, Joining::rows).statement;
    REQUIRE(statement.steps.size() == 1);
    const Step& step = statement.steps[0];
    Planned planned{.signature = parse_signature(step.definition)};
    std::vector<ArgumentType> types;
    for (const StepInput& input : step.inputs) {
        if (input.from == StepInput::From::number) {
            Operand& operand = planned.operands.emplace_back();
            operand.kind = OperandKind::scalar;
            operand.dtype = *planned.signature.parameters[planned.operands.size() - 1].dtype;
            convert_scalar(tape->numbers[input.index], operand.dtype, operand.scalar.data());
            types.push_back({ArgumentType::Kind::scalar, operand.dtype});
        } else {
            planned.operands.push_back(operand_of(tape->arrays[input.index], false));
            types.push_back({ArgumentType::Kind::array, planned.operands.back().dtype});
        }
    }
    planned.operands.push_back(operand_of(result, true));
    types.push_back({ArgumentType::Kind::array, result.dtype()});
    planned.types = resolve_types(planned.signature, types);
    planned.plan = make_plan({.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = loop,
                              .reduced_axes = AxisSet{1} << along,
                              .target = {DeviceKind::cuda, "sm_80"},
                              .limits = small_limits(),
                              .loop_name = loop_name});
    run_emulated(planned);
    return planned.plan.baked;
}

std::string way_of(const Baked& baked) {
    if (const auto* rows = std::get_if<FusedRowsChoice>(&baked.choice))
        return std::string(rows->team > 32 ? "blocks" : "teams") +
               (rows->spread     ? ", spread"
                : rows->held > 0 ? ""
                                 : ", again") +
               (rows->shifted ? ", shifted" : "") + (rows->packed ? ", packed" : "");
    const auto& columns = baked.as<FusedColumnsChoice>();
    return std::string(columns.dense ? "dense columns" : "columns") +
           (columns.spread     ? ", spread"
            : columns.held > 0 ? ""
                               : ", again") +
           (columns.shifted ? ", shifted" : "") + (columns.packed ? ", packed" : "");
}

}  // namespace

TEST_CASE("row kernels for a GPU access only their arrays and compute what the host computes",
          "[rows][emulated]") {
    std::mt19937_64 random(20261127);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    std::set<std::string> ways;
    constexpr int count = rounds(20);
    const auto check = [&](int trial, const Dims& shape, DType dtype, int axis_of) {
        const Edge edge = trial % 3 == 0 ? Edge::begin : Edge::end;
        const Array x = exact_array(shape, dtype, edge);
        std::vector<float> values(static_cast<std::size_t>(x.size()));
        for (float& each : values) each = std::normal_distribution<float>()(random);
        x.assign(
            from_host(values.data(), float32, shape, {.device = Device::host()}).astype(dtype));
        Dims row = Dims::filled(shape.rank(), 1);
        row[axis_of] = shape[axis_of];
        const Array weight = exact_array(row, dtype, Edge::end);
        weight.assign(full(row, 1.5, dtype, {.device = Device::host()}));
        Dims of_rows;
        for (int k = 0; k < shape.rank(); ++k)
            if (k != axis_of) of_rows.push_back(shape[k]);
        const Array result = exact_array(trial == -2 ? of_rows : shape, dtype, Edge::end);
        const Array same = exact_array(shape, dtype, edge);
        same.assign(x);
        const auto statement = [&]() -> Expression {
            if (trial == -2) return sum(x, axis(axis_of)) / sum(x * x + 1, axis(axis_of));
            if (trial < 0) return softmax(x + same, axis(axis_of));
            if (trial % 2 == 0) return softmax(x, axis(axis_of));
            return layer_norm(x, axis(axis_of)) * weight;
        };
        INFO(to_text(shape) << " along " << axis_of << ", " << to_text(dtype) << ", trial "
                            << trial);
        const bool is_across = axis_of + 1 < shape.rank() && trial % 4 != 3;
        const Baked baked = run_rows(
            statement(), result, shape, axis_of, is_across ? "fused_columns" : "fused_rows");
        INFO(describe_loop(baked));
        ways.insert(way_of(baked));
        const Array expected = statement();
        const double unit = dtype == bfloat16 ? 0x1p-7 : dtype == float32 ? 0x1p-20 : 0x1p-44;
        const double gap =
            max(abs(result.astype(float64) - expected.astype(float64))).item<double>();
        CHECK(gap <= 4 * unit);
    };
    for (int trial = 0; trial < count; ++trial) {
        const DType dtypes[] = {float32, float32, bfloat16, float64};
        const DType dtype = dtypes[pick(0, 3)];
        const int rank = static_cast<int>(pick(1, 3));
        Dims shape;
        for (int k = 0; k < rank; ++k) shape.push_back(pick(1, 9));
        const int along = static_cast<int>(trial % 2 == 0 ? rank - 1 : pick(0, rank - 1));
        constexpr std::int64_t lengths[] = {7, 63, 1, 45, 333, 1000, 4096, 9001, 128, 40001};
        shape[along] = lengths[trial % 10];
        if (extent_product(shape) > 200000) shape = {shape[along], 3};
        check(trial, shape, dtype, shape.rank() == 2 && rank != 2 ? 0 : along);
    }
    // Rows that are too long for the registers of a block and too short for several blocks, and long ones.
    check(-1, {3, 20000}, float32, 1);
    check(-1, {3, 20001}, float32, 1);
    check(-2, {1400, 64}, bfloat16, 0);
    // Narrow elements that are kept as they were read.
    check(2, {40001}, bfloat16, 0);
    check(2, {8000, 8}, bfloat16, 0);
    check(2, {999, 3}, bfloat16, 0);
    check(-3, {2, 50000}, float32, 1);
    check(1, {2, 100001}, bfloat16, 1);
    check(1, {5, 3000, 12}, float32, 1);
    // Rows beside each other that are read as they lie in memory.
    check(0, {9, 1500, 13}, float32, 1);
    check(0, {9, 1501, 13}, float32, 1);
    check(-1, {40001, 5}, float32, 0);
    check(-1, {70000, 37}, float32, 0);
    if (count >= 30)
        CHECK(ways == std::set<std::string>{"blocks",
                                            "blocks, again",
                                            "blocks, shifted",
                                            "blocks, again, shifted",
                                            "blocks, shifted, packed",
                                            "blocks, spread",
                                            "blocks, spread, shifted",
                                            "columns",
                                            "columns, again",
                                            "columns, packed",
                                            "columns, spread",
                                            "dense columns",
                                            "dense columns, spread",
                                            "dense columns, spread, shifted",
                                            "teams",
                                            "teams, shifted"});
}

TEST_CASE("row kernels for a GPU draw the numbers of their elements", "[rows][random][emulated]") {
    const DeviceScope scope(Device::host());
    std::mt19937_64 random(std::random_device{}());
    std::set<std::string> ways;
    const auto check = [&](const Dims& shape, int along, Edge edge, std::string_view loop) {
        const std::uint64_t seed = random();
        INFO(to_text(shape) << " along " << along << ", seed " << seed);
        const Array x = exact_array(shape, float32, edge);
        x.assign(zeros(shape, float32));
        const Array result = exact_array(shape, float32, edge);
        Generator rng(seed), separate(seed);
        const Array noise = separate.uniform(like(x));
        const Array chosen = separate.uniform(like(x));
        Expression largest = max(x + rng.uniform(like(x)), axis(along), keepdims);
        Expression most = max(rng.uniform(like(x)), axis(along), keepdims);
        const Baked baked =
            run_rows(Generator(seed).uniform(like(x)) + std::move(largest) * std::move(most),
                     result,
                     shape,
                     along,
                     loop);
        ways.insert(way_of(baked) + (baked.draws_neighbours ? ", shared" : ""));
        const Array expected = noise + Array(max(noise, axis(along), keepdims)) *
                                           Array(max(chosen, axis(along), keepdims));
        CHECK(max(abs(result - expected)).item<float>() <= 2e-6f);
    };
    for (const Edge edge : {Edge::begin, Edge::end}) {
        check({30, 72}, 1, edge, "fused_rows");
        check({30, 71}, 1, edge, "fused_rows");
        check({3, 4096}, 1, edge, "fused_rows");
        check({3, 20001}, 1, edge, "fused_rows");
        check({2, 50000}, 1, edge, "fused_rows");
        check({5, 7, 12}, 1, edge, "fused_columns");
        check({999, 3}, 0, edge, "fused_columns");
        check({1000, 64}, 0, edge, "fused_columns");
    }
    CHECK(ways == std::set<std::string>{"blocks, again, shifted",
                                        "blocks, again, shifted, shared",
                                        "blocks, shared",
                                        "blocks, spread, shared",
                                        "columns",
                                        "teams, shared",
                                        "teams, shifted",
                                        "teams, shifted, shared"});
}

TEST_CASE("row kernels for a GPU find the places of extremes", "[rows][emulated]") {
    const DeviceScope scope(Device::host());
    std::mt19937_64 random(std::random_device{}());
    const auto check = [&](const Dims& shape, int along, std::string_view loop) {
        INFO(to_text(shape) << " along " << along);
        const Array x = exact_array(shape, float32, Edge::end);
        std::vector<float> values(static_cast<std::size_t>(x.size()));
        for (float& each : values) each = static_cast<float>(random() % 40);
        x.assign(from_host(values.data(), float32, shape, {.device = Device::host()}));
        const Array result = exact_array(shape, float32, Edge::end);
        run_rows(x + astype(argmax(x, axis(along), keepdims) - argmin(x, axis(along), keepdims),
                            float32),
                 result,
                 shape,
                 along,
                 loop);
        const Array most = argmax(x, axis(along), keepdims);
        const Array least = argmin(x, axis(along), keepdims);
        CHECK(array_equal(result, Array(x + astype(most - least, float32))));
    };
    check({30, 72}, 1, "fused_rows");
    check({30, 71}, 1, "fused_rows");
    check({3, 20001}, 1, "fused_rows");
    check({2, 50000}, 1, "fused_rows");
    check({5, 7, 12}, 1, "fused_columns");
    check({999, 3}, 0, "fused_columns");
}

// In rows that begin anywhere, such arrays are read element by element beside vectors of others.
TEST_CASE("row kernels read arrays that lie unlike each other in memory", "[rows][emulated]") {
    using namespace indexing;
    std::mt19937_64 random(20261128);
    const auto part_of = [&](const Dims& shape, DType dtype, int way) {
        const std::int64_t length = shape[1], step = way == 2 ? 2 : 1;
        const Dims whole = {shape[0], way == 0 ? length : length * step + 3};
        std::vector<float> values(static_cast<std::size_t>(extent_product(whole)));
        for (float& each : values) each = static_cast<float>(1 + random() % 9);
        const Array x = exact_array(whole, dtype, Edge::end);
        x.assign(
            from_host(values.data(), float32, whole, {.device = Device::host()}).astype(dtype));
        if (way == 0) return x;
        const Array part = x[{ellipsis, s(way, way + length * step, step)}];
        return way == 3 ? part[{ellipsis, s({}, {}, -1)}] : part;
    };
    std::set<std::string> ways;
    for (const DType dtype : {float32, float16}) {
        for (int k = 0; k < 16; ++k) {
            const Dims shape = {k % 3 == 0 ? 1 : 5, k % 2 == 0 ? 143 : 281};
            const Array x = part_of(shape, dtype, k % 4), y = part_of(shape, dtype, k / 4);
            const Array result = exact_array(shape, dtype, Edge::end);
            const auto statement = [&]() -> Expression {
                return minimum(x - mean(x, axis(1), keepdims), y);
            };
            INFO(to_text(dtype) << ", " << to_text(shape) << ", ways " << k % 4 << " and "
                                << k / 4);
            ways.insert(way_of(run_rows(statement(), result, shape, 1, "fused_rows")));
            CHECK(allclose(result, Array(statement()), {.rtol = 1e-2, .atol = 1e-2}));
        }
    }
    CHECK(ways.count("blocks, shifted") == 1);
}
