// SPDX-License-Identifier: MIT
//
// Compiler errors in raw kernels, as the user sees them. The logs are from NVRTC 13.0.88.
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "program/user_errors.hpp"
#include "raw/raw_program.hpp"
#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/fake_raw.hpp"
#include "text/compiler_log.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

FakeRawDevice& device() {
    static auto* device = new FakeRawDevice(Device::cuda(50));
    return *device;
}

const std::vector<UserText> texts = {
    {"saxpy.cu",
     "template<class T> __global__ void axpby(T*x, T a){*x=a * a;}\n"
     "__global__ void saxpy(float* x) {}"}};

std::string explained(const std::string& log, const std::string& missing = {}) {
    const CompileError error(
        "kernel 'saxpi': NVRTC rejected the source for sm_90\n" + log, log, "");
    return explain_raw_error(error, texts, {"axpby", "saxpy"}, missing).what();
}

constexpr const char* undefined_name =
    "__nv_name_map(2): error: identifier \"saxpi\" is undefined\n"
    "  #pragma nv_mangled_name saxpi\n"
    "                          ^\n"
    "\n"
    "__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name "
    "expression was: \" saxpi\"\n"
    "  #pragma nv_mangled_name saxpi\n"
    "                          ^\n"
    "\n"
    "2 errors detected in the compilation of \"/kgen/x.cu\".\n";

constexpr const char* no_instance =
    "__nv_name_map(3): error: cannot determine which instance of function template \"axpby\" is "
    "intended\n"
    "  #pragma nv_mangled_name axpby<void>\n"
    "                          ^\n"
    "\n"
    "1 error detected in the compilation of \"/kgen/x.cu\".\n";

constexpr const char* bad_instance =
    "saxpy.cu(1): error: no operator \"*\" matches these operands\n"
    "            operand types are: U * U\n"
    "  template<class T> __global__ void axpby(T*x, T a){*x=a * a;}\n"
    "                                                         ^\n"
    "saxpy.cu(1): note #3328-D: built-in operator*(<promoted arithmetic>, <promoted arithmetic>) "
    "does not match because argument #1 does not match parameter\n"
    "  template<class T> __global__ void axpby(T*x, T a){*x=a * a;}\n"
    "                                                         ^\n"
    "          detected during instantiation of \"void axpby(T *, T) [with T=U]\" \n"
    "\n"
    "1 error detected in the compilation of \"/kgen/x.cu\".\n";

}  // namespace

TEST_CASE("a name that names nothing is told with the names that are there", "[text]") {
    CHECK(explained(undefined_name) ==
          "kernel 'saxpi': the name 'saxpi' is rejected: identifier \"saxpi\" is undefined\n"
          "the source declares 'axpby', 'saxpy'\n"
          "did you mean 'saxpy'?");
    CHECK(explained(no_instance) ==
          "kernel 'saxpi': the name 'axpby<void>' is rejected: cannot determine which instance of "
          "function template \"axpby\" is intended");
    CHECK_FALSE(find_name_error("saxpy.cu(1): error: no\n").has_value());
    CHECK_FALSE(find_name_error("__nv_name_map(1): error: no\n").has_value());
    CHECK_FALSE(find_name_error("").has_value());
}

TEST_CASE("an error within an instance names the instance", "[text]") {
    CHECK(explained(bad_instance) ==
          "kernel 'saxpi': NVRTC rejected the source for sm_90\n"
          "saxpy.cu(1:56): error: no operator \"*\" matches these operands\n"
          "  template<class T> __global__ void axpby(T*x, T a){*x=a * a;}\n"
          "                                                         ^\n"
          "in the instantiation 'void axpby(T *, T) [with T=U]'");
    CHECK(find_instantiation("a.cu(1): error: x\n"
                             "          detected during:\n"
                             "            instantiation of \"T f(T) [with T=U]\" at line 3\n"
                             "            instantiation of \"void k(T) [with T=U]\" \n"
                             "a.cu(9): error: y\n"
                             "          detected during instantiation of \"other\" \n") ==
          "void k(T) [with T=U]");
    CHECK(find_instantiation("a.cu(1): error: x\n").empty());
    CHECK(find_instantiation("").empty());
}

TEST_CASE("an error in a text goes before one in a name, and a missing header is explained",
          "[text]") {
    const std::string error =
        "saxpy.cu(2): error: identifier \"y\" is undefined\n"
        "  __global__ void saxpy(float* x) {}\n"
        "                  ^\n\n";
    const std::string message =
        "kernel 'saxpi': NVRTC rejected the source for sm_90\n"
        "saxpy.cu(2:17): error: identifier \"y\" is undefined\n"
        "  __global__ void saxpy(float* x) {}\n"
        "                  ^";
    CHECK(explained(error + undefined_name) == message);
    CHECK(explained(error, "'a.h' is nowhere") == message + "\n'a.h' is nowhere");
}

TEST_CASE("the word that the stages know a program by is what the user knows it by", "[text]") {
    CHECK(with_subject("program 'a.cu': no", "a.cu", "module 'a.cu'") == "module 'a.cu': no");
    CHECK(with_subject("kernel 'a.cu' on cuda:0: no", "a.cu", "module 'a.cu'") ==
          "module 'a.cu' on cuda:0: no");
    CHECK(with_subject("kernel 'b': no", "a.cu", "module 'a.cu'") == "kernel 'b': no");
    CHECK(with_subject("out of memory", "a.cu", "module 'a.cu'") == "out of memory");
}

TEST_CASE("a compile error points into the user's text, and the log is whole", "[nvrtc]") {
    if (!has_nvrtc()) return;
    const std::string nvrtc = kgen::test::nvrtc_name();
    const std::string text = "__global__ void broken(float* x) {\n    x[0] = y;\n}\n";
    const std::string end = ": " + nvrtc +
                            " rejected the source for sm_90\n"
                            "{}(2:12): error: identifier \"y\" is undefined\n"
                            "      x[0] = y;\n"
                            "             ^";
    const auto message = [&](const std::string& subject, const std::string& label) {
        return subject + fmt::format(fmt::runtime(end), label);
    };
    const RawProgram kernel(define_kernel(text, "broken", {}));
    CHECK(KGEN_MESSAGE_OF(CompileError, kernel.on(device())) ==
          message("kernel 'broken'", "broken.cu"));
    const RawProgram module(define_module(text, {}));
    CHECK(KGEN_MESSAGE_OF(CompileError, module.on(device())) ==
          message("module 'module.cu'", "module.cu"));
    try {
        module.on(device());
    } catch (const CompileError& error) {
        CHECK(error.log().find("1 error detected in the compilation of") != std::string::npos);
        CHECK(error.source().find(text) != std::string::npos);
    }
}
