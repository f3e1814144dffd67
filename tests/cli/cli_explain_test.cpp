// SPDX-License-Identifier: MIT
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

using nlohmann::json;

namespace {

std::vector<std::string> words(const std::string& command, const std::vector<std::string>& rest) {
    std::vector<std::string> list = {
        command, "--elementwise", "T x, T y", "T z", "z = (x - y) * (x - y)", "--name", "squares"};
    list.insert(list.end(), rest.begin(), rest.end());
    return list;
}

}  // namespace

TEST_CASE("kgen source prints what explain() gives, from descriptions and from files alike") {
    const Command kgen;
    const kgen::ArrayOptions host{.device = kgen::Device::host()};
    kgen::save_npy(kgen.path("x.npy"),
                   kgen::zeros({2, 5}, kgen::float32, host).copy(kgen::Order::f));
    const kgen::ElementwiseKernel kernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squares");
    const std::vector<kgen::Argument> arguments = {
        kgen::ArraySpec{kgen::float32, {2, 5}, kgen::Dims{4, 8}}, 5};
    for (const kgen::Device device : {kgen::Device::host(), kgen::Device::cuda(0)}) {
        kgen::TargetOptions target{.device = device};
        std::vector<std::string> options = {"y=5", "--device", to_text(device)};
        if (device.kind() == kgen::DeviceKind::cuda) {
            target.arch = "sm_90a";
            options.insert(options.end(), {"--arch", "sm_90a"});
        }
        const std::string expected = kernel.explain(arguments, {.device = device}, target).source;
        for (const std::string x : {"x=x.npy", "x=float32[2,5]/strides=4,8"}) {
            options.push_back(x);
            const CommandResult result = kgen.run(words("source", options));
            options.pop_back();
            INFO(to_text(device) << " " << x);
            CHECK(result.messages == "");
            CHECK(result.output == expected);
            CHECK(result.exit_status == 0);
        }
    }
}

TEST_CASE("kgen explain prints every stage and whether the cache has the image") {
    const Command kgen;
    const auto has = [](const CommandResult& result, const std::string& text) {
        INFO(result.output << result.messages);
        CHECK(result.output.find(text) != std::string::npos);
    };
    kgen::save_npy(kgen.path("x.npy"),
                   kgen::zeros({3}, kgen::int32, {.device = kgen::Device::host()}));
    const std::vector<std::string> arguments = {"x=x.npy", "y=x.npy"};
    const CommandResult before = kgen.run(words("explain", arguments));
    CHECK(before.exit_status == 0);
    has(before, "signature  T x, T y -> T z\ntypes      T = int32\nplan       ");
    has(before, "\nsymbol     ");
    has(before, "\ntarget     ");
    has(before, "\noptions    -");
    has(before, "\nrequest    ");
    has(before, " source\n");
    has(before, "\nproducer   ");
    has(before, "\ncache      miss: no entry; " + kgen.path("cache/"));
    CHECK(before.output.find("nearest") == std::string::npos);
    has(before, "z = (x - y) * (x - y)");
    CHECK(kgen.run(words("run", arguments)).exit_status == 0);
    has(kgen.run(words("explain", arguments)), "\ncache      hit: " + kgen.path("cache/"));

    // After a miss the nearest entry of the same kernel is named, with the difference from the call.
    std::vector<std::string> other = arguments;
    other.insert(other.end(), {"--option", "-DUNUSED"});
    const CommandResult miss = kgen.run(words("explain", other));
    has(miss, "\n           nearest: " + kgen.path("cache/v1/"));
    has(miss, "\n           differs in: options\n");
    other.push_back("--json");
    const json told = json::parse(kgen.run(words("explain", other)).output);
    CHECK(told["miss_reason"] == "no entry");
    CHECK(told["nearest_differs"] == json::array({"options"}));
}

TEST_CASE("kgen explain --brief leaves out the source") {
    const Command kgen;
    const std::vector<std::string> arguments = {"x=float32[4]", "y=float32[]"};
    const std::string full = kgen.run(words("explain", arguments)).output;
    const std::string source = kgen.run(words("source", arguments)).output;
    const std::string brief =
        kgen.run(words("explain", {"x=float32[4]", "y=float32[]", "--brief"})).output;
    CHECK(full == brief + "\n" + source);
    const json told = json::parse(
        kgen.run(words("explain", {"x=float32[4]", "y=float32[]", "--brief", "--json"})).output);
    CHECK(told["types"] == "T = float32");
    CHECK(!told.contains("source"));
    CHECK(kgen.run(words("source", {"x=1", "y=1", "--brief"})).messages ==
          "kgen: unknown option '--brief'; see kgen source --help\n");
}

TEST_CASE("kgen source and explain print one object with --json") {
    const Command kgen;
    const std::vector<std::string> arguments = {"x=float32[4]", "y=float32[]", "--json"};
    const json explanation = json::parse(kgen.run(words("explain", arguments)).output);
    CHECK(explanation["schema"] == 1);
    CHECK(explanation["types"] == "T = float32");
    CHECK(explanation["cached"] == false);
    CHECK(explanation["request"].get<std::string>().size() == 64);
    CHECK(explanation["request_parts"][0]["name"] == "source");
    const json source = json::parse(kgen.run(words("source", arguments)).output);
    CHECK(source == json({{"schema", 1},
                          {"symbol", explanation["symbol"]},
                          {"target", explanation["target"]},
                          {"source", explanation["source"]}}));
}

TEST_CASE("the request is the same in every directory, home and language") {
    const std::vector<std::string> arguments = {"x=float32[4]", "y=float32[]", "--json"};
    const Command here;
    Command elsewhere;  // has a working directory, home and cache of its own
    elsewhere.environment["LC_ALL"] = "de_DE.UTF-8";
    elsewhere.environment["TZ"] = "Asia/Kathmandu";
    elsewhere.environment["USER"] = "someone";
    const auto explain = [&](const Command& kgen) {
        return json::parse(kgen.run(words("explain", arguments)).output);
    };
    const json first = explain(here);
    const json second = explain(elsewhere);
    CHECK(first["request"] == second["request"]);
    CHECK(first["request_parts"] == second["request_parts"]);
    CHECK(first["source"] == second["source"]);
}

TEST_CASE("kgen source refuses descriptions and architectures that make no sense") {
    struct Case {
        std::vector<std::string> arguments;
        const char* message;
    };
    const std::vector<Case> cases = {
        {{"x=float32[2]"},
         "kernel 'squares': input 2 ('y') is missing; give y=NUMBER, y=FILE.npy or y=float32[2,5]"},
        {{"x=float32[-1]", "y=1"},
         "kernel 'squares': argument 1 ('x'): shape (-1,): the extent of axis 0 is negative: -1"},
        {{"x=float32[9223372036854775807,8]", "y=1"},
         "kernel 'squares': argument 1 ('x'): shape (9223372036854775807, 8) has more elements "
         "than "
         "fit in 64 bits"},
        {{"x=float32[5]/strides=9223372036854775807", "y=1"},
         "kernel 'squares': argument 1 ('x'): shape (5,) with strides (9223372036854775807,) "
         "reaches "
         "more bytes than fit in 64 bits"},
        {{"x=float32[5]/strides=4,4", "y=1"},
         "kernel 'squares': argument 1 ('x') has shape (5,) but 2 strides"},
        {{"x=float32[2]", "y=1", "--arch", "h100"},
         "--arch: 'h100' is not a GPU architecture: expected one such as sm_90 or sm_90a; see kgen "
         "source --help"},
        {{"x=float32[2]", "y=1", "--arch", "sm_90", "--device", "host"},
         "--arch sm_90 is for GPUs, but --device is host"}};
    const Command kgen;
    for (const Case& row : cases) {
        const CommandResult result = kgen.run(words("source", row.arguments));
        CHECK(result.messages == "kgen: " + std::string(row.message) + "\n");
        CHECK(result.output == "");
        CHECK(result.exit_status == 2);
    }
}
