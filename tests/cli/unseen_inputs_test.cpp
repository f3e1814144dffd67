// SPDX-License-Identifier: MIT
//
// Inputs of a compile that do not appear in the text or are not recognised there: times that macros
// paste, files that the assembler reads, names that only some C++ standards read, files of options.
// kgen never caches results that depend on them, and never reads such files without being asked.
#include <cstdio>
#include <fstream>
#include <kgen/error.hpp>
#include <string>
#include <vector>

#include "cuda/nvrtc/nvrtc_options.hpp"
#include "host/compile/host_options.hpp"
#include "host/compile/run_child.hpp"
#include "image/find_or_compile.hpp"
#include "image/included_files.hpp"
#include "support/catch.hpp"
#include "support/command.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"
#include "text/include_scan.hpp"
#include "text/source_scan.hpp"

using namespace kgen;

namespace {

using Texts = std::vector<std::string>;

// Returns whether a request names everything that an image of these texts depends on.
bool is_known(const std::string& source,
              DeviceKind device = DeviceKind::cuda,
              const Texts& options = {}) {
    CompileJob job{.kernel = "k", .source = source, .symbol = "k", .options = options};
    job.target.kind = device;
    return is_reproducible(job);
}

// The same as is_known() for a source that includes a header in memory.
bool is_known_with(const std::string& source,
                   const std::string& header,
                   DeviceKind device = DeviceKind::cuda,
                   const Texts& options = {}) {
    const IncludedFiles files =
        find_included_files({.texts = {{"k.cu", "#include <h.h>\n" + source}},
                             .headers = {{"h.h", header}},
                             .include_directories = {},
                             .options = options,
                             .device = device,
                             .toolkit_directories = Texts()});
    return !files.digest.empty();
}

constexpr DeviceKind both[] = {DeviceKind::cuda, DeviceKind::host};

std::string host_refusal(const Texts& options) {
    try {
        static_cast<void>(resolve_host_options("k", options));
        return "taken";
    } catch (const CompileError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("time that is pasted is not cached", "[image][time]") {
    const std::string paste = "#define P(a, b) a##b\n";
    for (const DeviceKind device : both) {
        for (const char* use : {"P(__DA, TE__)",
                                "P(__TI, ME__)",
                                "P(__TIMESTAMP, __)",
                                "P(_, _DATE__)",
                                "P(P(__D, AT), E__)",
                                "P(__DA\\\n, TE__)"}) {
            INFO(use);
            CHECK_FALSE(is_known(paste + "const char* t = " + use + ";", device));
            CHECK_FALSE(
                is_known("const char* t = " + std::string(use) + ";", device, {"-DP(a,b)=a##b"}));
            CHECK_FALSE(is_known_with("const char* t = " + std::string(use) + ";", paste, device));
        }
        CHECK_FALSE(is_known("#define P(a, b) a%:%:b\nP(__DA, TE__)", device));
        CHECK_FALSE(is_known("?\?=define P(a, b) a?\?=?\?=b\nP(__DA, TE__)", device));
        CHECK_FALSE(is_known(paste + "P(A, TE__)", device, {"-DA=__DA"}));
        CHECK_FALSE(is_known_with(paste + "P(HEAD, TE__)", "#define HEAD __DA\n", device));
        CHECK_FALSE(is_known("const char* t = __TI\\ \nME__;", device));
        // Sources that paste other words are cached as usual.
        CHECK(is_known(paste + "void P(kernel_, T)(int _, int D, int A);", device));
        CHECK(is_known("const int __DA = 1, TE__ = 2;", device));
        CHECK(is_known_with(paste + "P(x, y)", "#define Q(a) a##_t\n", device));
    }
}

TEST_CASE("a question for a file that is pasted is not cached", "[image]") {
    const std::string text = "#define P(a, b) a##b\n#if P(__has_, include)(<x.h>)\n#endif\n";
    CHECK_FALSE(is_known(text));
    CHECK_FALSE(is_known_with(text, ""));
}

TEST_CASE("what the host's assembler is given is not cached", "[image][assembler]") {
    const Texts texts = {"asm(\".incbin \\\"x\\\"\");",
                         "__asm__ volatile (\".include \\\"x\\\"\");",
                         "__asm(\"\" \".incbin \\\"x\\\"\");",
                         "as\\\nm(\".incbin \\\"x\\\"\");",
                         "#define P(a, b) a##b\nP(as, m)(\".incbin \\\"x\\\"\");",
                         "__attribute__((section(\".a\\n.incbin \\\"x\\\"\"))) int a;",
                         "[[gnu::__section__(\".a\\n.incbin \\\"x\\\"\")]] int a;",
                         "int f() __attribute__((weakref(\"g\\n.incbin \\\"x\\\"\")));"};
    for (const std::string& text : texts) {
        INFO(text);
        CHECK_FALSE(is_known(text, DeviceKind::host));
        CHECK_FALSE(is_known_with(text, "", DeviceKind::host));
        CHECK_FALSE(is_known_with("", text, DeviceKind::host));
        CHECK(is_known(text, DeviceKind::cuda));  // ptxas reads no files
    }
    CHECK_FALSE(is_known("X(\".incbin \\\"x\\\"\");", DeviceKind::host, {"-DX=asm"}));
    for (const char* text : {"asm volatile(\"\" ::: \"memory\");",
                             "asm(\"\");",
                             "__asm__ __volatile__ ( \"\" : \"+r\"(x));",
                             "int section = 1, alias = section;",
                             "int plasma; struct asm_t {};"}) {
        INFO(text);
        CHECK(is_known(text, DeviceKind::host));
    }
}

TEST_CASE("names of files in spellings that only some compilers read are not cached", "[image]") {
    for (const char* text : {"?\?=include \"x.h\"",
                             "#inc?\?/\nlude \"x.h\"",
                             "?\?=inc?\?/\nlude \"x.h\"",
                             "#inc\\ \nlude \"x.h\"",
                             "// a \\ \n#include \"x.h\"",
                             "%\\\n:include \"x.h\"",
                             "#if 1 ?\?' __has_include(\"x.h\")\n#endif",
                             "auto a = R\\\n\"(\n/*\n)\";\n#include \"x.h\"\n/* */",
                             "auto a = \"x\"R\"(\";\n#include \"x.h\"\n//)\""}) {
        INFO(text);
        CHECK(reads_files(text, {}));
        CHECK_FALSE(is_known(text));
        // Each include found has either a known name, so the absence of its file is in the
        // digest, or an unknown form, so nothing is cached.
        for (const IncludeUse& use : find_includes(text)) {
            if (use.form != IncludeForm::unknown) CHECK(use.name == "x.h");
            if (use.form == IncludeForm::unknown) CHECK_FALSE(is_known_with(text, ""));
        }
    }
    const char* old = "#define R 1 +\nint a = sizeof(R\"(\");\n#include \"x.h\"\nchar b[] = \")\";";
    CHECK_FALSE(is_known(old, DeviceKind::cuda, {"-std=c++03"}));
    CHECK_FALSE(is_known(old, DeviceKind::cuda, {"--std=c++98"}));
    for (const char* text :
         {"const char* a = \"what??\";", "#define A 1 \\ \n", "int n = 1'000;"}) {
        INFO(text);
        CHECK(is_known(text));
    }
}

TEST_CASE("the host takes macros whose names are identifiers", "[host]") {
    const auto refusal = [](const std::string& option, const std::string& expected) {
        return "kernel 'k': the option '" + option + "' does not name a macro; expected " +
               expected;
    };
    const std::string defined = "-DNAME or -DNAME=VALUE";
    for (const char* value :
         {"@file", "-o", "=1", "1=2", "a b", "a-b=1", "f(x", "f(x)y", "\xc3\xa4"}) {
        INFO(value);
        const std::string option = std::string("-D") + value;
        CHECK(host_refusal({option}) == refusal(option, defined));
        CHECK(host_refusal({"-D", value}) == refusal(option, defined));
        CHECK(host_refusal({std::string("--define-macro=") + value}) == refusal(option, defined));
        const std::string removed = std::string("-U") + value;
        CHECK(host_refusal({removed}) == refusal(removed, "-UNAME"));
    }
    for (const char* option :
         {"-DA", "-DA=", "-DA=@file", "-DA=b c", "-DF(x)=x", "-DF(x,...)", "-Ua_1"})
        CHECK(host_refusal({option}) == "taken");
}

TEST_CASE("options of ptxas that name files are refused", "[cuda]") {
    const auto refusal = [](const Texts& options) -> std::string {
        CompileJob job{.kernel = "k", .source = "", .symbol = "k", .options = options};
        job.target = {DeviceKind::cuda, "sm_90"};
        try {
            static_cast<void>(resolve_nvrtc_options(job));
            return "taken";
        } catch (const CompileError& error) {
            return error.what();
        }
    };
    for (const char* option : {"--ptxas-options=--options-file=x",
                               "-ptxas-options=-optf=x",
                               "-Xptxas=--output-file=x",
                               "-Xptxas=-o=x"}) {
        CHECK(refusal({option}) ==
              "kernel 'k': option '" + std::string(option) + "' is not allowed: it names a file");
    }
    CHECK(refusal({"-Xptxas", "--options-file=x"}) ==
          "kernel 'k': option '-Xptxas --options-file=x' is not allowed: it names a file");
    CHECK(refusal({"-Xptxas", "-v"}) == "taken");
    CHECK(refusal({"--ptxas-options=-O1"}) == "taken");
}

TEST_CASE("the host's compiler sees no variable that names files or options", "[host]") {
    for (const char* name : {"CPATH",
                             "C_INCLUDE_PATH",
                             "CPLUS_INCLUDE_PATH",
                             "GCC_EXEC_PREFIX",
                             "COMPILER_PATH",
                             "LIBRARY_PATH",
                             "SOURCE_DATE_EPOCH",
                             "GNUTARGET",
                             "LDEMULATION",
                             "DEPENDENCIES_OUTPUT"}) {
        const ScopedVariable variable(name, "x");
        for (const std::string& each : clean_environment(""))
            CHECK_FALSE(each.starts_with(std::string(name) + "="));
    }
}

TEST_CASE("a file that the assembler reads is read anew by each process", "[host][assembler]") {
    const Command kgen;
    const auto write = [&](char value) { std::ofstream(kgen.path("value")) << value; };
    const auto value_of = [&](const std::string& preamble) {
        return kgen
            .run({"run",
                  "--elementwise",
                  "int32 x",
                  "int32 y",
                  "extern const char kgen_test_value[];\ny = kgen_test_value[0] + x",
                  "--preamble",
                  preamble,
                  "--option=-DX=asm",
                  "x=0",
                  "--size",
                  "1"})
            .output;
    };
    const std::string data = "(\".section .rodata\\nkgen_test_value: .incbin \\\"" +
                             kgen.path("value") + "\\\"\\n.text\\n\");\n";
    for (const std::string start : {"asm", "#define P(a, b) a##b\nP(as, m)", "X"}) {
        INFO(start);
        write('a');
        CHECK(value_of(start + data) == "[97]\n");
        write('b');
        CHECK(value_of(start + data) == "[98]\n");
    }
}
