// SPDX-License-Identifier: MIT
//
// Folds of narrow integers by sources generated for a GPU, run on the CPU (support/emulated.hpp), against a
// fold one by one in 64 bits.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/emulated.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

enum class Values : std::uint8_t { random, greatest, least, few };

// A reduction of an array of two axes. The map has the inputs x and, if it names it, y of the same dtype.
struct NarrowCase {
    std::string reduce;
    std::string map;
    DType dtype;
    DType output;
    Dims shape;
    AxisSet axes;
    Values values = Values::random;
    std::string identity = "0";
    std::int64_t shift = 0;  // elements before the array
    std::int64_t step = 1;   // elements from one to the next
    std::string preamble = {};
    AxisSet repeats = 0;               // axes along which y repeats
    std::optional<DType> second = {};  // of y, if it differs
};

std::string describe(const NarrowCase& test) {
    return test.reduce + " of " + test.map + ", " + std::string(to_text(test.dtype)) + " " +
           to_text(test.shape) + " axes " + std::to_string(test.axes) + " shift " +
           std::to_string(test.shift) + " step " + std::to_string(test.step) + " values " +
           std::to_string(static_cast<int>(test.values)) + " y repeats along " +
           std::to_string(test.repeats);
}

std::int64_t least_of(DType dtype) {
    const bool is_signed = kind_of(dtype) == DTypeKind::signed_integer;
    return is_signed ? -(std::int64_t{1} << (8 * item_size(dtype) - 1)) : 0;
}
std::int64_t greatest_of(DType dtype) {
    if (dtype == DType::bool_) return 1;
    const bool is_signed = kind_of(dtype) == DTypeKind::signed_integer;
    return (std::int64_t{1} << (8 * item_size(dtype) - (is_signed ? 1 : 0))) - 1;
}

std::vector<std::int64_t> make_values(const NarrowCase& test, std::mt19937_64& random) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count_of(test.shape)));
    const std::int64_t low = least_of(test.dtype);
    const std::int64_t high = greatest_of(test.dtype);
    for (std::int64_t& value : values) {
        const auto bits = static_cast<std::int64_t>(random() >> 1);
        value = test.values == Values::greatest ? high
                : test.values == Values::least  ? low
                : test.values == Values::few    ? (bits % 1000 == 0 ? high : 0)
                                                : low + bits % (high - low + 1);
    }
    return values;
}

// The array in memory, with unused elements around and between its own.
std::vector<std::byte> stored(const NarrowCase& test,
                              DType dtype,
                              const std::vector<std::int64_t>& values) {
    const std::size_t item = item_size(dtype);
    std::vector<std::byte> bytes((values.size() * static_cast<std::size_t>(test.step) +
                                  static_cast<std::size_t>(test.shift) + 16) *
                                     item,
                                 std::byte{1});
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::size_t at =
            (k * static_cast<std::size_t>(test.step) + static_cast<std::size_t>(test.shift)) * item;
        std::memcpy(&bytes[at], &values[k], item);
    }
    return bytes;
}

std::int64_t mapped(const NarrowCase& test, std::int64_t x, std::int64_t y) {
    if (test.map.find("!=") != test.map.npos) return x != 0 ? 1 : 0;
    if (test.map.find('y') != test.map.npos) return x + y;
    if (test.map == "-x") return -x;
    if (test.map == "x > 3") return x > 3 ? 1 : 0;
    if (test.map == "(signed char)x") return static_cast<signed char>(x);
    if (test.map == "(unsigned)x") return static_cast<std::int64_t>(static_cast<unsigned>(x));
    return x;
}

std::int64_t folded(const NarrowCase& test, std::int64_t a, std::int64_t b) {
    if (!test.preamble.empty()) return a + b;
    if (test.reduce.find("max") == 0 || test.reduce.find("a > b") == 0) return std::max(a, b);
    if (test.reduce.find("min") == 0) return std::min(a, b);
    if (test.reduce == "a || b") return (a != 0 || b != 0) ? 1 : 0;
    if (test.reduce == "a && b") return (a != 0 && b != 0) ? 1 : 0;
    const char sign = test.reduce[2];
    return sign == '+' ? a + b : sign == '|' ? a | b : sign == '&' ? a & b : a ^ b;
}

// Whether a random test runs one of its many cases, each of which compiles a source. All cases are run in a few runs.
bool is_drawn(std::mt19937_64& random) {
    return random() % 6 == 0;
}

// Returns whether the source folds narrow integers in words.
bool check(const NarrowCase& test, std::uint64_t seed) {
    INFO(describe(test) << ", seed " << seed);
    std::mt19937_64 random(seed);
    const bool has_second = test.map.find('y') != test.map.npos;
    std::vector<std::vector<std::int64_t>> inputs{make_values(test, random)};
    const DType dtypes[] = {test.dtype, test.second.value_or(test.dtype)};
    if (has_second) {
        NarrowCase other = test;
        other.dtype = dtypes[1];
        inputs.push_back(make_values(other, random));
    }

    const std::int64_t rows = test.shape[0];
    const std::int64_t columns = test.shape[1];
    const bool folds_rows = (test.axes & 1) != 0;
    const bool folds_columns = (test.axes & 2) != 0;
    const std::int64_t outputs = (folds_rows ? 1 : rows) * (folds_columns ? 1 : columns);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(outputs));
    std::vector<bool> begun(expected.size(), false);
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
            const auto from = static_cast<std::size_t>(row * columns + column);
            const auto to =
                static_cast<std::size_t>((folds_rows ? 0 : row) * (folds_columns ? 1 : columns) +
                                         (folds_columns ? 0 : column));
            const auto second =
                static_cast<std::size_t>((contains(test.repeats, 0) ? 0 : row) * columns +
                                         (contains(test.repeats, 1) ? 0 : column));
            const std::int64_t value =
                mapped(test, inputs[0][from], has_second ? inputs[1][second] : 0);
            expected[to] = begun[to]               ? folded(test, expected[to], value)
                           : test.identity.empty() ? value
                                                   : folded(test, std::stoll(test.identity), value);
            begun[to] = true;
        }
    }

    const auto declared = [&](int k) { return std::string(to_text(dtypes[k])) + " " + "xy"[k]; };
    Definition definition{.name = "narrow",
                          .inputs = declared(0) + (has_second ? ", " + declared(1) : ""),
                          .outputs = std::string(to_text(test.output)) + " z",
                          .operation = test.map,
                          .preamble = test.preamble};
    definition.reduction =
        ReductionTexts{.reduce = test.reduce, .post_map = "z = a", .identity = test.identity};
    Planned planned{.signature = parse_signature(definition)};
    std::vector<ArgumentType> types;
    std::vector<std::vector<std::byte>> memory;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        memory.push_back(stored(test, dtypes[k], inputs[k]));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const auto item = static_cast<std::int64_t>(item_size(dtypes[k]));
        const auto begin = reinterpret_cast<std::uintptr_t>(memory[k].data());
        const AxisSet repeats = k == 0 ? 0 : test.repeats;
        planned.operands.push_back(
            {.dtype = dtypes[k],
             .shape = test.shape,
             .strides = {contains(repeats, 0) ? 0 : columns * test.step * item,
                         contains(repeats, 1) ? 0 : test.step * item},
             .address = begin + static_cast<std::uintptr_t>(test.shift * item)});
        types.push_back({ArgumentType::Kind::array, dtypes[k]});
    }
    const auto out_item = static_cast<std::int64_t>(item_size(test.output));
    std::vector<std::byte> results(static_cast<std::size_t>(outputs * out_item), std::byte{77});
    planned.operands.push_back(
        {.dtype = test.output,
         .written = true,
         .shape = {folds_rows ? 1 : rows, folds_columns ? 1 : columns},
         .strides = {folds_rows ? 0 : (folds_columns ? 1 : columns) * out_item,
                     folds_columns ? 0 : out_item},
         .address = reinterpret_cast<std::uintptr_t>(results.data())});
    types.push_back({ArgumentType::Kind::array, test.output});
    planned.types = resolve_types(planned.signature, types);
    planned.plan = make_plan({.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = test.shape,
                              .reduced_axes = test.axes,
                              .target = {DeviceKind::cuda, "sm_90"},
                              .limits = small_limits()});
    run_emulated(planned);

    std::size_t wrong = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
        std::int64_t result = 0;
        std::memcpy(&result,
                    &results[k * static_cast<std::size_t>(out_item)],
                    static_cast<std::size_t>(out_item));
        std::int64_t wanted = expected[k];
        if (test.output == DType::bool_) wanted = wanted != 0 ? 1 : 0;
        if (out_item < 8) wanted &= (std::int64_t{1} << (8 * out_item)) - 1;
        if (result != wanted && wrong++ == 0) CHECK(result == wanted);
    }
    CHECK(wrong == 0);
    const Source source = generate_source(planned.signature, planned.types, planned.plan.baked);
    return source.text.find("kgen_each_term") != source.text.npos;
}

const Dims rows_of_blocks{9, 20001};
const Dims rows_of_teams{40, 500};
const Dims staged{3000, 37};
const Dims tall{5000, 128};
const Dims short_rows{9001, 5};
constexpr AxisSet along = 2;
constexpr AxisSet down = 1;
constexpr AxisSet all_axes = 3;

}  // namespace

TEST_CASE("sums of narrow integers are exact in every loop for a GPU", "[emulated][reduction]") {
    std::mt19937_64 random(std::random_device{}());
    for (const DType dtype : {DType::bool_, uint8, int8, uint16, int16}) {
        for (const Values values : {Values::random, Values::greatest, Values::least}) {
            for (const auto& [shape, axes] : {std::pair(rows_of_blocks, along),
                                              std::pair(tall, down),
                                              std::pair(short_rows, down)}) {
                if (!is_drawn(random)) continue;
                CHECK(
                    check({"a + b", "(long long)x", dtype, int64, shape, axes, values}, random()));
            }
        }
        if (is_drawn(random)) check({"a + b", "x", dtype, uint64, staged, along}, random());
        if (is_drawn(random)) check({"a + b", "x", dtype, int64, rows_of_teams, along}, random());
        if (is_drawn(random))
            check({"a + b", "(long long)x + int64(y)", dtype, int64, tall, all_axes}, random());
        if (is_drawn(random)) check({"a + b", "x + y", dtype, int32, short_rows, down}, random());
        if (is_drawn(random))
            check({"a + b", "x != 0", dtype, int64, rows_of_blocks, along, Values::few}, random());
        if (is_drawn(random))
            check({"a + b", "x != 0", dtype, int64, tall, down, Values::few}, random());
        if (is_drawn(random)) check({"a + b", "x > 3", dtype, int32, tall, down}, random());
    }
}

TEST_CASE("sums of narrow integers and of repeated ones are exact, and folded in words",
          "[emulated][reduction]") {
    std::mt19937_64 random(std::random_device{}());
    const auto sum = [&](DType dtype, const Dims& shape, AxisSet axes, AxisSet repeats) {
        NarrowCase test{"a + b", "x + y", dtype, int32, shape, axes};
        test.repeats = repeats;
        return check(test, random());
    };
    for (const DType dtype : {DType::bool_, int8, uint16}) {
        CHECK(sum(dtype, rows_of_blocks, along, 2));
        CHECK(sum(dtype, rows_of_blocks, all_axes, 3));
        CHECK(sum(dtype, rows_of_teams, along, 2));
        CHECK(sum(dtype, tall, down, 1));
        CHECK(sum(dtype, tall, down, 2));
        CHECK(sum(dtype, tall, down, 3));
        CHECK(sum(dtype, {9001, 6}, down, 3));
        CHECK(sum(dtype, {9001, 6}, down, 1));
    }
}

TEST_CASE("sums of several narrow dtypes are exact", "[emulated][reduction]") {
    std::mt19937_64 random(std::random_device{}());
    const auto sum = [&](const std::string& map, DType dtype, DType second, Values values) {
        for (const auto& [shape, axes] : {std::pair(rows_of_blocks, along),
                                          std::pair(tall, all_axes),
                                          std::pair(tall, down),
                                          std::pair(short_rows, down),
                                          std::pair(staged, along)}) {
            if (!is_drawn(random)) continue;
            NarrowCase test{"a + b", map, dtype, int64, shape, axes, values};
            test.second = second;
            check(test, random());
        }
    };
    for (const Values values : {Values::random, Values::greatest, Values::least}) {
        sum("(long long)x + (long long)y", DType::bool_, int8, values);
        sum("(long long)x + (long long)y", uint16, int16, values);
        sum("x + y", int8, uint16, values);
        sum("(long long)x + y", uint8, int8, values);
    }
    NarrowCase apart{
        "a + b", "(long long)x", uint16, int64, {4000, 2000}, all_axes, Values::greatest};
    apart.step = 3;
    check(apart, random());
}

TEST_CASE("a thread's columns do not overflow 16 bits", "[emulated][reduction]") {
    const Dims very_tall{200000, 48};
    for (const Values values : {Values::greatest, Values::least}) {
        for (const DType dtype : {uint8, int8})
            CHECK(check({"a + b", "x", dtype, int64, very_tall, down, values}, 1));
    }
    CHECK(check({"a + b", "x + y", uint8, int64, very_tall, down, Values::greatest}, 1));
    CHECK(check({"a + b", "x", int16, int64, {1200000, 8}, down, Values::least}, 1));
}

TEST_CASE("a thread's rows do not overflow 32 bits", "[emulated][reduction]") {
    CHECK(check({"a + b", "x", uint8, int64, {1, 40000000}, all_axes, Values::greatest}, 1));
}

TEST_CASE("extremes of narrow integers are exact in every loop for a GPU",
          "[emulated][reduction]") {
    std::mt19937_64 random(std::random_device{}());
    for (const DType dtype : {DType::bool_, uint8, int8, uint16, int16, uint32, int32}) {
        const bool is_signed = kind_of(dtype) == DTypeKind::signed_integer;
        const DType output = is_signed ? int64 : uint64;
        for (const std::string reduce : {"max(a, b)", "min(a, b)"}) {
            for (const auto& [shape, axes] : {std::pair(rows_of_blocks, along),
                                              std::pair(tall, down),
                                              std::pair(short_rows, down),
                                              std::pair(staged, along)})
                if (is_drawn(random))
                    check({reduce, "x", dtype, output, shape, axes, Values::random, ""}, random());
        }
        if (is_drawn(random))
            check(
                {"a > b || a != a ? a : b", "x", dtype, output, tall, all_axes, Values::least, ""},
                1);
    }
    // An identity, a map that is no input, a misaligned array, and one with gaps.
    check({"max(a, b)", "x", int8, int64, tall, all_axes, Values::random, "5"}, random());
    check({"max(a, b)", "-x", uint8, int64, tall, down, Values::random, ""}, random());
    check({"max(a, b)", "x", int8, int64, tall, down, Values::least, "", 3}, random());
    check({"max(a, b)", "x", int16, int64, {300, 301}, down, Values::random, "", 1, 3}, random());
}

TEST_CASE("operations on bits of narrow integers are exact in every loop for a GPU",
          "[emulated][reduction]") {
    std::mt19937_64 random(std::random_device{}());
    for (const DType dtype : {DType::bool_, uint8, int8, int16, uint32}) {
        for (const std::string reduce : {"a | b", "a & b", "a ^ b", "a || b", "a && b"}) {
            const std::string identity = reduce[2] == '&' ? "" : "0";
            if (is_drawn(random))
                check({reduce, "x", dtype, int64, rows_of_teams, along, Values::few, identity},
                      random());
            if (is_drawn(random))
                check({reduce, "x", dtype, int64, tall, down, Values::random, identity}, random());
            check({reduce,
                   "x != 0",
                   dtype,
                   DType::bool_,
                   rows_of_blocks,
                   along,
                   Values::few,
                   identity},
                  random());
            check(
                {reduce, "x != 0", dtype, DType::bool_, short_rows, down, Values::random, identity},
                random());
        }
    }
}

TEST_CASE("casts and calls that change values are folded as they are written",
          "[emulated][reduction]") {
    check({"a + b", "(signed char)x", uint8, int64, tall, all_axes, Values::greatest}, 1);
    check({"a + b", "(unsigned)x", int8, int64, tall, down, Values::least}, 1);
    // The program's own max is a sum.
    NarrowCase own{"max(a, b)", "x", uint8, int64, tall, all_axes, Values::greatest, "0"};
    own.preamble = "#define max(a, b) ((a) + (b))";
    check(own, 1);
}
