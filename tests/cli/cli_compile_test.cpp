// SPDX-License-Identifier: MIT
//
// kgen compile, run as a process.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/command.hpp"

using nlohmann::json;

TEST_CASE("kgen compile fills the cache once") {
    Command kgen;
    const std::vector<std::string> call = {
        "compile", "relu", "--arch", "host", "--types", "T=float32", "--json"};
    kgen.environment["KGEN_CACHE_MAX_SIZE"] = "1K";
    const CommandResult too_large = kgen.run(call);
    CHECK(too_large.exit_status == 3);
    CHECK(too_large.output == "");
    CHECK(too_large.messages.starts_with(
        "kgen: the kernels cannot be stored in the cache: the pack has "));
    CHECK(too_large.messages.ends_with(
        " bytes, more than the cache's bound of 1024\nraise KGEN_CACHE_MAX_SIZE\n"));
    kgen.environment.erase("KGEN_CACHE_MAX_SIZE");
    const CommandResult first = kgen.run(call);
    CHECK(first.exit_status == 0);
    CHECK(first.messages == "");
    const json made = json::parse(first.output);
    CHECK(made["schema"] == 1);
    CHECK(made["kernels"].get<int>() >= 2);
    CHECK(made["compiled"] == made["kernels"]);
    CHECK(made["failures"].empty());
    const json again = json::parse(kgen.run(call).output);
    CHECK(again["compiled"] == 0);
    CHECK(again["known"] == made["kernels"]);
    // A later call finds what was compiled.
    kgen.environment["KGEN_COMPILE"] = "never";
    kgen.environment["KGEN_DEVICE"] = "host";
    const CommandResult run = kgen.run({"explain", "relu", "x=float32[1000]", "--json"});
    INFO(run.messages);
    CHECK(json::parse(run.output)["cached"] == true);
}

TEST_CASE("kgen compile writes a pack, and the same one again") {
    Command kgen;
    const std::vector<std::string> call = {"compile",
                                           "relu",
                                           "--arch",
                                           "host",
                                           "--types",
                                           "T=float32",
                                           "--output",
                                           "relu.kgp",
                                           "--embed",
                                           "relu.cpp"};
    const CommandResult first = kgen.run(call);
    CHECK(first.exit_status == 0);
    CHECK(first.output.find(" kernels compiled in ") != std::string::npos);
    CHECK(first.output.ends_with(": relu.kgp\n"));
    const std::string pack = Command::read(kgen.path("relu.kgp"));
    CHECK(pack.size() > 1000);
    CHECK(Command::read(kgen.path("relu.cpp")).find("EmbeddedPack") != std::string::npos);
    const CommandResult second = kgen.run(call);
    CHECK(second.output.starts_with("0 of "));
    CHECK(Command::read(kgen.path("relu.kgp")) == pack);
}

TEST_CASE("kgen compile says what is wrong in one line") {
    Command kgen;
    const auto message = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "compile");
        const CommandResult result = kgen.run(arguments);
        CHECK(result.exit_status == 2);
        CHECK(result.output == "");
        return result.messages;
    };
    CHECK(message({}) ==
          "kgen: the template is missing; name some, or give --all (see kgen list)\n");
    CHECK(message({"relu", "--all"}) == "kgen: give --all or templates, not both\n");
    CHECK(message({"rleu", "--arch", "host"}) ==
          "kgen: no template is called 'rleu'; did you mean 'relu'?\n");
    CHECK(message({"relu", "--types", "float32"}) ==
          "kgen: --types 'float32': expected a placeholder and its dtypes, as in "
          "T=float32,float64\n");
    CHECK(message({"relu", "--types", "T=float23"}) ==
          "kgen: --types 'T=float23': unknown dtype 'float23'; did you mean 'float32'?\n");
    const std::string arch = message({"relu", "--arch", "sm_1"});
    CHECK(arch.starts_with("kgen: unknown architecture 'sm_1': NVRTC 1"));
    CHECK(arch.ends_with(", and kgen 'host'\n"));
    CHECK(
        message({"relu", "--arch", "host,"}).starts_with("kgen: unknown architecture '': NVRTC 1"));
    CHECK(message({"relu", "--types", "T=float32,"}) ==
          "kgen: --types 'T=float32,': unknown dtype ''; expected one of bool, int8, int16, int32, "
          "int64, "
          "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, "
          "complex128\n");
    CHECK(!std::filesystem::exists(kgen.path("cache")));
}

TEST_CASE("a template that does not compile makes no pack") {
    Command kgen;
    std::ofstream(kgen.path("broken.json"))
        << R"({"kind": "elementwise", "name": "broken", "description": "d",
        "inputs": "T x", "outputs": "T y", "operation": "y = x + undefined_name"})";
    const CommandResult result =
        kgen.run_line("compile ./broken.json --arch host --types T=float32 --output broken.kgp");
    CHECK(result.exit_status == 4);
    CHECK(result.messages.find("kgen: broken (T = float32) for host: kernel 'broken': ") !=
          std::string::npos);
    CHECK(!std::filesystem::exists(kgen.path("broken.kgp")));
}

TEST_CASE("kgen compile keeps the dtypes of placeholders that --types does not name") {
    Command kgen;
    const auto kernels = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"compile", "--arch", "host", "--json"});
        const CommandResult result = kgen.run(arguments);
        CHECK(result.exit_status == 0);
        CHECK(result.messages == "");
        const json summary = json::parse(result.output);
        CHECK(summary["empty"].empty());
        return summary["kernels"].get<int>();
    };
    std::ofstream(kgen.path("mine.json"))
        << R"({"kind": "elementwise", "name": "mine", "description": "d",
        "inputs": "T x, U y", "outputs": "T z", "operation": "z = x * y",
        "compile": {"types": {"T": ["float32", "float64"], "U": ["int8", "int16"]},
                    "layouts": ["contiguous"]}})";
    const int all = kernels({"./mine.json"});
    CHECK(kernels({"./mine.json", "--types", "W=float32"}) == all);
    CHECK(kernels({"./mine.json", "--types", "U=float32"}) == all / 2);
    CHECK(kernels({"./mine.json", "--types", "U=float32", "--types", "T=int8"}) == all / 4);
}

TEST_CASE("compiling nothing is a failure, and makes no pack") {
    Command kgen;
    std::ofstream(kgen.path("mine.json"))
        << R"({"kind": "elementwise", "name": "mine", "description": "d",
        "inputs": "T x, U y", "outputs": "T z", "operation": "z = x * y"})";
    const std::string nothing =
        "kgen: template 'mine': nothing to compile: a placeholder has no dtypes, or none that fits "
        "an overload; give some, as in --types T=float32,float64\n";
    const auto run = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"compile", "--arch", "host"});
        return kgen.run(arguments);
    };
    for (const auto& types : {std::vector<std::string>{}, {"--types", "T=float32"}}) {
        std::vector<std::string> call = {
            "./mine.json", "--output", "mine.kgp", "--embed", "mine.cpp"};
        call.insert(call.end(), types.begin(), types.end());
        const CommandResult result = run(call);
        CHECK(result.exit_status == 1);
        CHECK(result.output == "");
        CHECK(result.messages == nothing);
        CHECK(!std::filesystem::exists(kgen.path("mine.kgp")));
        CHECK(!std::filesystem::exists(kgen.path("mine.cpp")));
    }
    const CommandResult as_json = run({"./mine.json", "--json"});
    CHECK(as_json.exit_status == 1);
    CHECK(json::parse(as_json.output)["kernels"] == 0);
    CHECK(json::parse(as_json.output)["empty"] == json({"mine"}));
    // Together with other templates it is reported, and the others are compiled.
    const CommandResult both = run({"relu", "./mine.json", "--types", "T=float32"});
    CHECK(both.exit_status == 0);
    CHECK(both.messages.ends_with(nothing));  // after the progress lines
    CHECK(both.output.find(" kernels compiled in ") != std::string::npos);
    // No form of the template accepts this type.
    CHECK(run({"floor_divide", "--types", "T=complex64"}).exit_status == 1);
}
