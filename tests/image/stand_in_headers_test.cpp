// SPDX-License-Identifier: MIT
//
// The stand-ins for standard headers define what they should, alone and together, with every compiler and
// next to CUDA's own headers.
#include "source/stand_in_headers.hpp"

#include <algorithm>
#include <fstream>
#include <kgen/error.hpp>
#include <set>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "image/included_files.hpp"
#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/prelude_program.hpp"
#include "support/stand_in_checks.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr const char* kernel = "__global__ void kgen_use(int* p) { *p = 1; }\n";

std::string include_of(std::string_view header) {
    return "#include <" + std::string(header) + ">\n";
}

// Includes the header twice, since programs may do so.
std::string program_of(const StandInCheck& check) {
    return std::string(stand_in_check_prelude) + include_of(check.header) +
           include_of(check.header) + std::string(check.text) + kernel;
}

std::string all_checks() {
    std::string text;
    for (const StandInCheck& check : stand_in_checks) text += check.text;
    return text;
}

std::string all_includes() {
    std::string text;
    for (const StandInCheck& check : stand_in_checks) text += include_of(check.header);
    return text;
}

struct Compiled {
    std::string refusal;  // the log if the source is rejected
    std::string warnings;
};

Compiled compile_for_cuda(const std::string& text, const std::vector<std::string>& options) {
    const IncludedFiles files = find_included_files(
        {.texts = {{"k.cu", text}}, .headers = {}, .include_directories = {}, .options = options});
    CompileJob job{.kernel = "k",
                   .source = text,
                   .symbol = "kgen_use",
                   .options = options,
                   .target = {DeviceKind::cuda, "sm_90"}};
    job.kind = SourceKind::raw;
    job.headers = files.headers;
    job.include_directories = files.include_directories;
    job.included_digest = files.digest;
    CHECK(!files.digest.empty());
    try {
        return {{}, compiler(DeviceKind::cuda).compile(job).log};
    } catch (const CompileError& error) {
        return {error.log().empty() ? error.what() : error.log(), {}};
    }
}

// The checks themselves cause these warnings, not the headers.
const std::vector<std::string> quiet = {"-diag-suppress=177"};

std::vector<std::string> with(std::vector<std::string> options, const std::string& option) {
    options.push_back(option);
    return options;
}

}  // namespace

TEST_CASE("every stand-in for a standard header has a check", "[stand_in]") {
    std::set<std::string_view> checked;
    for (const StandInCheck& check : stand_in_checks) checked.insert(check.header);
    for (const EmbeddedFile& header : stand_ins(DeviceKind::cuda)) {
        INFO(header.name);
        CHECK((checked.count(header.name) == 1 || header.name == "kgen/function.h"));
        CHECK(header.text.substr(0, 32) == "// SPDX-License-Identifier: MIT\n");
        CHECK(find_stand_in(header.name, DeviceKind::cuda)->text.data() == header.text.data());
    }
    CHECK(find_stand_in("vector", DeviceKind::cuda) == nullptr);
    CHECK(find_stand_in("cuda_runtime.h", DeviceKind::cuda) == nullptr);
    CHECK(find_stand_in("cuda_runtime.h", DeviceKind::host) != nullptr);
}

TEST_CASE("NVRTC finds each stand-in as it should be", "[stand_in][nvrtc]") {
    if (!has_nvrtc()) return;
    for (const StandInCheck& check : stand_in_checks) {
        INFO(check.header);
        const Compiled made = compile_for_cuda(program_of(check), quiet);
        CHECK(made.refusal == "");
        CHECK(made.warnings == "");
    }
}

TEST_CASE("NVRTC takes all stand-ins together", "[stand_in][nvrtc]") {
    if (!has_nvrtc()) return;
    for (const char* standard : {"-std=c++17", "-std=c++20"}) {
        for (const char* lines : {"", "using namespace std;\n"}) {
            INFO(standard << lines);
            const Compiled made =
                compile_for_cuda(std::string(stand_in_check_prelude) + all_includes() + lines +
                                     all_checks() + kernel,
                                 with(quiet, standard));
            CHECK(made.refusal == "");
            CHECK(made.warnings == "");
        }
    }
}

TEST_CASE("stand-ins go with CUDA's own headers, before and after them", "[stand_in][nvrtc]") {
    if (!has_nvrtc()) return;
    if (compiler(DeviceKind::cuda).toolkit_include_directories().empty()) {
        WARN("SKIPPED: no headers of CUDA");
        return;
    }
    const std::string cuda =
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda/std/type_traits>\n"
        "#include <cuda/std/cstdint>\n#include <cuda/std/limits>\n#include <cuda/std/complex>\n"
        "#include <cuda/std/tuple>\n#include <cuda/std/array>\n#include <math_constants.h>\n";
    const std::string uses =
        "static_assert(cuda::std::is_same_v<cuda::std::int64_t, int64_t>, \"\");\n"
        "__global__ void kgen_half(__half* p, cuda::std::complex<float>* c) {\n"
        "    *p = __float2half(std::sqrt(2.0f));\n    *c *= *c;\n}\n";
    for (const bool stand_ins_first : {true, false}) {
        INFO(stand_ins_first);
        const Compiled made =
            compile_for_cuda(std::string(stand_in_check_prelude) +
                                 (stand_ins_first ? all_includes() + cuda : cuda + all_includes()) +
                                 all_checks() + uses + kernel,
                             quiet);
        CHECK(made.refusal == "");
        CHECK(made.warnings == "");
    }
}

TEST_CASE("the host's compilers take all stand-ins, alone and together", "[stand_in]") {
    const std::string prelude =
        prelude::sections({"base_host", "math_host", "special_host", "intrinsics_host"});
    std::vector<std::string> programs = {
        std::string(stand_in_check_prelude) + all_includes() + all_checks(),
        std::string(stand_in_check_prelude) + all_includes() + "using namespace std;\n" +
            all_checks()};
    for (const StandInCheck& check : stand_in_checks) programs.push_back(program_of(check));
    const std::string folder = " -I" KGEN_SOURCE_DIR "/kernel_templates/headers";
    for (const std::string& name : prelude::host_compilers()) {
        for (const std::string& program : programs) {
            INFO(name << "\n" << program.substr(0, 100));
            CHECK(prelude::host_log(name, prelude + program, "-std=c++17" + folder) == "");
        }
        for (const std::string& program : {programs[0], programs[1]}) {
            INFO(name);
            CHECK(prelude::host_log(name, prelude + program, "-std=c++20" + folder) == "");
        }
    }
}
