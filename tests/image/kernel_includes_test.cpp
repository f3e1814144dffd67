// SPDX-License-Identifier: MIT
//
// #include in the texts of elementwise and reduction kernels: stand-in headers, files and CUDA's headers. The
// kernels are stored like others and compiled again if a file changes.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <vector>

#include "image/find_or_compile.hpp"
#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

bool is_stored(const ElementwiseKernel& kernel, const Array& x) {
    const std::vector<Argument> arguments = {x};
    return kernel.explain(arguments).cached;
}

std::string refusal(const ElementwiseKernel& kernel, const Array& x) {
    try {
        kernel(x);
        return "no error";
    } catch (const CompileError& error) {
        return error.what();
    }
}

// Changes the working directory for a test and restores it.
class WorkingDirectory {
public:
    explicit WorkingDirectory(const std::string& path) : before_(std::filesystem::current_path()) {
        std::filesystem::current_path(path);
    }
    ~WorkingDirectory() { std::filesystem::current_path(before_); }
    WorkingDirectory(const WorkingDirectory&) = delete;
    WorkingDirectory& operator=(const WorkingDirectory&) = delete;

private:
    std::filesystem::path before_;
};

}  // namespace

TEST_CASE("standard headers serve kernels made of strings, on every device", "[include][kernel]") {
    const ElementwiseKernel clamped(
        "T x",
        "T y",
        "y = std::clamp(x, T(-1), std::numeric_limits<T>::max()) + T(INT64_C(1)) + std::min(T(0), "
        "x)",
        "clamped",
        {.preamble = "#include <algorithm>\n#include <cstdint>\n#include <limits>\n"});
    const ReductionKernel largest("T x",
                                  "T y",
                                  "std::abs(x)",
                                  "std::max(a, b)",
                                  "y = a",
                                  "std::numeric_limits<T>::lowest()",
                                  "largest",
                                  {.preamble = "#include <algorithm>\n#include <cmath>\n"
                                               "#include <limits>\n"});
    for (const Device device : present_devices()) {
        const Array x = from_vector(std::vector<double>{-3, 0.5, 2}, {3}, {device});
        CHECK(clamped(x).to_vector<double>() == std::vector<double>{-3, 1.5, 3});
        CHECK(largest(x).item<double>() == 3);
        CHECK(is_stored(clamped, x));
    }
}

TEST_CASE("kernels of the user's own have the same headers, on every device", "[include][kernel]") {
    const RawKernel kernel(
        "#include <algorithm>\n#include <cstdint>\n#include \"lib/mine.h\"\n"
        "#include <kgen/array.cuh>\n"
        "__global__ void k(kgen::array<float, 2> x, int64_t n) {\n"
        "    int i = threadIdx.x;\n"
        "    if (i < n) x(i / 2, i % 2) = std::max(x[i], MINE) + std::sqrt(4);\n}\n",
        "k",
        {.headers = {{"lib/mine.h", "#include \"two.h\"\n#include <cmath>\n"},
                     {"lib/two.h", "#define MINE 2.0f\n"}}});
    for (const Device device : present_devices()) {
        const Array x = from_vector(std::vector<float>{1, 2, 3, 4}, {2, 2}, {device});
        const Array turned = x.transpose();
        kernel.launch({.grid = {1}, .block = {4}}, raw(turned), 3);
        CHECK(x.to_vector<float>() == std::vector<float>{4, 4, 5, 4});
    }
}

TEST_CASE("files below -I serve kernels made of strings, and a change is seen",
          "[include][kernel]") {
    const ::TempDir directory;
    write(directory / "lib/scale.h",
          "#include \"detail/factor.h\"\n#include <cmath>\n"
          "template <class T> __device__ T scale(T x) {\n"
          "    return std::sqrt(x) * FACTOR;\n}\n");
    write(directory / "lib/detail/factor.h", "#define FACTOR 2\n");
    const ElementwiseOptions options = {.preamble = "#include <lib/scale.h>\n",
                                        .options = {"-I" + directory.path()}};
    const auto make = [&] {
        return ElementwiseKernel("T x", "T y", "y = scale(x)", "scaled", options);
    };
    for (const Device device : present_devices()) {
        write(directory / "lib/detail/factor.h", "#define FACTOR 2\n");
        const Array x = from_vector(std::vector<float>{4, 9}, {2}, {device});
        CHECK(!is_stored(make(), x));
        CHECK(make()(x).to_vector<float>() == std::vector<float>{4, 6});
        CHECK(is_stored(make(), x));
        // The size and the time stay the same, so only the bytes differ.
        const auto time = std::filesystem::last_write_time(directory / "lib/detail/factor.h");
        write(directory / "lib/detail/factor.h", "#define FACTOR 3\n");
        std::filesystem::last_write_time(directory / "lib/detail/factor.h", time);
        CHECK(!is_stored(make(), x));
        CHECK(make()(x).to_vector<float>() == std::vector<float>{6, 9});
    }
}

TEST_CASE("include directories serve kernels made of strings, in their order, and a change is seen",
          "[include][kernel][binding]") {
    const ::TempDir first;
    const ::TempDir second;
    const ::TempDir last;
    write(second / "own/factor.h", "#define FACTOR 2\n");
    write(last / "own/factor.h", "#define FACTOR 100\n");
    const std::vector<std::string> directories = {first.path(), second.path()};
    const std::vector<std::string> options = {"-I" + last.path()};
    const auto make = [&] {
        return ElementwiseKernel("T x",
                                 "T y",
                                 "y = FACTOR * x",
                                 "factored",
                                 {.preamble = "#include <own/factor.h>\n",
                                  .options = options,
                                  .include_directories = directories});
    };
    const ReductionKernel sum("T x",
                              "T y",
                              "FACTOR * x",
                              "a + b",
                              "y = a",
                              "0",
                              "factored_sum",
                              {.preamble = "#include \"own/factor.h\"\n",
                               .options = options,
                               .include_directories = directories});
    for (const Device device : present_devices()) {
        write(second / "own/factor.h", "#define FACTOR 2\n");
        const Array x = from_vector(std::vector<float>{4, 9}, {2}, {device});
        CHECK(!is_stored(make(), x));
        CHECK(make()(x).to_vector<float>() == std::vector<float>{8, 18});
        CHECK(is_stored(make(), x));
        CHECK(sum(x).item<float>() == 26);
        write(second / "own/factor.h", "#define FACTOR 3\n");
        CHECK(!is_stored(make(), x));
        CHECK(make()(x).to_vector<float>() == std::vector<float>{12, 27});
    }
}

TEST_CASE("an include directory that no compiler could take is refused at once",
          "[include][kernel][binding]") {
    const auto make = [](std::string directory) {
        return ElementwiseKernel(
            "T x", "T y", "y = x", "k", {.include_directories = {std::move(directory)}});
    };
    CHECK(KGEN_MESSAGE_OF(SignatureError, make("")) ==
          "kernel 'k': an include directory is empty; name the working directory with '.'");
    CHECK(KGEN_MESSAGE_OF(SignatureError, make(std::string("a\0b", 3))) ==
          "kernel 'k': an include directory holds a NUL character");
}

TEST_CASE("a kernel without #include asks for the same as before", "[include][kernel]") {
    const ElementwiseKernel plain("T x", "T y", "y = x + 1", "plain");
    const std::vector<Argument> arguments = {zeros({2}, float32)};
    const Explanation told = plain.explain(arguments);
    for (const auto& [name, digest] : told.request_parts) {
        INFO(name);
        CHECK(name != "included");
    }
    CHECK(told.request_parts.size() == 4);
}

TEST_CASE("of files of one name those in memory come first, then neighbours, then folders in order",
          "[include][kernel]") {
    const ::TempDir first, second;
    for (const char* name : {"a.h", "b.h", "c.h", "lib/a.h", "lib/b.h"})
        write(second / name, std::string("x[k++] = 2") + (name[1] == 'i' ? "2;\n" : "0;\n"));
    for (const char* name : {"a.h", "b.h"}) write(first / name, "x[k++] = 10;\n");
    write(second / "lib/all.h",
          "#include \"a.h\"\n#include <a.h>\n#include \"b.h\"\n#include <b.h>\n"
          "#include \"c.h\"\n#include <c.h>\n");
    const RawKernel kernel(
        "__global__ void k(int* x) {\n    int k = 0;\n"
        "#include <a.h>\n#include \"a.h\"\n#include <b.h>\n#include \"b.h\"\n"
        "#include <c.h>\n#include \"lib/all.h\"\n}\n",
        "k",
        {.options = {"-I" + second.path()},
         .headers = {{"a.h", "x[k++] = 1;\n"}},
         .include_directories = {first.path()}});
    for (const Device device : present_devices()) {
        const Array x = zeros({11}, int32, {device});
        kernel.launch({.grid = {1}, .block = {1}}, x);
        CHECK(x.to_vector<std::int32_t>() ==
              std::vector<std::int32_t>{1, 1, 10, 10, 20, 1, 1, 22, 10, 20, 20});
    }
}

TEST_CASE("a directory that is named from the working directory is found there",
          "[include][kernel]") {
    const ::TempDir directory;
    write(directory / "inc/five.h", "#define FIVE 5\n");
    const WorkingDirectory there(directory.path());
    const ElementwiseKernel five(
        "T x",
        "T y",
        "y = FIVE",
        "five",
        {.preamble = "#define NAME <five.h>\n#include NAME\n", .options = {"-Iinc"}});
    const Array x = zeros({2}, float32, {Device::host()});
    CHECK(five(x).to_vector<float>() == std::vector<float>{5, 5});
    // The compiler found the header instead of kgen, so nothing was stored.
    CHECK(!is_stored(five, x));
}

TEST_CASE("a file in the working directory is not found by accident", "[include][kernel]") {
    const ::TempDir directory;
    write(directory / "stray.h", "#define STRAY 5\n");
    const WorkingDirectory there(directory.path());
    const ElementwiseKernel stray(
        "T x", "T y", "y = STRAY", "stray", {.preamble = "#include \"stray.h\"\n"});
    CHECK(
        refusal(stray, zeros({2}, float32, {Device::host()}))
            .find(
                "header 'stray.h' was not found: looked in kgen's own headers\n"
                "name its directory with the option -I, or give its text as a header in memory") !=
        std::string::npos);
}

TEST_CASE("errors in a header of the user's say its line", "[include][kernel]") {
    const ::TempDir directory;
    write(directory / "bad.h", "\nint a = a_name_like_no_other;\n");
    const ElementwiseKernel bad(
        "T x",
        "T y",
        "y = x",
        "bad",
        {.preamble = "#include <bad.h>\n", .options = {"-I" + directory.path()}});
    const Array x = zeros({2}, float32, {Device::host()});
    INFO(refusal(bad, x));
    CHECK(refusal(bad, x).find(
              "\nbad.h(2:9): error: 'a_name_like_no_other' was not declared in this scope\n"
              "  int a = a_name_like_no_other;\n"
              "          ^") != std::string::npos);
    const ElementwiseKernel absent(
        "T x", "T y", "y = x", "absent", {.preamble = "#include <algoritm>\n"});
    const std::string told = refusal(absent, x);
    INFO(told);
    CHECK(told.find("\nabsent (preamble)(1:10): error: algoritm: No such file or directory\n"
                    "  #include <algoritm>\n"
                    "           ^\n"
                    "header 'algoritm' was not found: looked in kgen's own headers\n"
                    "did you mean 'algorithm'?") != std::string::npos);
    INFO(told);
}

TEST_CASE("the same text of a header in two directories is one image on the host",
          "[include][kernel]") {
    // Neither the path of the file nor the compiler's path becomes part of the code.
    const ::TempDir directory;
    write(directory / "where.h", "inline const char* where() { return __FILE__; }\n");
    const ElementwiseKernel lengths(
        "T x",
        "T y",
        "y = 0; for (const char* c = where(); *c; ++c) y += 1",
        "lengths",
        {.preamble = "#include <where.h>\n", .options = {"-I" + directory.path()}});
    CHECK(lengths(zeros({1}, float32, {Device::host()})).to_vector<float>() ==
          std::vector<float>{7});
}

TEST_CASE("NVRTC takes kernels with headers of every kind", "[include][kernel][nvrtc]") {
    if (!has_nvrtc()) return;
    const ::TempDir directory;
    write(directory / "mine.h",
          "#include <type_traits>\ntemplate <class T> T mine(T x) {\n"
          "    return std::is_floating_point_v<T> ? x : T(0);\n}\n");
    const std::vector<std::string> options = {"-I" + directory.path()};
    const ElementwiseKernel kernel("T x",
                                   "T y",
                                   "y = mine(x) + T(INT_MAX) + std::numeric_limits<T>::epsilon()",
                                   "kinds",
                                   {.preamble = "#include <mine.h>\n#include <climits>\n"
                                                "#include <limits>\n",
                                    .options = options});
    CHECK(cuda_refusal(kernel, {zeros({2}, float32)}, options) == "");
    if (compiler(DeviceKind::cuda).toolkit_include_directories().empty()) {
        WARN("SKIPPED: no headers of CUDA");
        return;
    }
    const ElementwiseKernel half("float32 x",
                                 "float32 y",
                                 "y = __half2float(__hmul(__float2half(x), __float2half(2)))",
                                 "half",
                                 {.preamble = "#include <cuda_fp16.h>\n"});
    CHECK(cuda_refusal(half, {zeros({2}, float32)}) == "");
}
