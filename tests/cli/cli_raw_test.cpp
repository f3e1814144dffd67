// SPDX-License-Identifier: MIT
//
// Raw kernels on the command line: run --raw.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

using namespace kgen;
using nlohmann::json;

namespace {

// A command whose folder has programs and x.npy, the float32 numbers 0 to 4.
struct Programs : Command {
    Programs() {
        save_npy(path("x.npy"), arange(5, float32, {.device = Device::host()}));
        std::ofstream(path("saxpy.cu"))
            << "extern \"C\" __global__ void saxpy(\n"
               "    float a, const float* x, float* y, int n) {\n"
               "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "    if (i < n) y[i] += a * x[i];\n"
               "}\n";
        std::ofstream(path("scale.cu")) << "template <typename T, int factor>\n"
                                           "__global__ void scale(const T* x, T* y) {\n"
                                           "    y[threadIdx.x] = x[threadIdx.x] * factor;\n"
                                           "}\n";
        std::ofstream(path("unnamed.cu")) << "__global__ void unnamed(const float*, float*) {}\n";
        std::ofstream(path("longer.cu")) << "__global__ void longer(int factor, float*) {}\n";
        std::ofstream(path("partly.cu")) << "__global__ void partly(float* , int n) {}\n";
        std::ofstream(path("broken.cu")) << "__global__ void broken(float* y) {\n"
                                            "    y[0] = w;\n"
                                            "}\n";
    }
};

const std::vector<std::string> saxpy_run = {
    "run", "--raw", "saxpy.cu", "--kernel", "saxpy", "--grid", "2", "--block", "4"};

}  // namespace

TEST_CASE("kgen run --raw launches a kernel and prints the arrays that it made") {
    const Programs kgen;
    const CommandResult result =
        kgen.run(words(saxpy_run, {"a=2.0", "x=x.npy", "y=float32[5]", "n=5"}));
    CHECK(result.messages == "");
    CHECK(result.output == "[0. 2. 4. 6. 8.]\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("kgen run --raw gives each value to the parameter of its name, in any order") {
    const Programs kgen;
    const std::vector<std::string> given = {"a=2.0", "x=x.npy", "y=float32[5]", "n=5"};
    std::vector<std::size_t> order = {0, 1, 2, 3};
    do {
        std::vector<std::string> arguments;
        for (const std::size_t k : order) arguments.push_back(given[k]);
        const CommandResult result = kgen.run(words(saxpy_run, arguments));
        INFO(arguments[0] << ' ' << arguments[1] << ' ' << arguments[2] << result.messages);
        CHECK(result.output == "[0. 2. 4. 6. 8.]\n");
    } while (std::next_permutation(order.begin(), order.end()));
    const CommandResult swapped = kgen.run(words(saxpy_run, {"2.0", "x.npy", "n=5", "y=x.npy"}));
    CHECK(swapped.messages == "");
    CHECK(swapped.output == "[ 0.  3.  6.  9. 12.]\n");
}

TEST_CASE("kgen run --raw knows the names of a kernel that macros of a header declare") {
    const Programs kgen;
    std::filesystem::create_directory(kgen.path("macros"));
    std::ofstream(kgen.path("macros/own.cuh"))
        << "#define KERNEL extern \"C\" __global__\n#define WAIT __syncthreads()\n";
    std::ofstream(kgen.path("turned.cu")) << "#include <own.cuh>\n"
                                             "KERNEL void turned(float* x, int n) {\n"
                                             "    const float last = x[n - 1 - threadIdx.x];\n"
                                             "    WAIT;\n"
                                             "    x[threadIdx.x] = last;\n"
                                             "}\n";
    const CommandResult result = kgen.run_line(
        "run --raw=turned.cu --include=macros --kernel=turned --grid=1 --block=5 n=5 x=x.npy");
    CHECK(result.messages == "");
    CHECK(result.output == "[4. 3. 2. 1. 0.]\n");
}

TEST_CASE("kgen run --raw takes values without names in the kernel's order") {
    const Programs kgen;
    CHECK(kgen.run(words(saxpy_run, {"2.0", "x.npy", "float32[5]", "5"})).output ==
          "[0. 2. 4. 6. 8.]\n");
    const CommandResult negative =
        kgen.run(words(saxpy_run, {"--", "-2.0", "x.npy", "x.npy", "5"}));
    CHECK(negative.messages == "");
    CHECK(negative.output == "[ 0. -1. -2. -3. -4.]\n");
    const CommandResult unnamed = kgen.run_line(
        "run --raw unnamed.cu --kernel unnamed --grid=1 --block=1 x.npy float32[2] --out 2=y.npy");
    CHECK(unnamed.messages == "");
    CHECK(load_npy(kgen.path("y.npy"), {.device = Device::host()}).to_vector<float>() ==
          std::vector<float>{0, 0});
}

TEST_CASE("kgen run --raw shows all that the kernel may have written where --out names nothing") {
    const Programs kgen;
    std::ofstream(kgen.path("split.cu"))
        << "#include <kgen/array.cuh>\n"
           "template <class T> __global__ void split(kgen::array<const T, 1> x, T* low, T* high) "
           "{\n"
           "    const int i = threadIdx.x;\n"
           "    low[i] += x(i) < 2 ? x(i) : 0; high[i] += x(i) < 2 ? 0 : x(i);\n"
           "}\n";
    const CommandResult result = kgen.run_line(
        "run --raw split.cu --kernel split<float> --grid=1 --block=5 high=float32[5] low=x.npy "
        "x=x.npy");
    CHECK(result.messages == "");
    CHECK(result.output == "low:\n[0. 2. 2. 3. 4.]\nhigh:\n[0. 0. 2. 3. 4.]\n");
}

TEST_CASE("kgen run --raw writes the arrays that --out names, whichever they are") {
    const Programs kgen;
    const CommandResult result = kgen.run(
        words(saxpy_run, {"a=2.0", "x=x.npy", "y=x.npy", "n=5", "--out", "y=y.npy", "--time"}));
    CHECK(result.output == "");
    CHECK(result.exit_status == 0);
    CHECK(load_npy(kgen.path("y.npy"), {.device = Device::host()}).to_vector<float>() ==
          std::vector<float>{0, 3, 6, 9, 12});
}

TEST_CASE("kgen run --raw instantiates templates by their expressions") {
    const Programs kgen;
    const CommandResult result = kgen.run_line(
        "run --raw scale.cu --kernel 'scale<float, 3>' --grid=1 --block=5 x=x.npy y=float32[5] "
        "--json");
    CHECK(result.messages == "");
    const json object = json::parse(result.output);
    CHECK(object["kernel"] == "scale<float, 3>");
    CHECK(object["outputs"][0]["name"] == "y");
    CHECK(object["outputs"][0]["values"] == json({0, 3, 6, 9, 12}));
}

TEST_CASE("kgen run --raw says what is wrong and how it ends") {
    struct Case {
        std::vector<std::string> arguments;
        int exit_status;
        const char* message;
    };
    const std::vector<Case> cases = {
        {{"run", "--raw", "saxpy.cu", "--grid", "1", "--block", "1"},
         2,
         "kgen: --raw: the kernel is missing; give --kernel NAME\n"},
        {{"run", "--raw", "saxpy.cu", "--kernel", "saxpy", "--block", "1"},
         2,
         "kgen: --raw: the grid is missing; give --grid X[,Y[,Z]], in blocks\n"},
        {{"run", "--raw", "saxpy.cu", "--kernel", "saxpy", "--grid", "1"},
         2,
         "kgen: --raw: the block is missing; give --block X[,Y[,Z]], in threads\n"},
        {{"run", "--elementwise", "T x", "T y", "y = x", "x=x.npy", "--grid", "1"},
         2,
         "kgen: --grid needs --raw\n"},
        {words(saxpy_run, {"--axis", "0"}), 2, "kgen: --axis cannot be used with --raw\n"},
        {words(saxpy_run, {"a=2.0", "x=x.npy", "y=float32[5]", "y=5"}),
         2,
         "kgen: kernel 'saxpy': 'y' is given twice\n"},
        {words(saxpy_run, {"a=2.0", "x=x.npy", "y=float32[5]/strides=8", "n=5"}),
         2,
         "kgen: argument 'y=float32[5]/strides=8': an array that kgen creates is C-contiguous: "
         "remove the strides\n"},
        {words(saxpy_run, {"a=2.0", "x=x.npy", "y=float32[5]", "n=5", "--out", "a=a.npy"}),
         2,
         "kgen: --out 'a=a.npy': 'a' is a number, not an array\n"},
        {{"run", "--raw", "none.cu", "--kernel", "k", "--grid", "1", "--block", "1"},
         3,
         "kgen: module 'none.cu': cannot be opened: No such file or directory\n"},
        {{"run",
          "--raw",
          "broken.cu",
          "--kernel",
          "broken",
          "--grid",
          "1",
          "--block",
          "1",
          "y=float32[1]",
          "--device",
          "host"},
         4,
         nullptr},
        {words(saxpy_run, {"a=2.0", "x=x.npy", "y=float32[5]"}),
         2,
         "kgen: kernel 'saxpy': argument 4 of 4 ('n') is missing; give n=NUMBER, n=FILE.npy or "
         "n=float32[2,5]\n"},
        {words(saxpy_run, {"2.0", "x.npy", "n=5"}),
         2,
         "kgen: kernel 'saxpy': argument 3 of 4 ('y') is missing; give y=NUMBER, y=FILE.npy or "
         "y=float32[2,5]\n"},
        {words(saxpy_run, {"2.0", "x.npy", "float32[5]", "5", "6"}),
         2,
         "kgen: kernel 'saxpy': got 5 arguments, expected 4\n"},
        {words(saxpy_run, {"a=2.0", "x=x.npy", "yy=float32[5]", "n=5"}),
         2,
         "kgen: kernel 'saxpy': no parameter is called 'yy': expected a, x, y, n\n"},
        {{"run", "--raw", "longer.cu", "--kernel", "longer", "--grid=1", "--block=1", "facotr=1"},
         2,
         "kgen: kernel 'longer': no parameter is called 'facotr': expected factor, 2; did you mean "
         "'factor'?\n"},
        {words(saxpy_run, {"2.0", "x.npy", "a=3.0", "n=5"}),
         2,
         "kgen: kernel 'saxpy': 'a' is given twice: 2.0 and a=3.0\n"},
        {words(saxpy_run, {"a=2.0", "x.npy", "y=float32[5]", "n=5"}),
         2,
         "kgen: argument 'x.npy': values without names must precede those with names\n"},
        {words(saxpy_run, {"a=2.0", "x=x.npy", "y=float32[5]", "five"}),
         2,
         "kgen: argument 'five': 'five' is not a number, true, false, an .npy or .npz file, a list "
         "such as [1,2,3] or an array such as float32[2,5]\n"},
        {words(saxpy_run, {"a=2.0", "x=x.npy", "y=float32[5]", "n=3000000000"}),
         2,
         "kgen: kernel 'saxpy': argument 4 of 4: 3000000000 does not fit int (-2147483648 to "
         "2147483647)\n"},
        {words(saxpy_run, {"a=2.0", "x=x.npy", "y=float64[5]", "n=5"}),
         2,
         "kgen: kernel 'saxpy': argument 3 of 4 is an array of float64, the kernel expects float32 "
         "(float*)\nconvert a file with --dtype NAME=float32\n"},
        {{"run",
          "--raw",
          "unnamed.cu",
          "--kernel",
          "unnamed",
          "--grid=1",
          "--block=1",
          "x=x.npy",
          "y=x.npy"},
         2,
         "kgen: kernel 'unnamed': the compiled code does not contain the names of its parameters: "
         "give 'x' and the other values without names, in the kernel's order\n"},
        {{"run", "--raw", "partly.cu", "--kernel", "partly", "--grid=1", "--block=1", "n=1"},
         2,
         "kgen: kernel 'partly': argument 1 of 2 is missing; the compiled code does not contain "
         "its name: give the values without names, in the kernel's order\n"},
    };
    const Programs kgen;
    for (const Case& row : cases) {
        const CommandResult result = kgen.run(row.arguments);
        INFO(result.messages);
        CHECK(result.exit_status == row.exit_status);
        CHECK(result.output == "");
        if (row.message != nullptr) CHECK(result.messages == row.message);
    }
    const CommandResult grid = kgen.run({"run", "--raw", "saxpy.cu", "--grid", "2,x"});
    CHECK(grid.exit_status == 2);
    CHECK(grid.messages.find(
              "'2,x' is not an extent: expected up to three integers such as 64 or 16,16") !=
          std::string::npos);
    const CommandResult broken = kgen.run_line(
        "run --raw broken.cu --kernel broken --grid=1 --block=1 y=float32[1] --device=host");
    CHECK(broken.messages.find("broken.cu(2:12): error:") != std::string::npos);
    CHECK(broken.messages.find("    y[0] = w;\n             ^") != std::string::npos);
}
