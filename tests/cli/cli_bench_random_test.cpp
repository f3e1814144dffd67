// SPDX-License-Identifier: MIT
//
// kgen bench --random: the calls that it draws, and what it says about them.
#include <algorithm>
#include <benchmarks/random_case.hpp>
#include <benchmarks/random_kernels.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "support/command.hpp"

using namespace kgen;
using namespace kgen::bench;
using nlohmann::json;

namespace {

json rows_of(const CommandResult& result) {
    INFO(result.messages);
    REQUIRE(result.exit_status == 0);
    return json::parse(result.output)["random"]["rows"];
}

// Removes what another run need not repeat.
json without_times(json row) {
    for (const char* key : {"median_ms",
                            "low_ms",
                            "high_ms",
                            "floor_ms",
                            "floor_share",
                            "naive_ms",
                            "naive_speed",
                            "constant_ms",
                            "constant_speed",
                            "loop_ms",
                            "prediction_share"}) {
        row.erase(key);
    }
    return row;
}

json without_times_of_all(const json& rows) {
    json list = json::array();
    for (const json& row : rows) list.push_back(without_times(row));
    return list;
}

}  // namespace

TEST_CASE("random numbers are the same on every platform") {
    // From a program in Python with its own splitmix64 and MT19937-64.
    Draw draw(1, 0);
    std::vector<std::int64_t> found;
    for (int k = 0; k < 5; ++k) found.push_back(draw.below(1000));
    CHECK(found == std::vector<std::int64_t>{542, 58, 454, 844, 459});
}

TEST_CASE("a seed decides the class of a call, and the classes take turns") {
    const std::vector<RandomClass> all = {RandomClass::elementwise,
                                          RandomClass::permute,
                                          RandomClass::reduce,
                                          RandomClass::small,
                                          RandomClass::host};
    std::uint64_t seed = 1;
    for (int k = 0; k < 10; ++k, seed += seed_step) {
        CHECK(next_seed(seed, all) == seed);
        CHECK(static_cast<int>(class_of(seed)) == (k + 1) % random_class_count);
    }
    const std::uint64_t reduction = next_seed(5, {RandomClass::reduce});
    CHECK(reduction == 5 + 2 * seed_step);
    CHECK(class_of(reduction) == RandomClass::reduce);
    CHECK(class_of(next_seed(~std::uint64_t{0}, {RandomClass::permute})) == RandomClass::permute);
}

TEST_CASE("2000 random calls have every dtype, rank and property") {
    std::set<DType> inputs;
    std::set<DType> outputs;
    std::set<int> ranks;
    std::set<std::size_t> input_counts;
    std::set<std::size_t> output_counts;
    std::set<std::string> found;
    std::set<std::size_t> axis_counts;
    std::uint64_t seed = 1;
    for (int k = 0; k < 2000; ++k, seed += seed_step) {
        const Case given = random_case(seed, DeviceKind::host, Scale::quick);
        INFO(seed);
        CHECK(given.family == to_text(class_of(seed)));
        std::string text;
        if (const auto* kernel = std::get_if<Kernel>(&given.kernel)) {
            text = kernel->body + kernel->inputs;
            outputs.insert(given.output.dtype);
            for (const Operand& more : given.more_outputs) outputs.insert(more.dtype);
            output_counts.insert(1 + given.more_outputs.size());
        } else {
            const auto& reduction = std::get<Reduction>(given.kernel);
            text = reduction.map + " " + reduction.options.reduce_type;
            if (reduction.inputs == "bool x0") text += "count";
            if (reduction.output_dtypes[0] == int8) text += "narrow";
            if (!given.axes) text += "all axes";
            if (given.axes) axis_counts.insert(given.axes->size());
        }
        for (const char* part : {"(i %",
                                 "_ind.get()",
                                 "r[(i",
                                 "raw ",
                                 "sqrt",
                                 "exp(",
                                 " / (",
                                 "y0 = x0;",
                                 "Moments",
                                 "Indexed",
                                 "Ends",
                                 "count",
                                 "narrow",
                                 "all axes",
                                 "max"}) {
            if (text.find(part) != std::string::npos) found.insert(part);
        }
        ranks.insert(given.inputs[0].shape.rank());
        input_counts.insert(given.inputs.size());
        for (const Operand& input : given.inputs) {
            inputs.insert(input.dtype);
            if (input.offset != 0) found.insert("misaligned");
        }
        if (k >= 400) continue;  // enough for the properties of the arrays
        const DeviceScope host(Device::host());
        for (const Operand& input : given.inputs) {
            const Array whole = empty(input.shape, input.dtype);
            const Array view = input.view(whole);
            const std::string_view order = view.is_contiguous(Order::c)   ? "C order"
                                           : view.is_contiguous(Order::f) ? "F order"
                                           : view.is_contiguous(Order::k) ? "permuted"
                                                                          : "strided";
            found.insert(std::string(order));
            if (view.rank() < given.inputs[0].shape.rank()) found.insert("fewer axes");
            for (int axis = 0; axis < view.rank(); ++axis) {
                if (view.shape()[axis] < 2) continue;
                if (view.strides()[axis] < 0) found.insert("reversed");
                if (view.strides()[axis] == 0) found.insert("stride 0");
            }
        }
    }
    CHECK(inputs.size() == dtype_count);
    CHECK(outputs.size() == dtype_count);
    CHECK(ranks == std::set<int>{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(input_counts == std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(output_counts == std::set<std::size_t>{1, 2, 3, 4});
    CHECK(axis_counts.size() >= 5);
    CHECK(found == std::set<std::string>{
                       "(i %",    "_ind.get()", "r[(i",       "raw ",    "sqrt",    "exp(",
                       " / (",    "y0 = x0;",   "Moments",    "Indexed", "Ends",    "count",
                       "narrow",  "all axes",   "misaligned", "C order", "F order", "permuted",
                       "strided", "fewer axes", "reversed",   "stride 0"});
}

TEST_CASE("extents favour small numbers, powers of two and primes, and stay within the size") {
    Draw draw(3, 0);
    int small = 0;
    int powers = 0;
    for (int k = 0; k < 1000; ++k) {
        const Dims shape = draw.shape(3, 1 << 20);
        std::int64_t size = 1;
        for (const std::int64_t extent : shape) {
            CHECK(extent >= 1);
            size *= extent;
            small += extent <= 20 ? 1 : 0;
            powers += (extent & (extent - 1)) == 0 ? 1 : 0;
        }
        CHECK(size <= 1 << 20);
        CHECK(size > 1 << 16);
    }
    CHECK(small > 900);
    CHECK(powers > 900);
}

TEST_CASE("kgen bench --random finds 20 calls right on the host") {
    const Command kgen;
    const json rows = rows_of(kgen.run_line("bench --random 20 --seed 1 --quick --json"));
    REQUIRE(rows.size() == 20);
    std::set<std::string> classes;
    for (const json& row : rows) {
        INFO(row.dump());
        CHECK(row["result"] == "right");
        CHECK(row["median_ms"] > 0);
        CHECK(row["floor_ms"] > 0);
        CHECK(row["loop"].get<std::string>().size() > 3);
        CHECK(row.contains("naive_speed") == (row["class"] == "host"));
        classes.insert(row["class"]);
    }
    CHECK(classes == std::set<std::string>{"elementwise", "permute", "reduce", "small", "host"});
}

TEST_CASE(
    "kgen bench --random draws the same calls from the same seed, and one call from its own") {
    const Command kgen;
    const std::string line = "bench --random 4 --seed 12 --class reduce --quick --json";
    const json rows = without_times_of_all(rows_of(kgen.run_line(line)));
    REQUIRE(rows.size() == 4);
    CHECK(without_times_of_all(rows_of(kgen.run_line(line))) == rows);
    const std::string seed = rows[2]["seed"].dump();
    const json one = rows_of(kgen.run_line("bench --random 1 --quick --json --seed " + seed));
    REQUIRE(one.size() == 1);
    CHECK(without_times(one[0]) == rows[2]);
    const std::string text = kgen.run_line("bench --random 1 --quick --seed " + seed).output;
    CHECK(text.find("\n" + seed + " ") != std::string::npos);
    CHECK(text.find("\n1 of 1 calls are right\n") != std::string::npos);
}

#ifdef KGEN_FAKE_CUDA
TEST_CASE("kgen bench --random on a GPU that computes nothing says that results are wrong") {
    Command kgen;
    kgen.environment["KGEN_DEVICE"] = "cuda";
    kgen.environment["KGEN_CUDA_PATH"] = KGEN_FAKE_CUDA;
    kgen.environment["FAKE_CUDA_READS_CODE"] = "1";
    if (kgen.run({"doctor"}).output.find("found    NVRTC: ") == std::string::npos) {
        WARN("skipped: this test needs NVRTC");
        return;
    }
    const CommandResult result =
        kgen.run_line("bench --random 4 --seed 5 --quick --output bench.json");
    INFO(result.output);
    CHECK(result.messages == "");
    CHECK(result.exit_status == 1);
    CHECK(result.output.find("\n0 of 4 calls are right\n") != std::string::npos);
    CHECK(result.output.find("\nWRONG: repeat it with --random 1 --seed 1000000000006\n") !=
          std::string::npos);
    for (const json& row : json::parse(Command::read(kgen.path("bench.json")))["random"]["rows"]) {
        INFO(row.dump());
        CHECK(row["result"] == "WRONG");
        CHECK(row["class"] != "host");
    }
    const CommandResult host = kgen.run_line("bench --random 1 --class host");
    CHECK(host.messages ==
          "kgen: --class host compares with loops on the CPU: got device cuda:0, expected --device "
          "host\n");
    CHECK(host.exit_status == 2);
}
#endif

TEST_CASE("kgen bench --random refuses what it cannot draw") {
    struct Wrong {
        const char* options;
        const char* message;
    };
    const std::vector<Wrong> cases = {
        {"--random 0", "--random: '0' is no number of calls: expected 1 to 1000000"},
        {"--random=-3", "--random: '-3' is no number of calls: expected 1 to 1000000"},
        {"--random -3", "--random: '-3' is no number of calls: expected 1 to 1000000"},
        {"--random many", "--random: 'many' is no number of calls: expected 1 to 1000000"},
        {"--random 3x", "--random: '3x' is no number of calls: expected 1 to 1000000"},
        {"--random 1000001", "--random: '1000001' is no number of calls: expected 1 to 1000000"},
        {"--random 2 --seed one",
         "--seed: 'one' is no seed: expected a whole number from 0 to 2^64 - 1"},
        {"--random 2 --seed=-1",
         "--seed: '-1' is no seed: expected a whole number from 0 to 2^64 - 1"},
        {"--random 2 --seed 18446744073709551616",
         "--seed: '18446744073709551616' is no seed: expected a whole number from 0 to 2^64 - 1"},
        {"--random 2 --class large",
         "--class: unknown class 'large': expected elementwise, permute, reduce, small or host"},
        {"--random 2 views", "--random draws its calls, so no case can be named: got 'views'"},
        {"--random 2 --log2 12", "--random has no use for --peers and --log2"},
        {"--seed 3", "--seed needs --random N"},
        {"--class reduce", "--class needs --random N"}};
    const Command kgen;
    for (const Wrong& wrong : cases) {
        const CommandResult result = kgen.run_line(std::string("bench ") + wrong.options);
        CHECK(result.messages == "kgen: " + std::string(wrong.message) + "\n");
        CHECK(result.output == "");
        CHECK(result.exit_status == 2);
    }
}
