// SPDX-License-Identifier: MIT
//
// Statements whose kernels were compiled ahead, from the templates that trace() makes of them.
#include <fstream>
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/command.hpp"
#include "support/fresh_process.hpp"

using namespace kgen;

namespace {

// The same texts as the statements below. Without a name, a trace has the name of the statement's kernel.
KernelTemplate elementwise() {
    return trace([](Value x, Value y) { return sqrt(x * x + y); });
}
KernelTemplate reduction() {
    return trace([](Value x) { return sqrt(mean(x * x)); });
}
KernelTemplate named() {
    return trace("halved", [](Value x) { return where(x > 1, x, x / 2); });
}

}  // namespace

TEST_CASE("statements run on kernels that were compiled ahead", "[.fresh]") {
    const Array x = arange(6, float32).reshape(2, 3);
    const Array y = full({3}, 9, float32);
    report(fmt::format("{}\n{}\n", sqrt(x * x + y)[0], sqrt(mean(x * x, axis(0)))));
    report(fmt::format("{}\n", named()(x)[{1}]));
    // Other kernels are not there.
    try {
        report(fmt::format("{}", sqrt(x * x - y)));
    } catch (const CompileError&) {
        report("not compiled ahead");
    }
}

TEST_CASE("the template of a traced function serves the statement from the cache", "[expression]") {
    const Command kgen;
    std::vector<std::string> words = {"compile", "--arch", "host"};
    for (const KernelTemplate& each : {elementwise(), reduction(), named()}) {
        nlohmann::json object = nlohmann::json::parse(each.json());
        // Fewer kernels to compile.
        object["overloads"].erase(object["overloads"].begin() + 1, object["overloads"].end());
        const std::string file = kgen.path(each.name() + ".json");
        std::ofstream(file) << object.dump();
        words.push_back(file);
    }
    const CommandResult compiled = kgen.run(words);
    CHECK(compiled.exit_status == 0);
    CHECK(compiled.messages.find("error") == std::string::npos);
    const FreshResult result = run_fresh("statements run on kernels that were compiled ahead",
                                         {{"KGEN_CACHE_DIR", kgen.path("cache")},
                                          {"KGEN_COMPILE", "never"},
                                          {"KGEN_DEVICE", "host"}});
    INFO(result.output);
    CHECK(result.text ==
          "[3.        3.1622777 3.6055512]\n"
          "[2.1213202 2.9154758 3.8078866]\n"
          "[3. 4. 5.]\n"
          "not compiled ahead");
}
