// SPDX-License-Identifier: MIT
//
// The message that a user gets if a compiler does not find a header.
#include <filesystem>
#include <fstream>
#include <string>

#include "image/included_files.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

namespace {

const std::string own_headers =
    "kgen has these standard headers: algorithm, array, cassert, cfloat, climits, cmath, cstddef, "
    "cstdint, cstdio, cstdlib, cstring, functional, initializer_list, iterator, limits, new, "
    "numeric, tuple, type_traits, utility";

IncludeRequest request_for(const std::string& text, std::vector<std::string> toolkit = {}) {
    return {.texts = {{"k.cu", text}},
            .headers = {},
            .include_directories = {},
            .options = {},
            .device = DeviceKind::cuda,
            .toolkit_directories = std::move(toolkit)};
}

std::string explain(const std::string& log, const IncludeRequest& request) {
    return explain_missing_header(log, request, find_included_files(request));
}

// As NVRTC reports it.
std::string nvrtc_log(const std::string& name, const std::string& includer = "k.cu") {
    return includer + "(1): catastrophic error: cannot open source file \"" + name +
           "\"\n  #include \"" + name + "\"\n\n1 catastrophic error detected\n";
}

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("every compiler's words for a missing header are understood", "[include]") {
    const IncludeRequest request = request_for("#include \"mine.h\"\n");
    const std::string told =
        "header 'mine.h' was not found: looked in kgen's own headers\n"
        "name its directory with the option -I, or give its text as a header in memory";
    for (const char* log :
         {"k.cu(1): catastrophic error: cannot open source file \"mine.h\"\n  #include "
          "\"mine.h\"\n",
          "k.cu(1): catastrophic error: could not open source file \"mine.h\" (no directories in "
          "search list)\n",
          "k.cu:1:10: fatal error: mine.h: No such file or directory\n    1 | #include <mine.h>\n",
          "In file included from <stdin>:3:\nk.cu:1:10: fatal error: 'mine.h' file not found\n"}) {
        INFO(log);
        CHECK(explain(log, request) == told);
    }
    CHECK(explain("", request) == "");
    CHECK(explain("k.cu(1): error: identifier \"x\" is undefined\n", request) == "");
    CHECK(explain("k.cu(1): warning: cannot open source file \"mine.h\"\n", request) == "");
}

TEST_CASE("all places where kgen looked are named, and the nearest name", "[include]") {
    const ::TempDir directory, toolkit;
    write(directory / "filters/median.cuh", "");
    write(toolkit / "cub/block/block_reduce.cuh", "");
    IncludeRequest request = request_for("", {toolkit.path()});
    request.headers = {{"tile.cuh", ""}, {"sum.h", ""}};
    request.include_directories = {directory.path()};
    request.options = {"-I", "/opt/more"};
    const std::string looked =
        "' was not found: looked in the headers in memory ('tile.cuh', "
        "'sum.h'), '" +
        directory.path() + "', '/opt/more', kgen's own headers, '" + toolkit.path() + "'\n";
    CHECK(explain(nvrtc_log("tiles.cuh"), request) ==
          "header 'tiles.cuh" + looked + "did you mean 'tile.cuh'?");
    CHECK(explain(nvrtc_log("filters/medain.cuh"), request) ==
          "header 'filters/medain.cuh" + looked + "did you mean 'filters/median.cuh'?");
    CHECK(explain(nvrtc_log("cub/block/block_reduc.cuh"), request) ==
          "header 'cub/block/block_reduc.cuh" + looked +
              "did you mean 'cub/block/block_reduce.cuh'?");
    CHECK(explain(nvrtc_log("cstdin"), request) ==
          "header 'cstdin" + looked + "did you mean 'cstdint'?");
}

TEST_CASE("what provides a header is said", "[include]") {
    const ::TempDir toolkit;
    write(toolkit / "cuda/std/optional", "");
    const IncludeRequest request = request_for("", {toolkit.path()});
    const std::string looked =
        "' was not found: looked in kgen's own headers, '" + toolkit.path() + "'\n";
    const std::string install =
        "it comes with the CUDA toolkit (packages cuda-cudart-dev and cuda-cccl of NVIDIA's "
        "repository); set CUDA_PATH to a toolkit that has it";
    CHECK(explain(nvrtc_log("optional"), request) ==
          "header 'optional" + looked + "use <cuda/std/optional>, its part for device code");
    CHECK(explain(nvrtc_log("vector"), request) == "header 'vector" + looked + own_headers);
    CHECK(explain(nvrtc_log("string"), request) == "header 'string" + looked + own_headers);
    CHECK(explain(nvrtc_log("cuda/std/algorithm"), request) ==
          "header 'cuda/std/algorithm" + looked + "use <algorithm>");
    CHECK(explain(nvrtc_log("cooperative_groups.h"), request) ==
          "header 'cooperative_groups.h" + looked + install);
    CHECK(explain(nvrtc_log("cub/block/block_scan.cuh"), request) ==
          "header 'cub/block/block_scan.cuh" + looked + install);

    IncludeRequest host = request;
    host.device = DeviceKind::host;
    host.toolkit_directories = std::vector<std::string>();
    CHECK(explain("<stdin>:1:10: fatal error: cuda_fp16.h: No such file or directory\n", host) ==
          "header 'cuda_fp16.h' was not found: looked in kgen's own headers\n"
          "it belongs to CUDA; the host device does not have CUDA's headers");
    CHECK(explain("<stdin>:1:10: fatal error: optional: No such file or directory\n", host) ==
          "header 'optional' was not found: looked in kgen's own headers\n" + own_headers);
}

TEST_CASE("a toolkit's header that NVRTC cannot compile is named, and what is instead",
          "[include]") {
    const ::TempDir toolkit;
    write(toolkit / "thrust/complex.h", "#include <complex>\n");
    write(toolkit / "cub/cub.cuh", "#include <cub/device.cuh>\n");
    write(toolkit / "cub/device.cuh", "");
    write(toolkit / "cuda_x.h", "#include <GL/gl.h>\n");
    CHECK(explain(nvrtc_log("complex", "thrust/complex.h"),
                  request_for("#include <thrust/complex.h>\n", {toolkit.path()})) ==
          "header 'thrust/complex.h' is not for device code\n"
          "use <cuda/std/complex>, which NVRTC compiles");
    CHECK(
        explain("cub/device.cuh(7): error: A function explicitly marked as a __host__ function is "
                "not allowed in JIT mode\n",
                request_for("#include <cub/cub.cuh>\n", {toolkit.path()})) ==
        "header 'cub/cub.cuh' is not for device code\n"
        "include only the part that you use, such as <cub/block/block_reduce.cuh>");
    CHECK(explain(nvrtc_log("GL/gl.h", "cuda_x.h"),
                  request_for("#include <cuda_x.h>\n", {toolkit.path()})) ==
          "header 'cuda_x.h' of the CUDA toolkit needs 'GL/gl.h', which device code does not have");
    // The user's own error, which is not about a header.
    CHECK(explain("k.cu(3): error: no\n",
                  request_for("#include <cub/cub.cuh>\n", {toolkit.path()})) == "");
}
