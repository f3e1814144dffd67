// SPDX-License-Identifier: MIT
//
// Reductions on the command line: run, source and explain --reduce.
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

using namespace kgen;
using nlohmann::json;

namespace {

// A command whose folder has x.npy, the float32 numbers 0 to 9 with shape (2, 5).
struct Inputs : Command {
    Inputs() {
        save_npy(path("x.npy"), arange(10, float32, {.device = Device::host()}).reshape({2, 5}));
    }
};

const std::vector<std::string> sum_options = {"--reduce", "T x", "T y", "x", "a + b", "y = a", "0"};

std::vector<std::string> run_sum(const std::vector<std::string>& rest) {
    return words(words({"run"}, sum_options), rest);
}

}  // namespace

TEST_CASE("kgen run --reduce folds all axes, or those that --axis names") {
    struct Case {
        std::vector<std::string> options;
        const char* printed;
    };
    const std::vector<Case> cases = {
        {{}, "45.0\n"},
        {{"--axis", "1"}, "[10. 35.]\n"},
        {{"--axis", "-1"}, "[10. 35.]\n"},
        {{"--axis=0"}, "[ 5.  7.  9. 11. 13.]\n"},
        {{"--axis", "0,-1"}, "45.0\n"},
        {{"--axis", ""}, "[[0. 1. 2. 3. 4.]\n [5. 6. 7. 8. 9.]]\n"},
        {{"--keepdims"}, "[[45.]]\n"},
        {{"--axis", "1", "--keepdims"}, "[[10.]\n [35.]]\n"},
        {{"--keep-axes"}, "45.0\n"},
        {{"--accuracy", "plain"}, "45.0\n"},
    };
    const Inputs kgen;
    for (const Case& row : cases) {
        const CommandResult result = kgen.run(run_sum(words(row.options, {"x=x.npy"})));
        INFO(row.printed << result.messages);
        CHECK(result.output == row.printed);
        CHECK(result.messages == "");
        CHECK(result.exit_status == 0);
    }
}

TEST_CASE("kgen run --reduce takes texts and identities that begin with a minus sign") {
    const Inputs kgen;
    const CommandResult result = kgen.run_line(
        "run --reduce 'T x' 'T y' '-x - 1' 'max(a, b)' 'y = a' -100 x=x.npy --axis=1");
    CHECK(result.messages == "");
    CHECK(result.output == "[-1. -6.]\n");
}

TEST_CASE("kgen run --reduce starts with the first element where the identity is empty") {
    const Inputs kgen;
    const std::vector<std::string> largest = {
        "run", "--reduce", "T x", "T y", "x", "max(a, b)", "y = a", ""};
    CHECK(kgen.run(words(largest, {"x=x.npy", "--axis", "0"})).output == "[5. 6. 7. 8. 9.]\n");
}

TEST_CASE("kgen run --reduce takes an accumulator and its preamble") {
    const Inputs kgen;
    const CommandResult result =
        kgen.run({"run",
                  "--reduce",
                  "float32 x",
                  "float32 low, float32 high",
                  "Range{x, x}",
                  "joined(a, b)",
                  "low = a.low; high = a.high",
                  "Range{1e30f, -1e30f}",
                  "--reduce-type",
                  "Range",
                  "--preamble",
                  "struct Range { float low, high; };\n"
                  "__device__ Range joined(Range a, Range b) {\n"
                  "    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};\n"
                  "}",
                  "--name",
                  "range",
                  "--axis",
                  "1",
                  "x=x.npy",
                  "--out",
                  "high=high.npy"});
    CHECK(result.messages == "");
    CHECK(result.output == "low:\n[0. 5.]\n");
    const Array high = load_npy(kgen.path("high.npy"), {.device = Device::host()});
    CHECK(high.to_vector<float>() == std::vector<float>{4, 9});
}

TEST_CASE("kgen run --reduce adds with compensation where --accuracy says so") {
    const Command kgen;
    std::vector<float> values(1001, 1e-8F);
    values[0] = 1;
    save_npy(kgen.path("x.npy"), from_vector(values, {.device = Device::host()}));
    const CommandResult result =
        kgen.run(run_sum({"x=x.npy", "--accuracy", "compensated", "--json"}));
    CHECK(result.messages == "");
    const json object = json::parse(result.output);
    CHECK(object["kernel"] == "kernel");
    CHECK(object["outputs"][0]["shape"] == json::array());
    CHECK(object["outputs"][0]["values"][0].get<float>() == 1 + 1e-5F);
}

TEST_CASE("kgen run --reduce writes to a file of its own") {
    const Inputs kgen;
    const CommandResult result =
        kgen.run(run_sum({"x=x.npy", "--axis", "0", "--out", "y=y.npy", "--time"}));
    CHECK(result.messages.substr(0, 11) == "first call ");
    CHECK(result.output == "");
    const Array y = load_npy(kgen.path("y.npy"), {.device = Device::host()});
    CHECK(y.to_vector<float>() == std::vector<float>{5, 7, 9, 11, 13});
}

TEST_CASE("kgen source and explain --reduce print what explain() gives") {
    const Command kgen;
    const ReductionKernel kernel("T x", "T y", "x", "a + b", "y = a", "0", "kernel");
    const std::vector<Argument> arguments = {ArraySpec{float32, {2, 5}, {}}};
    for (const Device device : {Device::host(), Device::cuda(0)}) {
        TargetOptions target{.device = device};
        std::vector<std::string> options = {
            "x=float32[2,5]", "--axis", "1", "--keepdims", "--device", to_text(device)};
        if (device.kind() == DeviceKind::cuda) {
            target.arch = "sm_90";
            options.insert(options.end(), {"--arch", "sm_90"});
        }
        CallOptions call{.device = device};
        call.axes = {1};
        call.keepdims = true;
        const Explanation expected = kernel.explain(arguments, call, target);
        const CommandResult source = kgen.run(words(words({"source"}, sum_options), options));
        CHECK(source.messages == "");
        CHECK(source.output == expected.source);
        options.push_back("--json");
        const json explained =
            json::parse(kgen.run(words(words({"explain"}, sum_options), options)).output);
        CHECK(explained["plan"] == expected.plan);
        CHECK(explained["source"] == expected.source);
    }
}

TEST_CASE("kgen run refuses options of the other kind of kernel") {
    struct Case {
        std::vector<std::string> arguments;
        const char* message;
    };
    const std::vector<std::string> copy = {"--elementwise", "T x", "T y", "y = x"};
    const std::vector<Case> cases = {
        {words(copy, sum_options), "give --elementwise or --reduce, not both"},
        {words(copy, {"--axis", ""}), "--axis goes with --reduce, not with --elementwise"},
        {words(copy, {"--keepdims"}), "--keepdims goes with --reduce, not with --elementwise"},
        {words(copy, {"--reduce-type", "float"}),
         "--reduce-type goes with --reduce, not with --elementwise"},
        {words(copy, {"--accuracy", "plain"}),
         "--accuracy goes with --reduce, not with --elementwise"},
        {words(sum_options, {"--loop-prep", "int k;"}),
         "--loop-prep goes with --elementwise, not with --reduce"},
        {words(sum_options, {"--after-loop", ""}),
         "--after-loop goes with --elementwise, not with --reduce"},
        {words(sum_options, {"--axis", "0,"}),
         "--axis: '0,' is not a list of axes: expected integers such as 0,1 or -1; see kgen run "
         "--help"},
        {words(sum_options, {"--axis", "first"}),
         "--axis: 'first' is not a list of axes: expected integers such as 0,1 or -1; see kgen run "
         "--help"},
        {words(sum_options, {"--accuracy", "best"}),
         "--accuracy: 'best' is not an accuracy: expected plain or compensated; see kgen run "
         "--help"},
        {sum_options, "kernel 'kernel': input 1 ('x') is missing; give x=NUMBER or x=FILE.npy"},
        {words(sum_options, {"z=1"}), "kernel 'kernel': no parameter is called 'z': expected x, y"},
    };
    const Command kgen;
    for (const Case& row : cases) {
        const CommandResult result = kgen.run(words({"run"}, row.arguments));
        CHECK(result.messages == "kgen: " + std::string(row.message) + "\n");
        CHECK(result.output == "");
        CHECK(result.exit_status == 2);
    }
}

TEST_CASE("kgen run --reduce tells by its status what is wrong with a reduction") {
    const Inputs kgen;
    const auto status = [&](const std::vector<std::string>& arguments) {
        const CommandResult result = kgen.run(arguments);
        CHECK(result.messages.substr(0, 6) == "kgen: ");
        CHECK(result.output == "");
        return result.exit_status;
    };
    CHECK(status(run_sum({"x=x.npy", "--axis", "2"})) == 2);
    CHECK(status(run_sum({"x=x.npy", "--axis", "1,-1"})) == 2);
    CHECK(status({"run", "--reduce", "T x", "T y", "x", "a + w", "y = a", "0", "x=x.npy"}) == 4);
}
