// SPDX-License-Identifier: MIT
//
// The loops that copy arrays through shared memory with outputs in any layout, run on the CPU and compared with a loop
// over indices: turned and strided outputs, old values that the body keeps, rows that begin anywhere, tiles
// over several axes.
#include <cstring>
#include <map>
#include <random>
#include <string>

#include "plan/loop_table.hpp"
#include "support/catch.hpp"
#include "support/emulated.hpp"
#include "support/planned_block.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// An array in memory that begins or ends at an inaccessible page.
struct ExactPart {
    Part part;
    std::shared_ptr<std::byte> memory;
    std::size_t bytes = 0;
    std::int64_t first = 0;  // distance from the begin of the memory to the element at index 0

    std::byte* at(std::int64_t element) const {
        std::int64_t place = first;
        for (int axis = part.shape.rank() - 1; axis >= 0; --axis) {
            place += element % part.shape[axis] * part.strides[axis];
            element /= part.shape[axis];
        }
        return memory.get() + place;
    }
};

ExactPart make_exact(const Part& part, Edge edge, std::mt19937_64& random) {
    ExactPart made{.part = part};
    std::int64_t low = 0;
    std::int64_t high = static_cast<std::int64_t>(item_size(part.dtype));
    for (int axis = 0; axis < part.shape.rank(); ++axis) {
        const std::int64_t far = (part.shape[axis] - 1) * part.strides[axis];
        (far < 0 ? low : high) += far;
    }
    made.first = part.shift - low;
    made.bytes = static_cast<std::size_t>(high - low + part.shift);
    // The end is aligned for an element, because vectors of the host need aligned elements.
    made.memory = exact_host_memory((made.bytes + 15) / 16 * 16, edge);
    if (edge == Edge::end) {
        const std::size_t item = item_size(part.dtype);
        const std::size_t slack = ((made.bytes + 15) / 16 * 16 - made.bytes) / item * item;
        made.first += static_cast<std::int64_t>(slack);
        made.bytes += slack;
    }
    for (std::size_t k = 0; k < made.bytes; ++k)
        made.memory.get()[k] = static_cast<std::byte>(random() & 1);
    return made;
}

std::int64_t value_at(const ExactPart& part, std::int64_t element) {
    std::int64_t value = 0;
    std::memcpy(&value, part.at(element), item_size(part.part.dtype));
    return value;
}

struct Body {
    std::string text;
    std::int64_t (*y)(std::int64_t a, std::int64_t b, std::int64_t y, std::int64_t i);
    std::int64_t (*z)(std::int64_t a, std::int64_t b, std::int64_t z, std::int64_t i);
};

const Body bodies[] = {
    {"y = a; z = b",
     [](auto a, auto, auto, auto) { return a; },
     [](auto, auto b, auto, auto) { return b; }},
    {"y = a + b; if (b & 1) z += a",
     [](auto a, auto b, auto, auto) { return a + b; },
     [](auto a, auto b, auto z, auto) { return b & 1 ? z + a : z; }},
    {"if (a & 1) y = b; z = i % 7 + a",
     [](auto a, auto b, auto y, auto) { return a & 1 ? b : y; },
     [](auto a, auto, auto, auto i) { return i % 7 + a; }},
    {"if (i % 3 == 0) continue; y += a; z = b * 2",
     [](auto a, auto, auto y, auto i) { return i % 3 == 0 ? y : y + a; },
     [](auto, auto b, auto z, auto i) { return i % 3 == 0 ? z : b * 2; }},
    {"y = _ind.get()[0] % 5 + a; z = y + b", nullptr, nullptr},
    {"const Y twice = a * 2; y += twice; z = i % 7 + b",
     [](auto a, auto, auto y, auto) { return y + a * 2; },
     [](auto, auto b, auto, auto i) { return i % 7 + b; }},
    {"y = b; z = a + b",
     [](auto, auto b, auto, auto) { return b; },
     [](auto a, auto b, auto, auto) { return a + b; }},
};

class RandomTiles {
public:
    explicit RandomTiles(std::uint64_t seed) : random_(seed) {}

    // Returns the kind of plan after the check, or nothing if the loop cannot run the call.
    std::string check() {
        static constexpr const char* loops[] = {"shared_tiles", "staged_runs", "parts"};
        const std::string loop = loops[pick(0, 2)];
        const Body& body = bodies[pick(0, 6)];
        static constexpr DType mixes[][4] = {{uint8, uint8, uint8, uint8},
                                             {uint16, uint8, uint16, uint8},
                                             {int16, int16, int16, int16},
                                             {int32, int32, int32, int32},
                                             {uint8, int32, uint8, int32},
                                             {uint8, uint8, int64, uint8},
                                             {int64, int64, int64, int64}};
        const DType* mix = mixes[pick(0, 6)];
        // Threads of small calls handle single elements instead of vectors.
        const bool is_large = pick(0, 2) == 0;
        const int rank = static_cast<int>(pick(2, is_large ? 3 : 6));
        Dims shape;
        const std::int64_t most = rank == 2 ? 300 : rank == 3 ? 40 : rank == 4 ? 12 : 6;
        for (int axis = 0; axis < rank; ++axis)
            shape.push_back(pick(0, loop == "staged_runs" ? 1 : 5) == 0 ? pick(1, 5)
                                                                        : pick(1, most));
        if (is_large)
            shape = rank == 2 ? Dims{pick(400, 900), pick(50, 112) * 8}
                              : Dims{pick(2, 5), pick(200, 500), pick(25, 50) * 8};
        else if (loop == "staged_runs")
            shape[static_cast<int>(pick(0, rank - 1))] = pick(32, 200);
        const Edge edge = pick(0, 1) == 0 ? Edge::end : Edge::begin;
        std::vector<ExactPart> parts;
        for (int k = 0; k < 4; ++k) {
            std::vector<int> order = axis_order(rank);
            if (is_large && k == 0)
                std::reverse(order.begin(), order.end());
            else if (!is_large && pick(0, 3) > 0)
                std::shuffle(order.begin(), order.end(), random_);
            parts.push_back(make_exact(part(mix[k], shape, order), edge, random_));
        }
        // Sometimes an output is an input.
        const std::int64_t in_place = pick(0, 9);
        if (in_place < 2 && mix[0] == mix[2]) parts[2] = parts[0];
        if (in_place == 2 && mix[0] == mix[3]) parts[3] = parts[0];
        const Definition definition{
            .name = "tiles", .inputs = "A a, B b", .outputs = "Y y, Z z", .operation = body.text};
        Planned planned{.signature = parse_signature(definition)};
        std::vector<ArgumentType> types;
        for (std::size_t k = 0; k < 4; ++k) {
            planned.operands.push_back(
                {.dtype = mix[k],
                 .written = k > 1,
                 .shape = shape,
                 .strides = parts[k].part.strides,
                 .address = reinterpret_cast<std::uintptr_t>(parts[k].at(0))});
            types.push_back({ArgumentType::Kind::array, mix[k]});
        }
        planned.types = resolve_types(planned.signature, types);
        PlanRequest request{.signature = planned.signature,
                            .types = planned.types,
                            .operands = planned.operands,
                            .loop = shape,
                            .target = {DeviceKind::cuda, "sm_90"},
                            .limits = small_limits(),
                            .loop_name = loop};
        if (pick(0, 5) == 0) request.block_size = static_cast<int>(pick(1, 1024));
        try {
            planned.plan = make_plan(request);
        } catch (const ShapeError&) {
            return "";
        }
        std::vector<std::int64_t> wanted[2];
        std::int64_t count = 1;
        for (const std::int64_t extent : shape) count *= extent;
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t a = value_at(parts[0], k);
            const std::int64_t b = value_at(parts[1], k);
            const std::int64_t first = k / (count / shape[0]) % 5;
            wanted[0].push_back(body.y ? body.y(a, b, value_at(parts[2], k), k) : first + a);
            wanted[1].push_back(body.z ? body.z(a, b, value_at(parts[3], k), k) : first + a + b);
        }
        std::vector<std::byte> before[2];
        for (std::size_t j = 0; j < 2; ++j)
            before[j].assign(parts[2 + j].memory.get(),
                             parts[2 + j].memory.get() + parts[2 + j].bytes);
        INFO(to_key(planned.plan.baked) << ", shape " << to_text(shape) << ", body " << body.text
                                        << ", threads " << planned.plan.runtime.threads);
        for (const ExactPart& each : parts)
            UNSCOPED_INFO(to_text(each.part.dtype)
                          << " by " << to_text(each.part.strides) << " at "
                          << reinterpret_cast<std::uintptr_t>(each.at(0)) % 16);
        run_emulated(planned);
        for (std::size_t j = 0; j < 2; ++j) {
            const ExactPart& output = parts[2 + j];
            std::int64_t wrong = -1;
            for (std::int64_t k = count - 1; k >= 0; --k) {
                std::int64_t value = wanted[j][static_cast<std::size_t>(k)];
                const std::size_t item = item_size(output.part.dtype);
                if (std::memcmp(output.at(k), &value, item) != 0) wrong = k;
                std::memcpy(
                    before[j].data() + (output.at(k) - output.memory.get()), output.at(k), item);
            }
            CHECK(wrong == -1);
            // Bytes between and around the elements are as before.
            CHECK(std::memcmp(before[j].data(), output.memory.get(), output.bytes) == 0);
        }
        const auto kind = [](std::string text, const auto& choice) {
            if (choice.axes_a > 1) text += ", several axes along a";
            if (choice.axes_b > 1) text += ", several axes along b";
            return text;
        };
        const Baked& baked = planned.plan.baked;
        if (loop == "parts") {
            std::string names = "parts";
            for (const Baked& each : baked.parts) names += " " + std::string(loop_of(each).name);
            return names;
        }
        if (loop == "shared_tiles")
            return kind(baked.vector > baked.as<SharedTilesChoice>().side_b ? "longer along a"
                        : baked.vector > 1                                  ? "squares"
                                                                            : "singles",
                        baked.as<SharedTilesChoice>());
        const bool joined = field_of<RunShape>(planned, FieldKind::own).joined != 0;
        bool table = false;
        for (const BakedOperand& operand : baked.operands)
            table = table ||
                    (operand.access == Access::shared && operand.inner == StrideClass::strided);
        return kind(baked.vector > 1 ? "runs by vectors"
                    : joined         ? "joined runs"
                    : table          ? "runs by a table"
                                     : "runs",
                    baked.as<StagedRunsChoice>());
    }

private:
    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return low +
               static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
    }

    Part part(DType dtype, const Dims& shape, const std::vector<int>& order) {
        const auto item = static_cast<std::int64_t>(item_size(dtype));
        Part made{dtype, shape};
        // Compilers call functions among arguments in different orders.
        const std::int64_t gap = item * (pick(0, 3) / 3);
        made.strides = dense_strides(shape, order, pick(0, 7) == 0 ? 2 * item : item, gap);
        for (std::int64_t& stride : made.strides) stride = pick(0, 9) == 0 ? -stride : stride;
        made.shift = pick(0, 2) == 0 ? item * pick(0, 16 / item - 1) : 0;
        return made;
    }

    std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("patches that do not divide a block's threads wrap around, and compute right on the CPU",
          "[emulated]") {
    const auto trial_of = [](DType dtype, const Dims& shape, Extra extra) {
        Trial trial{{{dtype, shape, f_order(shape, static_cast<std::int64_t>(item_size(dtype)))},
                     c_part(dtype, shape)},
                    c_part(dtype, shape),
                    extra};
        trial.loop_name = "shared_tiles";
        return trial;
    };
    for (Trial trial : {trial_of(float32, {96, 160}, Extra::none),
                        trial_of(float32, {97, 127}, Extra::none),
                        trial_of(float32, {97, 127}, Extra::indices),
                        trial_of(uint8, {96, 160}, Extra::index),
                        trial_of(float64, {90, 4, 17}, Extra::none),
                        trial_of(uint8, {90, 9, 11}, Extra::index)}) {
        for (const int threads : {96, 100, 128}) {
            trial.block_size = threads;
            INFO(describe(trial));
            const Baked baked = check_emulated(trial);
            CHECK(baked.as<SharedTilesChoice>().straight == (threads == 128));
        }
    }
}

TEST_CASE("patches are as long along each side as memory has vectors, and compute right on the CPU",
          "[emulated]") {
    struct Row {
        DType dtype;
        Dims shape;
        bool turns_output;  // whether the output is in F order, instead of the input
        int along_a;
        int along_b;
    };
    for (const Row& row : {Row{uint8, {513, 640}, false, 8, 1},
                           Row{uint8, {1026, 640}, false, 8, 2},
                           Row{uint8, {640, 513}, false, 8, 1},
                           Row{uint8, {513, 640}, true, 8, 1},
                           Row{float16, {513, 640}, true, 8, 1},
                           Row{float16, {1028, 1280}, false, 4, 4},
                           Row{float32, {513, 320}, false, 4, 1},
                           Row{float32, {513, 318}, false, 2, 1},
                           Row{float64, {513, 320}, false, 1, 1}}) {
        const auto item = static_cast<std::int64_t>(item_size(row.dtype));
        const Part turned{row.dtype, row.shape, f_order(row.shape, item)};
        const Part straight = c_part(row.dtype, row.shape);
        Trial trial{{row.turns_output ? straight : turned}, row.turns_output ? turned : straight};
        trial.loop_name = "shared_tiles";
        INFO(describe(trial));
        const Baked baked = check_emulated(trial);
        CHECK(baked.vector == row.along_a);
        CHECK(baked.as<SharedTilesChoice>().side_b == row.along_b);
    }
}

TEST_CASE("tiles with outputs in random layouts compute right on the CPU", "[emulated][random]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    RandomTiles tiles(seed);
    std::map<std::string, int> ran;
    for (int k = 0; k < rounds(30); ++k) ++ran[tiles.check()];
    CHECK(ran[""] < rounds(30));
}

// KGEN_RANDOM_SEED and KGEN_RANDOM_TRIALS choose the calls.
TEST_CASE("many random calls with tiles compute right on the CPU", "[emulated][.random]") {
    const auto number_of = [](const char* name, unsigned long long otherwise) {
        const char* text = std::getenv(name);
        return text == nullptr ? otherwise : std::stoull(text);
    };
    RandomTiles tiles(number_of("KGEN_RANDOM_SEED", 1));
    std::map<std::string, int> ran;
    for (std::uint64_t k = 0; k < number_of("KGEN_RANDOM_TRIALS", 50); ++k) ++ran[tiles.check()];
    for (const auto& [kind, count] : ran) WARN(kind << ": " << count);
    CHECK(ran.size() > 1);
}
