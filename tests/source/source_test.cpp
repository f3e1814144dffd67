// SPDX-License-Identifier: MIT
#include "source/source.hpp"

#include <map>
#include <regex>
#include <sstream>

#include "source/source_writer.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/reduction_cases.hpp"
#include "support/source_cases.hpp"

using namespace kgen;

namespace {

// Returns the source without the prelude, which has its own tests.
std::string without_prelude(const std::string& source) {
    const std::string begin = "// --- names that the kernel uses ---\n";
    const std::string end = "// --- the kernel ---\n";
    const std::size_t from = source.find(begin);
    const std::size_t to = source.find(end);
    if (from == std::string::npos || to == std::string::npos) return "no prelude was found";
    // The line numbers are removed because they count the lines of the prelude too.
    static const std::regex directive("#line [0-9]+ (\"[a-z0-9_]+\\.(cu|cpp)\")");
    return source.substr(0, from) + std::regex_replace(source.substr(to), directive, "#line N $1");
}

// Returns whether each #line that leads back to the generated file gives the number of the next line.
bool line_numbers_are_true(const std::string& source) {
    static const std::regex directive("#line ([0-9]+) \"[a-z0-9_]+\\.(cu|cpp)\"");
    std::istringstream lines(source);
    int number = 0;
    int directives = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::smatch match;
        if (!std::regex_match(line, match, directive)) continue;
        ++directives;
        if (std::stoi(match[1]) != number + 1) return false;
    }
    return directives > 0;
}

// `sources` has the source of each golden file.
void check_goldens(std::map<std::string, std::string> sources) {
    for (auto& [file, source] : sources) {
        INFO(file);
        CHECK(line_numbers_are_true(source));
        source = without_prelude(source);
    }
    for (const auto& [file, source] : sources) {
        INFO(file);
        CHECK(source == test::golden(file, sources));
    }
}

std::string file_of(const std::string& name, DeviceKind kind) {
    return name + (kind == DeviceKind::cuda ? ".cu" : ".cpp");
}

Device device_of(DeviceKind kind) {
    return kind == DeviceKind::cuda ? Device::cuda() : Device::host();
}

}  // namespace

TEST_CASE("generated sources are the golden ones", "[source]") {
    std::map<std::string, std::string> sources;
    for (const test::SourceCase& row : test::source_cases()) {
        for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::host}) {
            const TargetOptions target{.device = device_of(kind)};
            sources[file_of(row.name, kind)] =
                row.kernel.explain(row.arguments, row.options, target).source;
        }
    }
    check_goldens(sources);
}

TEST_CASE("generated sources of reductions are the golden ones", "[source]") {
    std::map<std::string, std::string> sources;
    for (const test::ReductionCase& row : test::reduction_cases()) {
        for (const DeviceKind kind : row.devices)
            sources[file_of(row.name, kind)] = explained(row, {.device = device_of(kind)}).source;
    }
    check_goldens(sources);
}

TEST_CASE("a source depends on layouts, never on sizes", "[source]") {
    const ElementwiseKernel kernel(
        "T x, raw T y", "T z", "z = x + y[i] * n + _ind.get()[0]", "sizes");
    for (const Device device : {Device::cuda(), Device::host()}) {
        const auto source_for = [&](Dims x, Dims y) {
            const std::vector<Argument> arguments = {test::spec(float32, x),
                                                     test::spec(float32, y)};
            return kernel.explain(arguments, {}, {.device = device}).source;
        };
        CHECK(source_for({123, 457}, {89}) == source_for({1999, 131}, {7}));
        CHECK(source_for({123, 457}, {89}) != source_for({123}, {89}));
    }
}

TEST_CASE("user texts are never expanded as slots", "[source]") {
    SourceWriter writer("file.cu");
    writer.write("a ${x}\n${text}\nb\n",
                 {{"x", {"${y}"}}, {"text", {"before\n", {"label", "${x}"}, "after\n"}}});
    CHECK(writer.text() ==
          "a ${y}\nbefore\n#line 1 \"label\"\n${x}\n\nafter\n#line 8 \"file.cu\"\nb\n");
    CHECK_THROWS_AS(writer.write("${unknown}\n", {}), std::logic_error);
}

TEST_CASE("a slot that is empty leaves no line", "[source]") {
    SourceWriter writer("file.cu");
    writer.write("a\n${x}\nb ${x} c\n", {{"x", {""}}});
    CHECK(writer.text() == "a\nb  c\n");
}
