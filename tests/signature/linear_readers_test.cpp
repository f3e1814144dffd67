// SPDX-License-Identifier: MIT
//
// Readers of text take time and memory in proportion to its size. Each reader gets hard texts, and its time
// is compared with its time for an eighth of the text. A quadratic reader would take 64 times as long instead
// of 8, and would need minutes or gigabytes for files that kgen accepts.
#include <time.h>

#include <algorithm>
#include <functional>
#include <kgen/error.hpp>
#include <kgen/terminal_text.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/nvrtc/ptx_parameters.hpp"
#include "image/cubin_resources.hpp"
#include "program/host_raw_refusals.hpp"
#include "program/host_raw_rewrite.hpp"
#include "program/host_raw_scan.hpp"
#include "program/raw_names.hpp"
#include "program/waiting_names.hpp"
#include "signature/signature.hpp"
#include "support/catch.hpp"
#include "support/rounds.hpp"
#include "template/template_reader.hpp"
#include "text/compiler_log.hpp"
#include "text/include_scan.hpp"
#include "text/nesting.hpp"
#include "text/source_scan.hpp"

using namespace kgen;

namespace {

// Repeats `part` up to that many bytes and replaces each '@' by a number.
std::string repeated(std::string_view part, std::size_t bytes) {
    std::string text;
    for (std::size_t number = 0; text.size() < bytes; ++number) {
        for (const char letter : part) {
            if (letter == '@') {
                text += std::to_string(number);
            } else {
                text += letter;
            }
        }
    }
    return text;
}

std::string nested(std::string_view open, std::string_view close, std::size_t bytes) {
    const std::size_t depth = bytes / (open.size() + close.size());
    std::string text;
    for (std::size_t k = 0; k < depth; ++k) text += open;
    for (std::size_t k = 0; k < depth; ++k) text += close;
    return text;
}

struct Reader {
    const char* name;
    std::size_t bytes;  // size of the long text
    std::function<void(const std::string&)> read;
};

void scan_raw(const std::string& text) {
    const ScannedProgram program = scan_program(text, TextPlace::source, {});
    const WaitingNames waiting = find_waiting_names({&program});
    static_cast<void>(rewrite_for_host(text, program, &waiting, {}));
    try {
        refuse_for_host("k", {"k.cu", text}, program, {});
    } catch (const CompileError&) {
    }
    static_cast<void>(declared_kernels(text));
}

void define_kernel(const std::string& body) {
    try {
        static_cast<void>(
            parse_signature({.name = "k", .inputs = "T x", .outputs = "T y", .operation = body}));
    } catch (const SignatureError&) {
    }
}

void read_template_text(const std::string& text) {
    try {
        static_cast<void>(read_templates(text, "f.json"));
    } catch (const SignatureError&) {
    }
}

// Reads a template whose operation is `text`.
void read_operation(const std::string& text) {
    std::string escaped;
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') escaped += '\\';
        escaped += letter == '\n' ? "\\n" : std::string(1, letter);
    }
    read_template_text(R"({"kind":"elementwise","name":"k","description":"d","inputs":"T x",)"
                       R"("outputs":"T y","operation":")" +
                       escaped + "\"}");
}

void follow(const std::string& text) {
    static_cast<void>(find_includes(text));
    static_cast<void>(depends_on_time(text, {}));
    NamedWords words(AssemblerUse::reads_files);
    words.add(text);
    static_cast<void>(words.may_read_more());
    static_cast<void>(find_deep_nesting(text));
}

void read_log(const std::string& text) {
    const LabelledText texts[] = {{"k", text}};
    const std::string log =
        repeated("k:99999:1: error: e@\nk(99999): error: f@\n", text.size() / 8);
    static_cast<void>(describe_errors(log, texts));
}

void read_ptx(const std::string& text) {
    static_cast<void>(ptx_parameters(".entry k(.param .u64 p) {" + text, "k"));
    static_cast<void>(ptx_variables(text));
}

const std::vector<Reader>& readers() {
    static const std::vector<Reader> all = {
        {"raw program", 1 << 16, scan_raw},
        {"body", 1 << 16, define_kernel},
        {"operation of a template", 1 << 15, read_operation},
        {"includes", 1 << 18, follow},
        {"log", 1 << 16, read_log},
        {"ptx", 1 << 16, read_ptx},
        {"print", 1 << 16, [](const std::string& text) { terminal_text(text, LineBreaks::kept); }},
    };
    return all;
}

// Returns texts for which a reader did, or could, read the whole text again for each part of it.
std::vector<std::string> hard_texts(std::size_t bytes) {
    const auto half = [&](std::string_view first, std::string_view second) {
        return repeated(first, bytes / 2) + repeated(second, bytes / 2);
    };
    std::vector<std::string> texts = {
        repeated("(", bytes / 4) + repeated("\n#if A\n#else\n#endif", bytes * 3 / 4),
        nested("(\n#if A\n", "\n#endif\n)", bytes),
        nested("\n#if A\n(", ")\n#endif\n", bytes),
        repeated("\n#if A\n(\n#else\n(\n#endif\n", bytes),
        repeated("'", bytes),
        repeated("a'", bytes),
        repeated("1'", bytes),
        repeated("\"a\"b", bytes),
        repeated("R\"a@(\n", bytes),
        repeated("R\"(\n", bytes) + ")\"",
        "#if " + repeated("a(<", bytes),
        "#if " + repeated("a(\\\n<", bytes),
        "#define f(" + repeated("p@,", bytes / 2) + "q) " +
            repeated("__has_include(z@) ", bytes / 2),
        repeated("#define m@ a b\n", bytes),
        repeated("# define a ", bytes),
        repeated("a{}", bytes),
        repeated("a(){}", bytes),
        repeated("a=b{}", bytes),
        repeated("extern ", bytes),
        repeated("extern __shared__ int s[];", bytes),
        repeated("extern __shared__ a ", bytes),
        repeated("__shared__ alignas ", bytes),
        nested("__shared__ alignas(", ")", bytes),
        "extern __shared__ " + nested("alignas(", ")", bytes) + " int s[];",
        half("namespace a{", "__global__ void k(){}"),
        half("namespace a{", "__device__ int x;"),
        repeated("__global__ void k@(){}\n", bytes),
        repeated("__global__ void k(int x@){}\n", bytes),
        "void f0(){__syncthreads();}" + repeated("void g@(){h@();} void h@(){g@();}", bytes),
        repeated("#include <a@\n", bytes),
        repeated("#include <cuda_runtime.h>\n", bytes),
        half("(", ")&x "),
        nested("(", ")&x", bytes),
        repeated("&(", bytes),
        repeated("/*", bytes),
        repeated("/", bytes),
        repeated("\\\n", bytes),
        repeated("\\ ", bytes),
        repeated("\\ \n#", bytes),
        repeated("// \\\n", bytes),
        repeated("<", bytes),
        nested("{", "}", bytes),
        "#if " + nested("(", ")", bytes),
        "#if " + repeated("!", bytes),
        "#if " + repeated("- ", bytes),
        "#if " + repeated("1+", bytes),
        "#if " + repeated("1||", bytes),
        repeated("a##", bytes),
        repeated("\n", bytes),
        repeated("asm ( ", bytes),
        repeated("template ", bytes),
        repeated("a::", bytes),
        repeated(",", bytes),
        repeated("\x1b", bytes),
    };
    // A chain of calls that an iteration to a fixed point would follow one link at a time.
    std::string chain;
    for (std::size_t k = bytes / 24; k-- > 0;)
        chain += "void f" + std::to_string(k) + "(){f" + std::to_string(k + 1) + "();}";
    texts.push_back("void f" + std::to_string(bytes / 24) + "(){__syncthreads();}" + chain);
    std::string other;
    for (std::size_t k = 0; k < bytes / 24; ++k)
        other += "void f" + std::to_string(k) + "(){f" + std::to_string(k + 1) + "();}";
    texts.push_back(other + "void f" + std::to_string(bytes / 24) + "(){__syncthreads();}");
    return texts;
}

const std::string template_start =
    R"({"kind":"elementwise","name":"k","description":"d","inputs":"T x","outputs":"T y",)";

// Returns files of templates that are short but ask for much work.
std::vector<std::string> hard_files(std::size_t bytes) {
    const std::string types = R"("T":["integers","floats","complexes"])";
    return {
        template_start + R"("operation":")" + repeated("y = x; ", bytes / 2) +
            R"(","overloads":[)" + repeated("{},", bytes / 2) + "{}]}",
        template_start + R"("operation":")" + repeated("y = x; ", 4000) + R"(","overloads":[)" +
            repeated("{},", 180) + "{}]}",
        template_start + R"("operation":"y = x","compile":{"types":[)" +
            repeated(R"({"T":"int8"},)", bytes) + R"({"T":"int8"}]}})",
        R"({"templates":[)" +
            repeated(R"({"kind":"elementwise","name":"k@","description":"d","inputs":"T x",)"
                     R"("outputs":"T y","operation":"y = x","compile":{"types":{)" +
                         types + "}}},",
                     bytes) +
            "{}]}",
        repeated("[", bytes),
        "[" + repeated("0,", bytes) + "0]",
        "{" + repeated(R"("a@":0,)", bytes) + "}",
        template_start + R"("operation":"y = x","where":{"T":[)" + repeated(R"("int8",)", bytes) +
            R"("int8"]}})",
    };
}

}  // namespace

namespace {

// Returns the CPU time of this thread in seconds. Other threads do not lengthen it.
double cpu_seconds(const std::function<void()>& work) {
    const auto now = [] {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double start = now();
    work();
    return now() - start;
}

constexpr double noticed_s = 0.05;  // shorter times are accepted without a comparison
constexpr double most_growth = 24;  // largest accepted ratio for eight times the text

using Texts = std::vector<std::string>;

void check_growth(const std::function<void(const std::string&)>& read,
                  const Texts& long_texts,
                  const Texts& short_texts,
                  std::size_t k) {
    INFO(long_texts[k].substr(0, 80));
    const double long_s = cpu_seconds([&] { read(long_texts[k]); });
    double growth = 0;
    for (int trial = 0; trial < 3 && long_s > noticed_s; ++trial)
        growth = std::max(growth, long_s / cpu_seconds([&] { read(short_texts[k]); }));
    CHECK(growth < most_growth);
}

}  // namespace

TEST_CASE("every reader of text takes time in proportion to it", "[text][linear]") {
    if (is_sanitized) return;  // sanitizers change how time grows
    for (const Reader& reader : readers()) {
        INFO(reader.name);
        const Texts long_texts = hard_texts(reader.bytes);
        const Texts short_texts = hard_texts(reader.bytes / 8);
        for (std::size_t k = 0; k < long_texts.size(); ++k)
            check_growth(reader.read, long_texts, short_texts, k);
    }
}

TEST_CASE("a file of templates takes time in proportion to its size", "[template][linear]") {
    if (is_sanitized) return;  // sanitizers change how time grows
    const Texts long_files = hard_files(std::size_t{1} << 17);
    const Texts short_files = hard_files(std::size_t{1} << 14);
    for (std::size_t k = 0; k < long_files.size(); ++k)
        check_growth(read_template_text, long_files, short_files, k);
}
