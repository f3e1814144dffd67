// SPDX-License-Identifier: MIT
//
// The definitions of RawKernel and RawModule: which are rejected at once, and how files are read.
#include "raw/raw_definition.hpp"

#include <sys/stat.h>

#include <fstream>
#include <kgen/kgen.hpp>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace std::string_literals;

namespace {

constexpr const char* saxpy_text = "__global__ void saxpy(float* x) { *x = 1; }";

std::string module_error(std::string_view code, RawModuleOptions options) {
    return KGEN_MESSAGE_OF(CompileError, RawModule(code, std::move(options)));
}
std::string kernel_error(std::string_view code, std::string name, RawOptions options = {}) {
    return KGEN_MESSAGE_OF(CompileError, RawKernel(code, std::move(name), std::move(options)));
}
std::string file_error(const std::string& path) {
    return KGEN_MESSAGE_OF(IoError, RawModule({.file = path}));
}
void write(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("texts are called by what the user knows them by") {
    const RawDefinition kernel = define_kernel(saxpy_text, "saxpy", {});
    CHECK(kernel.subject == "kernel 'saxpy'");
    CHECK(kernel.module == "module 'saxpy.cu'");
    CHECK(kernel.texts[0].label == "saxpy.cu");
    CHECK(kernel.names == std::vector<std::string>{"saxpy"});
    CHECK(define_kernel(saxpy_text, "axpby<float, 4>", {}).texts[0].label == "axpby.cu");
    CHECK(define_kernel(saxpy_text, "(void(*)(int))k", {}).texts[0].label == "kernel.cu");
    const RawDefinition module =
        define_module(saxpy_text, {.names = {"a<int>", "b", " a < int > "}});
    CHECK(module.subject == "module 'module.cu'");
    CHECK(module.texts[0].label == "module.cu");
    CHECK(module.names == std::vector<std::string>{"a<int>", "b"});
    const RawDefinition several =
        define_module({}, {.sources = {{"one.cu", "int one;"}, {"two.cu", "int two;"}}});
    CHECK(several.subject == "module 'module'");
    CHECK(several.texts[1].label == "two.cu");
}

TEST_CASE("a module is made of exactly one of code, file and sources") {
    const std::string end = ", expected exactly one of code, file and sources";
    CHECK(module_error("", {}) == "module 'module.cu': got nothing" + end);
    CHECK(KGEN_MESSAGE_OF(CompileError, RawModule(RawModuleOptions())) ==
          "module 'module.cu': got nothing" + end);
    CHECK(module_error(saxpy_text, {.file = "a.cu"}) == "module 'a.cu': got code and file" + end);
    CHECK(module_error(saxpy_text, {.sources = {{"a.cu", saxpy_text}}}) ==
          "module 'module': got code and sources" + end);
    CHECK(module_error("", {.file = "a.cu", .sources = {{"b.cu", saxpy_text}}}) ==
          "module 'a.cu': got file and sources" + end);
    CHECK(kernel_error("", "k") == "kernel 'k': its source is empty");
    CHECK(module_error("", {.sources = {{"", saxpy_text}}}) ==
          "module 'module': a source has no name");
}

TEST_CASE("what a compiler would read as something else is refused") {
    CHECK(kernel_error("__global__ void k()\0{}"s, "k") ==
          "kernel 'k': the source 'k.cu' holds a NUL character at byte 19");
    CHECK(kernel_error(saxpy_text, "saxpy", {.headers = {{"a.h", "int\0 x;"s}}}) ==
          "kernel 'saxpy': the header 'a.h' holds a NUL character at byte 3");
    CHECK(kernel_error(saxpy_text, "saxpy", {.headers = {{"a\0.h"s, ""}}}) ==
          "kernel 'saxpy': the header 'a\\0.h' holds a NUL character at byte 1");
    CHECK(kernel_error(saxpy_text, "saxpy", {.headers = {{"", ""}}}) ==
          "kernel 'saxpy': a header in memory has no name");
    CHECK(kernel_error(saxpy_text, "saxpy", {.headers = {{"a\n.h", ""}}}) ==
          "kernel 'saxpy': the header 'a\\n.h' holds a control character");
    CHECK(kernel_error(saxpy_text, "saxpy", {.headers = {{"/opt/a.h", ""}}}) ==
          "kernel 'saxpy': the header '/opt/a.h' in memory has an absolute name: expected a "
          "relative one such as 'lib/a.h'");
    CHECK(kernel_error(saxpy_text, "saxpy", {.include_directories = {"a\0b"s}}) ==
          "kernel 'saxpy': the include directory 'a\\0b' holds a NUL character at byte 1");
    CHECK(module_error("", {.file = "a\0b"s}) ==
          "module 'a\\0b': the file 'a\\0b' holds a NUL character at byte 1");
    CHECK(kernel_error(saxpy_text, " ") == "kernel ' ': the name is empty");
    CHECK(kernel_error(saxpy_text, "a\n#include <b>") ==
          "kernel 'a\\n#include <b>': the name 'a\\n#include <b>' holds a control character");
    CHECK(module_error(saxpy_text, {.names = {"a", ""}}) ==
          "module 'module.cu': the name is empty");
}

TEST_CASE("two texts under one name are refused") {
    CHECK(kernel_error(saxpy_text, "saxpy", {.headers = {{"lib/a.h", "1"}, {"./lib/a.h", "2"}}}) ==
          "kernel 'saxpy': two headers in memory are called 'lib/a.h', and their texts differ");
    CHECK(module_error(saxpy_text, {.headers = {{"a.h", "1"}, {"b.h", "1"}, {"a.h", ""}}}) ==
          "module 'module.cu': two headers in memory are called 'a.h', and their texts differ");
    CHECK_NOTHROW(RawKernel(saxpy_text, "saxpy", {.headers = {{"a.h", "1"}, {"a.h", "1"}}}));
}

TEST_CASE("options with side effects and a second target are refused where they are given") {
    CHECK(kernel_error(saxpy_text, "saxpy", {.options = {"-arch=sm_80"}}) ==
          "kernel 'saxpy': option '-arch=sm_80' is not allowed: the target is chosen by kgen; name "
          "another one with '.arch', as in {.arch = \"sm_90a\"}");
    CHECK(module_error(saxpy_text, {.options = {"--time=/tmp/file"}}) ==
          "module 'module.cu': option '--time=/tmp/file' is not allowed: it writes a file");
    CHECK(module_error(saxpy_text, {.options = {"-rdc=true"}}) ==
          "module 'module.cu': option '-rdc=true' is not allowed: it makes no code that can be "
          "loaded; kgen itself links the sources that are given as '.sources'");
    CHECK(kernel_error(saxpy_text, "saxpy", {.options = {"-DA\0B"s}}) ==
          "kernel 'saxpy': an option holds a NUL character");
    CHECK_NOTHROW(RawKernel(saxpy_text, "saxpy", {.options = {"-DN=4", "--use_fast_math"}}));
}

TEST_CASE("a .cu file is its text, and its folder is searched first") {
    const TempDir folder;
    const std::string path = folder / "filters.cu";
    write(path, saxpy_text);
    const RawDefinition module =
        define_module({}, {.include_directories = {"/opt/include"}, .file = path});
    CHECK(module.subject == "module '" + path + "'");
    REQUIRE(module.texts.size() == 1);
    CHECK(module.texts[0].label == path);
    CHECK(module.texts[0].text == saxpy_text);
    CHECK(module.build.include_directories ==
          std::vector<std::string>{folder.path(), "/opt/include"});
    CHECK(RawModule({.file = path}).code() == saxpy_text);
    CHECK_FALSE(module.compiled.has_value());
}

TEST_CASE("a file that cannot be read is said to be so") {
    const TempDir folder;
    CHECK(file_error(folder / "no.cu") ==
          "module '" + folder / "no.cu" + "': cannot be opened: No such file or directory");
    CHECK(file_error(folder.path()) ==
          "module '" + folder.path() +
              "': is a directory: expected CUDA C++, PTX, a cubin or a fatbin");
    write(folder / "empty.cu", "");
    CHECK(file_error(folder / "empty.cu") ==
          "module '" + folder / "empty.cu" +
              "': is empty: expected CUDA C++, PTX, a cubin or a fatbin");
}

TEST_CASE("a template that was not asked for is refused before anything is compiled") {
    const RawModule module("template <class T> __global__ void axpby(T* x) {}",
                           {.names = {"axpby<float>", "axpby<int>"}});
    CHECK(KGEN_MESSAGE_OF(CompileError, module.kernel("axpby<double>")) ==
          "kernel 'axpby<double>': module 'module.cu' has no such kernel: its names are "
          "'axpby<float>', 'axpby<int>'\n"
          "add it to RawModuleOptions::names, which instantiates templates");
    CHECK(KGEN_MESSAGE_OF(CompileError, module.kernel("axpbu<float>")) ==
          "kernel 'axpbu<float>': module 'module.cu' has no such kernel: its names are "
          "'axpby<float>', 'axpby<int>'\n"
          "did you mean 'axpby<float>'?\n"
          "add it to RawModuleOptions::names, which instantiates templates");
    CHECK(module.kernel("axpby< float >").name() == "axpby< float >");
    CHECK(module.kernel("other").name() == "other");  // only the compiled code can tell
}
