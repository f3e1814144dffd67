// SPDX-License-Identifier: MIT
//
// kgen run with arrays in .npz files, and with arguments that are converted first.
#include <fstream>
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

using namespace kgen;

namespace {

const ArrayOptions host{.device = Device::host()};

// A command whose folder has model.npz with x = [0 1 2] in float64 and y = [3] in int8, and x.npy.
struct Inputs : Command {
    Inputs() {
        const Array y = full({1}, 3, int8, host);
        save_npz(path("model.npz"), {{"x", arange(3, float64, host)}, {"y", y}});
        save_npy(path("x.npy"), arange(3, float64, host));
    }
    std::string message_of(const std::string& line, int status) const {
        const CommandResult result = run_line(line);
        CHECK(result.output == "");
        CHECK(result.exit_status == status);
        return result.messages;
    }
};

std::string printed(const std::string& path) {
    std::string text;
    for (const auto& [name, array] : load_npz(path, {.device = Device::host()}))
        text += name + " " + std::string(to_text(array.dtype())) + " " + to_text(array) + "; ";
    return text;
}

}  // namespace

TEST_CASE("kgen run takes arrays of an .npz file by their names, or by the parameters'") {
    const Inputs kgen;
    CHECK(kgen.run_line("run --elementwise 'T x, U y' 'T z' 'z = x + y' x=model.npz y=model.npz")
              .output == "[3. 4. 5.]\n");
    CHECK(kgen.run_line("run subtract x=x.npy y=model.npz:x").output == "[0. 0. 0.]\n");
    CHECK(kgen.run_line("explain negative x=model.npz --brief")
              .output.find("types      T = float64\n") != std::string::npos);
    CHECK(kgen.message_of("run negative x=model.npz:w", 3) ==
          "kgen: model.npz: has no array 'w'; it has 'x', 'y'\n");
    CHECK(kgen.message_of("run add x=1 y=none.npz", 3) ==
          "kgen: none.npz: cannot be opened: No such file or directory\n");
    std::ofstream(kgen.path("text.npz")) << "text";
    CHECK(kgen.message_of("run negative x=text.npz", 3).find("kgen: text.npz: ") == 0);
}

TEST_CASE("kgen run writes several outputs into one .npz file") {
    const Inputs kgen;
    const std::string split =
        "run --elementwise 'T x' 'T lo, T hi' 'lo = x < 1 ? x : T(0); hi = x < 1 ? T(0) : x' "
        "x=x.npy ";
    const CommandResult both = kgen.run_line(split + "--out hi=out.npz --out lo=out.npz:low");
    CHECK(both.output == "");
    CHECK(both.messages == "");
    CHECK(printed(kgen.path("out.npz")) == "low float64 [0. 0. 0.]; hi float64 [0. 1. 2.]; ");
    // The file is replaced, as by numpy.savez.
    CHECK(kgen.run_line(split + "--out hi=out.npz").output == "lo:\n[0. 0. 0.]\n");
    CHECK(printed(kgen.path("out.npz")) == "hi float64 [0. 1. 2.]; ");
    const auto json = nlohmann::json::parse(
        kgen.run_line(split + "--out hi=a.npz:high --out lo=lo.npy --json").output);
    CHECK(json["outputs"][0]["file"] == "lo.npy");
    CHECK(!json["outputs"][0].contains("array"));
    CHECK(json["outputs"][1]["file"] == "a.npz");
    CHECK(json["outputs"][1]["array"] == "high");
    CHECK(kgen.message_of(split + "--out hi=out.npz:a --out lo=out.npz:a", 2) ==
          "kgen: --out 'lo=out.npz:a': 'hi' is already written to that file as 'a'\n");
    CHECK(kgen.message_of(split + "--out hi=out.npy --out lo=out.npy", 2) ==
          "kgen: --out 'lo=out.npy': 'hi' is already written to that file\n");
    CHECK(kgen.message_of(split + "--out hi=out.npz:../a --out lo=lo.npy", 3) ==
          "kgen: out.npz: cannot be written: the name '../a' has a '..'\n");
}

TEST_CASE("kgen run --dtype converts files and numbers before the call") {
    const Inputs kgen;
    const auto dtype_of_output = [&](const std::string& arguments) {
        const CommandResult result = kgen.run_line("run --json --elementwise " + arguments);
        INFO(result.messages);
        REQUIRE(result.exit_status == 0);
        const auto output = nlohmann::json::parse(result.output)["outputs"][0];
        return output["dtype"].get<std::string>() + " " + output["values"].dump();
    };
    CHECK(dtype_of_output("'T x' 'T z' 'z = x / 2' x=x.npy --dtype x=int32") == "int32 [0,0,1]");
    CHECK(dtype_of_output("'T x' 'T z' 'z = x' x=model.npz --dtype x=float16") ==
          "float16 [0.0,1.0,2.0]");
    CHECK(dtype_of_output("'T x' 'T z' 'z = x' x=x.npy --dtype x=bfloat16") ==
          "bfloat16 [0.0,1.0,2.0]");
    CHECK(dtype_of_output("'T x' 'T z' 'z = x' x=x.npy --dtype x=float64") ==
          "float64 [0.0,1.0,2.0]");
    CHECK(dtype_of_output("'T x' 'T z' 'z = x / 2' x=5 --size 1 --dtype x=float32") ==
          "float32 [2.5]");
    CHECK(dtype_of_output("'T x' 'T z' 'z = x' x=0.1 --size 1 --dtype x=float16") ==
          "float16 [0.0999755859375]");
    CHECK(
        dtype_of_output("'T x, U y' 'T z' 'z = x + y' x=x.npy y=1 --dtype x=int8 --dtype y=bool") ==
        "int8 [1,2,3]");
    CHECK(dtype_of_output("'T x' 'T z' 'z = x / 2' 'x=[1, 5]' --dtype x=float16") ==
          "float16 [0.5,2.5]");
    CHECK(kgen.run_line("explain negative 'x=[1, 5]' --dtype x=float16 --brief")
              .output.find("types      T = float16\n") != std::string::npos);
    CHECK(kgen.run_line("explain negative x=x.npy --dtype x=complex64 --brief")
              .output.find("types      T = complex64\n") != std::string::npos);
}

TEST_CASE("kgen run --dtype tells what it cannot convert") {
    const Inputs kgen;
    const std::string negative = "run --elementwise 'T x' 'T z' 'z = -x' --size 1 ";
    CHECK(kgen.message_of(negative + "x=300 --dtype x=int8", 2) ==
          "kgen: --dtype 'x=int8': 300 does not fit int8 (-128 to 127)\n");
    CHECK(kgen.message_of(negative + "x=1+2j --dtype x=float", 2) ==
          "kgen: --dtype 'x=float32': (1+2j) does not fit float32 (it is complex)\n");
    CHECK(kgen.message_of(negative + "x=1 --dtype x=int8 --dtype x=int16", 2) ==
          "kgen: --dtype 'x=int16': 'x' already has a dtype\n");
    CHECK(kgen.message_of(negative + "x=1 --dtype z=int8", 2) ==
          "kgen: --dtype 'z=int8': 'z' is neither a file nor a number\n");
    CHECK(kgen.message_of("explain negative x=int32[3] --dtype x=int8", 2) ==
          "kgen: --dtype 'x=int8': 'x' is neither a file nor a number\n");
    CHECK(kgen.message_of("run negative x=none.npy --dtype x=bfloat16", 3) ==
          "kgen: none.npy: cannot be opened: No such file or directory\n");
}
