// SPDX-License-Identifier: MIT
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

using namespace kgen;
using nlohmann::json;

namespace {

// A command whose folder has float32 files x.npy (2, 5) and y.npy (5,).
struct Inputs : Command {
    Inputs() {
        const ArrayOptions host{.device = Device::host()};
        save_npy(path("x.npy"), arange(10, float32, host).reshape({2, 5}));
        save_npy(path("y.npy"), arange(5, float32, host));
    }
};

Array load(const std::string& path) {
    return load_npy(path, {.device = Device::host()});
}

const std::vector<std::string> squared_difference = {
    "run", "--elementwise", "T x, T y", "T z", "z = (x - y) * (x - y)"};

}  // namespace

TEST_CASE("kgen run prints its output as NumPy does") {
    const Inputs kgen;
    const CommandResult result = kgen.run(words(squared_difference, {"y=y.npy", "x=x.npy"}));
    CHECK(result.output == "[[ 0.  0.  0.  0.  0.]\n [25. 25. 25. 25. 25.]]\n");
    CHECK(result.messages == "");
    CHECK(result.exit_status == 0);
}

TEST_CASE("kgen run converts scalars to the parameter's dtype") {
    struct Case {
        const char* inputs;
        const char* outputs;
        const char* body;
        std::vector<std::string> arguments;
        const char* printed;
    };
    const std::vector<Case> cases = {
        {"T x", "T z", "z = x", {"x=5", "--size", "2"}, "[5 5]\n"},
        {"T x", "T z", "z = x / 2", {"x=5.0", "--size", "1"}, "[2.5]\n"},
        {"T x", "T z", "z = !x", {"x=true", "--size=1"}, "[False]\n"},
        {"T x", "T z", "z = x * x", {"x=1+2j", "--size", "1"}, "[-3.+4.j]\n"},
        {"float16 x", "float32 z", "z = x", {"x=0.1", "--size", "1"}, "[0.09997559]\n"},
        {"", "int64 z", "z = i * i", {"--size", "4", "--block-size", "64"}, "[0 1 4 9]\n"},
        {"T a, T b", "T z", "z = a - b", {"b=1", "a=3", "--size", "1"}, "[2]\n"}};
    const Command kgen;
    for (const Case& row : cases) {
        const CommandResult result = kgen.run(
            words({"run", "--elementwise", row.inputs, row.outputs, row.body}, row.arguments));
        INFO(row.body << ": " << result.messages);
        CHECK(result.output == row.printed);
        CHECK(result.exit_status == 0);
    }
}

TEST_CASE("kgen run writes the outputs that --out names and prints the others by name") {
    const Inputs kgen;
    const CommandResult result = kgen.run_line(
        "run --elementwise 'T x' 'T lo, T hi' 'lo = x < 3 ? x : T(0); hi = x < 3 ? T(0) : x' "
        "x=y.npy --out hi=hi.npy");
    CHECK(result.messages == "");
    CHECK(result.output == "lo:\n[0. 1. 2. 0. 0.]\n");
    CHECK(load(kgen.path("hi.npy")).to_vector<float>() == std::vector<float>{0, 0, 0, 3, 4});
}

TEST_CASE("kgen run reads an output that is given and the body changes it in place") {
    const Inputs kgen;
    for (const bool time : {false, true}) {
        std::vector<std::string> arguments = {"run",
                                              "--elementwise",
                                              "T x",
                                              "T y",
                                              "y += x",
                                              "x=x.npy",
                                              "y=x.npy",
                                              "--out",
                                              "y=sum.npy"};
        if (time) arguments.push_back("--time");
        const CommandResult result = kgen.run(arguments);
        CHECK(result.output == "");
        CHECK((result.messages == "") == !time);
        CHECK(load(kgen.path("sum.npy")).to_vector<float>() ==
              std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18});
    }
}

TEST_CASE("kgen run keeps dtype, order and values of .npy files") {
    const Command kgen;
    const ArrayOptions host{.device = Device::host()};
    const Array x = arange(6, complex64, host).reshape({2, 3}).copy(Order::f);
    save_npy(kgen.path("x.npy"), x);
    const CommandResult result =
        kgen.run({"run", "--elementwise", "T x", "T z", "z = x", "x=x.npy", "--out", "z=z.npy"});
    CHECK(result.messages == "");
    CHECK(kgen.read(kgen.path("z.npy")) == kgen.read(kgen.path("x.npy")));
}

TEST_CASE("kgen run reads bfloat16 where --dtype says so") {
    const Command kgen;
    const Array x = full({2}, 1.5, bfloat16, {.device = Device::host()});
    save_npy(kgen.path("x.npy"), x);
    const std::vector<std::string> run = {
        "run", "--elementwise", "T x", "T z", "z = x + x", "x=x.npy"};
    CHECK(kgen.run(words(run, {"--dtype", "x=bfloat16"})).output == "[3. 3.]\n");
    CHECK(kgen.run(run).messages ==
          "kgen: x.npy: dtype '<V2' is unknown: if the elements are bfloat16, pass that dtype\n");
    CHECK(kgen.run(words(run, {"--dtype", "x=bfloat"})).messages ==
          "kgen: --dtype 'x=bfloat': unknown dtype 'bfloat'\n");
    CHECK(kgen.run(words(run, {"--dtype", "z=bfloat16"})).messages ==
          "kgen: --dtype 'z=bfloat16': 'z' is neither a file nor a number\n");
}

TEST_CASE("kgen run passes preamble, options and code around the loop to the kernel") {
    const Command kgen;
    const CommandResult result = kgen.run({"run",
                                           "--elementwise",
                                           "",
                                           "int32 z",
                                           "z = twice(start) + STEP",
                                           "--size",
                                           "2",
                                           "--preamble",
                                           "__device__ int twice(int v) { return 2 * v; }",
                                           "--option",
                                           "-DSTEP=1",
                                           "--option=-DSTART=20",
                                           "--loop-prep",
                                           "int start = START;",
                                           "--name",
                                           "steps"});
    CHECK(result.messages == "");
    CHECK(result.output == "[41 41]\n");
}

TEST_CASE("kgen run --json prints one object") {
    const Inputs kgen;
    const CommandResult result = kgen.run_line(
        "run --elementwise 'T x' 'T z, bool big, complex64 c' 'z = 1 / x; big = x > 1; c = x' "
        "x=y.npy --json --time --out c=c.npy --name inverse");
    CHECK(result.messages == "");
    json object = json::parse(result.output);
    CHECK(object["time"]["first_ms"].get<double>() > 0);
    CHECK(object["time"]["later_ms"].get<double>() > 0);
    CHECK(object["time"]["later_calls"].get<int>() >= 1);
    object.erase("time");
    CHECK(object == json::parse(R"({"schema": 1, "kernel": "inverse", "device": "host", "outputs": [
        {"name": "z", "dtype": "float32", "shape": [5],
         "values": ["inf", 1.0, 0.5, 0.3333333432674408, 0.25]},
        {"name": "big", "dtype": "bool", "shape": [5], "values": [false, false, true, true, true]},
        {"name": "c", "dtype": "complex64", "shape": [5], "file": "c.npy"}]})"));
}

TEST_CASE("kgen run refuses arguments that do not fit the kernel") {
    struct Case {
        std::vector<std::string> arguments;
        const char* message;
    };
    const std::vector<Case> cases = {
        {{"x=x.npy"}, "kernel 'kernel': input 2 ('y') is missing; give y=NUMBER or y=FILE.npy"},
        {{"x=x.npy", "w=5"}, "kernel 'kernel': no parameter is called 'w': expected x, y, z"},
        {{"x=1", "y=2", "x=3"}, "kernel 'kernel': 'x' is given twice: x=1 and x=3"},
        {{"x=float32[5]", "y=1"},
         "kernel 'kernel': x=float32[5] describes an array without elements; to run the kernel "
         "give x=FILE.npy"},
        {{"x=x.npy", "y=five"},
         "argument 'y=five': 'five' is not a number, true, false, an .npy or .npz file, a list "
         "such "
         "as [1,2,3] or an array such as float32[2,5]"},
        {{"x=x.npy", "y=1+2j"},
         "kernel 'kernel': argument 2 ('y'): (1+2j) does not fit float32 (it is complex)"},
        {{"x=x.npy", "y=1", "z=1"},
         "kernel 'kernel': output 1 ('z') is an output and needs an array, but a number was given"},
        {{"x=x.npy", "y=1", "--out", "x=x2.npy"},
         "--out 'x=x2.npy': 'x' is an input of kernel 'kernel'"},
        {{"x=x.npy", "y=1", "--out", "z=a.npy", "--out", "z=b.npy"},
         "--out 'z=b.npy': 'z' is already written to a.npy"},
        {{"x=x.npy", "y=1", "--out", "z"}, "--out 'z' is not of the form NAME=VALUE"}};
    const Inputs kgen;
    for (const Case& row : cases) {
        const CommandResult result = kgen.run(words(squared_difference, row.arguments));
        CHECK(result.messages == "kgen: " + std::string(row.message) + "\n");
        CHECK(result.output == "");
        CHECK(result.exit_status == 2);
    }
    const CommandResult near_name =
        kgen.run({"run", "--elementwise", "T alpha", "T z", "z = alpha", "alhpa=1", "--size", "1"});
    CHECK(near_name.messages ==
          "kgen: kernel 'kernel': no parameter is called 'alhpa': expected alpha, z; did you mean "
          "'alpha'?\n");
    const CommandResult half_given =
        kgen.run({"run", "--elementwise", "T x", "T a, T b", "a = x; b = x", "x=x.npy", "b=x.npy"});
    CHECK(half_given.messages ==
          "kgen: kernel 'kernel': output 1 ('a') is missing, but output 2 ('b') is given; give all "
          "outputs or none\n");
    const CommandResult one_file = kgen.run_line(
        "run --elementwise 'T x' 'T a, T b' 'a = x; b = x' x=x.npy --out a=o.npy --out b=o.npy");
    CHECK(one_file.messages == "kgen: --out 'b=o.npy': 'a' is already written to that file\n");
}

TEST_CASE("kgen run tells failures of files by status 3") {
    const Inputs kgen;
    const auto message = [&](const std::vector<std::string>& arguments) {
        const CommandResult result = kgen.run(words(squared_difference, arguments));
        CHECK(result.exit_status == 3);
        return result.messages;
    };
    CHECK(message({"x=none.npy", "y=1"}) ==
          "kgen: none.npy: cannot be opened: No such file or directory\n");
    CHECK(message({"x=x.npy", "y=1", "--out", "z=none/z.npy"}) ==
          "kgen: none/z.npy: cannot be written: No such file or directory\n");
    const auto status_to = [&](const std::string& output) {
        return kgen.run(words(squared_difference, {"x=x.npy", "y=1"}), output);
    };
    const CommandResult full = status_to("/dev/full");
    CHECK(full.messages == "kgen: stdout: cannot be written: No space left on device\n");
    CHECK(full.exit_status == 3);
    const CommandResult closed = status_to("");
    CHECK(closed.messages == "kgen: stdout: cannot be written: Bad file descriptor\n");
    CHECK(closed.exit_status == 3);
}

TEST_CASE("kgen run tells a compile error by status 4 and a caret in the body") {
    const Inputs kgen;
    const CommandResult result =
        kgen.run({"run", "--elementwise", "T x", "T z", "z = x + w", "x=x.npy", "--name", "sum"});
    const std::string first_line = result.messages.substr(0, result.messages.find('\n'));
    CHECK(first_line.find("kgen: kernel 'sum': ") == 0);
    CHECK(first_line.find(" rejected the source for ") != std::string::npos);
    CHECK(result.messages.find("sum (operation)(1:9): error: ") != std::string::npos);
    CHECK(result.messages.find("\n  z = x + w\n          ^\n") != std::string::npos);
    CHECK(result.output == "");
    CHECK(result.exit_status == 4);
}

TEST_CASE("kgen run tells a device that is not there by status 5") {
    const Inputs kgen;
    const CommandResult result =
        kgen.run(words(squared_difference, {"x=x.npy", "y=1", "--device", "cuda:99"}));
    CHECK(result.messages.substr(0, 6) == "kgen: ");
    CHECK(result.messages.size() > 6);
    CHECK(result.output == "");
    CHECK(result.exit_status == 5);
}

TEST_CASE("a second process is served from the cache") {
    Inputs kgen;
    const std::vector<std::string> run = words(squared_difference, {"x=x.npy", "y=1"});
    const std::string first = kgen.run(run).output;
    kgen.environment["KGEN_HOST_CXX"] = "/nonexistent/c++";
    const CommandResult second = kgen.run(run);
    INFO(second.messages);
    CHECK(second.exit_status == 0);
    CHECK(second.output == first);
}
