// SPDX-License-Identifier: MIT
//
// kgen bench --random: what its figures count, what its checks notice, and its plot and peers.
#include <benchmarks/prepared_case.hpp>
#include <benchmarks/random_calls.hpp>
#include <benchmarks/random_case.hpp>
#include <benchmarks/touched_memory.hpp>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "support/command.hpp"

using namespace kgen;
using namespace kgen::bench;
using nlohmann::json;

namespace {

// Returns the addresses of all elements.
std::set<std::uintptr_t> addresses(const Array& array) {
    std::set<std::uintptr_t> all;
    const std::int64_t size = array.size();
    for (std::int64_t k = 0; k < size; ++k) {
        auto address = reinterpret_cast<std::uintptr_t>(array.data());
        std::int64_t rest = k;
        for (int axis = array.rank() - 1; axis >= 0; --axis) {
            address +=
                static_cast<std::uintptr_t>(rest % array.shape()[axis] * array.strides()[axis]);
            rest /= array.shape()[axis];
        }
        all.insert(address);
    }
    return all;
}

std::size_t units(const Array& array, std::uintptr_t unit) {
    std::set<std::uintptr_t> all;
    for (const std::uintptr_t address : addresses(array)) {
        for (std::size_t k = 0; k < item_size(array.dtype()); ++k) all.insert((address + k) / unit);
    }
    return all.size();
}

RandomRow right_row(double ms, double predicted_ms) {
    RandomRow row{.seed = 1, .loop = "rows"};
    row.ms = {ms, ms, ms};
    row.floor_ms = ms;
    row.predicted_ms = predicted_ms;
    return row;
}

}  // namespace

TEST_CASE("the benchmark counts the sectors that elements touch") {
    const DeviceScope host(Device::host());
    const Array doubles = empty({3000}, float64);
    const Array third = doubles.slice({{0, 3000, 3}});
    CHECK(distinct_bytes(third) == 8000);
    CHECK(touched_bytes(third, 32) == 24000);  // every sector has an element
    CHECK(touched_bytes(doubles.slice({{0, 3000, 5}}), 32) == 600 * 32);
    CHECK(touched_bytes(doubles.slice({{3, 6}}), 32) == 64);
    CHECK(touched_bytes(doubles.slice({{0, 1}}).broadcast_to({50}), 32) == 32);
    CHECK(touched_bytes(empty({0, 5}, float32), 32) == 0);
    CHECK(memory_unit_bytes(DeviceKind::host) == 64);
    CHECK(memory_unit_bytes(DeviceKind::cuda) == 32);
}

TEST_CASE("sectors and places of elements of random layouts are exact") {
    const DeviceScope host(Device::host());
    std::uint64_t seed = 1;
    for (int k = 0; k < 60; ++k, seed += seed_step) {
        const Case given = random_case(seed, DeviceKind::host, Scale::quick);
        for (const Operand& input : given.inputs) {
            const OperandMemory memory = OperandMemory::random(input, Scale::full, 1);
            const Array& view = memory.view();
            if (view.size() > 5000) continue;
            INFO(seed << " " << to_text(view.shape()) << " " << to_text(view.strides()));
            const std::set<std::uintptr_t> all = addresses(view);
            CHECK(*all.begin() == lowest_address(view));
            CHECK(distinct_bytes(view) ==
                  static_cast<double>(all.size() * item_size(view.dtype())));
            for (const std::int64_t unit : {32, 64}) {
                CHECK(touched_bytes(view, unit) ==
                      static_cast<double>(units(view, static_cast<std::uintptr_t>(unit))) *
                          static_cast<double>(unit));
            }
            std::size_t found = 0;
            const auto span = static_cast<std::int64_t>(*all.rbegin() - *all.begin());
            for (std::int64_t offset = -9; offset <= span + 9; ++offset) {
                found += is_element_at(view, offset) ? 1 : 0;
            }
            CHECK(found == all.size());
        }
    }
}

TEST_CASE("the benchmark notices a write into the gaps of a strided output") {
    const DeviceScope host(Device::host());
    for (const std::int64_t columns : {40, 4000}) {
        const Operand operand{float32, {100, columns}, [](const Array& whole) {
                                  return whole.slice({{}, {1, std::nullopt, 3}});
                              }};
        const OperandMemory memory = OperandMemory::poisoned(operand, Scale::full);
        const Array& view = memory.view();
        auto* first = static_cast<std::byte*>(view.data());
        const auto write = [&](std::int64_t gap) {
            for (std::int64_t row = 0; row < 100; ++row) {
                for (std::int64_t column = 0; column < view.shape()[1]; ++column) {
                    std::memset(first + (row * columns + column * 3 + gap) * 4, 0, 4);
                }
            }
        };
        write(0);
        CHECK(memory.is_intact_outside());
        write(-1);
        CHECK_FALSE(memory.is_intact_outside());
    }
}

TEST_CASE("both parts of complex sums are compared") {
    const DeviceScope host(Device::host());
    int found = 0;
    std::uint64_t seed = next_seed(1, {RandomClass::reduce});
    for (int k = 0; k < 400 && found < 3; ++k) {
        RandomCase given = random_case(seed, DeviceKind::host, Scale::quick);
        seed = next_seed(seed + seed_step, {RandomClass::reduce});
        if (given.expression != R"({"kind":"complex_sum","map":"x0"})") continue;
        ++found;
        CHECK(PreparedCase(given, Scale::full).largest_error() <= given.tolerance());
        std::get<Reduction>(given.kernel).map = "conj(x0)";
        CHECK(PreparedCase(given, Scale::full).largest_error() > 100 * given.tolerance());
    }
    CHECK(found == 3);
}

TEST_CASE("random reductions have plain maps, any and all, and axes in the middle") {
    std::set<std::string> kinds;
    int plain = 0;
    int converted = 0;
    int middle = 0;
    int every_second = 0;
    std::uint64_t seed = next_seed(1, {RandomClass::reduce});
    for (int k = 0; k < 1000; ++k) {
        const RandomCase given = random_case(seed, DeviceKind::host, Scale::quick);
        seed = next_seed(seed + seed_step, {RandomClass::reduce});
        const std::string kind = json::parse(given.expression)["kind"];
        kinds.insert(kind);
        const std::string& map = std::get<Reduction>(given.kernel).map;
        if (kind == "sum" && given.inputs.size() == 1) (map == "x0" ? plain : converted) += 1;
        const int rank = given.inputs[0].shape.rank();
        if (!given.axes || rank < 3) continue;
        middle +=
            given.axes->size() == 1 && given.axes->front() > 0 && given.axes->front() < rank - 1;
        every_second +=
            rank >= 4 && (*given.axes == std::vector{0, 2} || *given.axes == std::vector{1, 3});
    }
    CHECK(kinds == std::set<std::string>{"sum_squares",
                                         "sum",
                                         "count",
                                         "count_greater",
                                         "max",
                                         "moments",
                                         "argmax",
                                         "extremes",
                                         "complex_sum",
                                         "any",
                                         "all"});
    CHECK(plain > 30);
    CHECK(converted > 30);
    CHECK(middle > 70);
    CHECK(every_second > 15);
}

TEST_CASE("the summary says how many calls were predicted within 15 %") {
    const std::vector<RandomRow> rows = {right_row(1, 1.14), right_row(1, 0.84), right_row(2, 2)};
    const std::string text = random_summary_text(rows);
    CHECK(text.find("\npredicted within 15 %: 2 of 3 calls\n") != std::string::npos);
    CHECK(text.find("permute      predicted / time      3    1.000    0.840    0.840\n") !=
          std::string::npos);
    CHECK(random_summary_text({RandomRow{.loop = "", .problem = "none"}}).find("predicted") ==
          std::string::npos);
}

TEST_CASE("kgen bench --random --svg plots the distributions") {
    const Command kgen;
    const CommandResult result =
        kgen.run_line("bench --random 8 --seed 3 --quick --json --svg random.svg");
    INFO(result.messages);
    REQUIRE(result.exit_status == 0);
    const json random = json::parse(result.output)["random"];
    for (const json& row : random["rows"]) CHECK(row["sector_bytes"] >= row["bytes"]);
    const std::string picture = Command::read(kgen.path("random.svg"));
    CHECK(picture.starts_with("<svg "));
    CHECK(picture.ends_with("</svg>\n"));
    for (const char* part : {">floor / time<", ">best / chosen<", ">small (2)<", "<polyline "}) {
        CHECK(picture.find(part) != std::string::npos);
    }
}

TEST_CASE("kgen bench --random says which loops can run a call that the forced one cannot") {
    Command kgen;
    kgen.environment["KGEN_LOOP"] = "none";
    const CommandResult result = kgen.run_line("bench --random 1 --seed 1 --quick --json");
    CHECK(result.exit_status == 1);
    const json row = json::parse(result.output)["random"]["rows"][0];
    CHECK(row["result"] == "failed");
    const std::string problem = row["problem"];
    CHECK(
        problem.starts_with("kernel 'bench_permute_1': the loop 'none' of KGEN_LOOP cannot run "
                            "this call on host; these can: "));
}

TEST_CASE("random_peers.py writes random calls as functions of PyTorch tensors") {
    if (std::system("python3 --version >/dev/null 2>&1") != 0) {
        WARN("skipped: this test needs python3");
        return;
    }
    const Command kgen;
    REQUIRE(kgen.run_line("bench --random 24 --seed 1 --quick --output calls.json").exit_status ==
            0);
    const std::string script = KGEN_SOURCE_DIR "/benchmarks/random_peers.py ";
    const std::string line = "PYTHONDONTWRITEBYTECODE=1 python3 " + script +
                             kgen.path("calls.json") + " --list >" + kgen.path("calls.py");
    REQUIRE(std::system(line.c_str()) == 0);
    const std::string text = Command::read(kgen.path("calls.py"));
    CHECK(text.starts_with(
        "# 1, permute: terms, axes all | float32 (16, 4, 17) strides (272, 4, 16)"));
    CHECK(text.find("def call(x0, x1, y0):\n"
                    "    s0 = torch.mul((x0 * x0), -0.25)\n"
                    "    torch.add(s0, x1, alpha=-1.75, out=y0)\n") != std::string::npos);
    CHECK(text.find("def call(x0, y0):\n    y0.copy_(torch.amax(x0, [0, 1, 2, 3, 4, 5]))\n") !=
          std::string::npos);
    CHECK(text.find(" calls: gathers through a raw input\n") != std::string::npos);
    const std::string compiled =
        "python3 -c 'compile(open(\"" + kgen.path("calls.py") + "\").read(), \"calls\", \"exec\")'";
    CHECK(std::system(compiled.c_str()) == 0);
}
