// SPDX-License-Identifier: MIT
//
// kgen list, kgen show, and the templates that run, source and explain accept by name.
#include <sys/stat.h>

#include <fstream>
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

using namespace kgen;

namespace {

const char* const own = R"({"kind": "elementwise", "name": "thrice", "description": "3 x",
  "inputs": "T x", "outputs": "T y", "operation": "y = 3 * x",
  "compile": {"types": {"T": ["float32", "int8"]}}})";

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("kgen run takes the name of a template", "[template]") {
    const Command kgen;
    save_npy(kgen.path("x.npy"), from_vector<float>({3, 4, 6, 8}, {2, 2}));
    CHECK(kgen.run({"run", "l2norm", "x=x.npy", "--axis", "1"}).output == "[ 5. 10.]\n");
    CHECK(kgen.run({"run", "x=x.npy", "--axis", "1", "--keepdims", "--out", "y=y.npy", "l2norm"})
              .messages == "");
    CHECK(to_text(load_npy(kgen.path("y.npy"))) == "[[ 5.]\n [10.]]");
    write(kgen.path("own.json"), own);
    CHECK(kgen.run({"run", "--template", "own.json", "x=x.npy"}).output ==
          "[[ 9. 12.]\n [18. 24.]]\n");
    CHECK(kgen.run({"run", "thrice", "--template", "own.json", "x=x.npy"}).exit_status == 0);
    const CommandResult source =
        kgen.run({"source", "l2norm", "x=float16[4,5]", "--arch", "sm_90"});
    CHECK(source.output.find("// l2norm: T x -> T y\n") != std::string::npos);
    CHECK(kgen.run({"explain", "mean", "x=int8[7]"}).output.substr(0, 31) ==
          "signature  T x -> float64 y\ntyp");
}

TEST_CASE("kgen list and kgen show know the library and the user's templates", "[template]") {
    Command kgen;
    kgen.environment["KGEN_TEMPLATE_PATH"] = "own.json";
    write(kgen.path("own.json"), own);
    const std::string list = kgen.run({"list"}).output;
    CHECK(list.find("\nthrice           elementwise  3 x (own.json)\n") != std::string::npos);
    CHECK(list.find("\nl2norm           reduction    the square root of the sum of squares\n") !=
          std::string::npos);
    const auto json = nlohmann::json::parse(kgen.run({"list", "--json"}).output);
    CHECK(json["schema"] == 1);
    CHECK(json["templates"].size() == kernel_templates().size() + 1);
    CHECK(json["templates"][0] ==
          nlohmann::json{{"name", "abs"},
                         {"kind", "elementwise"},
                         {"description", "the absolute value; real of complex numbers"},
                         {"origin", "<kgen>/arithmetic.json"},
                         {"built_in", true}});
    CHECK(kgen.run({"show", "thrice"}).output ==
          "name         thrice\n"
          "description  3 x\n"
          "kind         elementwise\n"
          "origin       own.json\n"
          "inputs       T x\n"
          "outputs      T y\n"
          "operation    y = 3 * x\n"
          "compiled for T = float32\n"
          "             T = int8\n"
          "layouts      contiguous\n");
    const auto shown = nlohmann::json::parse(kgen.run({"show", "thrice", "--json"}).output);
    CHECK(shown["origin"] == "own.json");
    CHECK(KernelTemplate::from_json(shown["template"].dump()).name() == "thrice");
    CHECK(kgen.run({"show", "--template", "own.json"}).output ==
          kgen.run({"show", "thrice"}).output);
}

TEST_CASE("kgen list takes a part of a name, a pattern and a kind", "[template]") {
    Command kgen;
    const auto names = [&](const std::vector<std::string>& options) {
        std::string text;
        const auto object =
            nlohmann::json::parse(kgen.run(words({"list", "--json"}, options)).output);
        for (const auto& each : object["templates"])
            text += (text.empty() ? "" : " ") + each["name"].get<std::string>();
        return text;
    };
    CHECK(names({"arg"}) == "argmax argmin nanargmax nanargmin");
    CHECK(names({"arg*"}) == "argmax argmin");
    CHECK(names({"l?norm"}) == "l1norm l2norm");
    CHECK(names({"l[2-9]norm"}) == "l2norm");
    CHECK(names({"max", "--kind", "elementwise"}) == "fmax maximum");
    CHECK(names({"maximum", "--kind=reduction"}) == "");
    CHECK(kgen.run({"list", "l2norm"}).output ==
          "l2norm  reduction    the square root of the sum of squares\n");
    const CommandResult none = kgen.run({"list", "nothing*", "--kind", "reduction"});
    CHECK(none.output == "");
    CHECK(none.messages == "kgen: no reduction template matches 'nothing*'\n");
    CHECK(none.exit_status == 1);
    CHECK(kgen.run({"list", "--kind", "map"}).messages ==
          "kgen: --kind: map not in {elementwise,reduction}; see kgen list --help\n");
}

TEST_CASE("kgen list --signatures prints the parameters and dtypes of each overload",
          "[template]") {
    Command kgen;
    kgen.environment["KGEN_TEMPLATE_PATH"] = "own.json";
    write(kgen.path("own.json"), own);
    CHECK(kgen.run({"list", "thrice", "--signatures"}).output ==
          "thrice  elementwise  3 x (own.json)\n"
          "        T x -> T y\n");
    CHECK(kgen.run({"list", "isnan", "--signatures"}).output ==
          "isnan  elementwise  whether it is NaN\n"
          "       T x -> bool y with T = float16 | bfloat16 | float32 | float64 | complex64 | "
          "complex128\n"
          "       T x -> bool y with T = bool | int8 | int16 | int32 | int64 | uint8 | uint16 | "
          "uint32 | uint64\n");
    const auto json =
        nlohmann::json::parse(kgen.run({"list", "l2norm", "--signatures", "--json"}).output);
    CHECK(json["templates"][0]["signatures"].get<std::vector<std::string>>() ==
          kernel_template("l2norm").signatures());
    CHECK(kernel_template("l2norm").signatures().size() ==
          static_cast<std::size_t>(kernel_template("l2norm").overload_count()));
    const auto every = nlohmann::json::parse(kgen.run({"list", "--signatures", "--json"}).output);
    for (const auto& each : every["templates"]) CHECK(each["signatures"].size() > 0);
}

TEST_CASE("the commands tell in one line which template or file is wrong", "[template]") {
    const Command kgen;
    write(kgen.path("own.json"), own);
    write(kgen.path("broken.json"), "{\"kind\": \"elementwise\",\n  \"nmae\": 1}");
    REQUIRE(::mkfifo(kgen.path("pipe").c_str(), 0600) == 0);
    struct Case {
        std::vector<std::string> arguments;
        std::string message;
    };
    const std::vector<Case> cases = {
        {{"run", "l2nrom", "x=1"}, "no template is called 'l2nrom'; did you mean 'l2norm'?"},
        {{"show", "l2nrom"}, "no template is called 'l2nrom'; did you mean 'l2norm'?"},
        {{"show"}, "the template is missing; give its name, see kgen list"},
        {{"run", "--template", "broken.json", "x=1"},
         "broken.json:2:3: unknown field 'nmae'; did you mean 'name'?"},
        {{"run", "--template", "pipe"}, "pipe:1:1: this is a pipe, expected a file of templates"},
        {{"show", "--template", "/dev/zero"},
         "/dev/zero:1:1: this is a device, expected a file of templates"},
        {{"show", "--template", "."}, ".:1:1: this is a directory, expected a file of templates"},
        {{"run", "--template", "own.json", "--elementwise", "T x", "T y", "y = x"},
         "give --template or --elementwise, not both"},
        {{"run", "add", "--preamble", "int k;"},
         "--preamble goes with --elementwise or --reduce, not with a template"},
        {{"run", "add", "--axis", "1"},
         "--axis goes with a reduction, not with template 'add', which is elementwise"},
        {{"run", "add", "sum", "x=1"}, "argument 'sum' is not of the form NAME=VALUE"},
        {{"run", "add", "z=1.npy"},
         "kernel 'add': input 1 ('x') is missing; give x=NUMBER or x=FILE.npy"},
    };
    for (const Case& each : cases) {
        const CommandResult result = kgen.run(each.arguments);
        CHECK(result.messages == "kgen: " + each.message + "\n");
        CHECK(result.exit_status == 2);
        CHECK(result.output == "");
    }
    CHECK(kgen.run({"show", "--template", "none.json"}).exit_status == 3);
}

TEST_CASE("a stdout that is closed or full ends kgen list with status 3", "[template]") {
    const Command kgen;
    CHECK(kgen.run({"list"}, "").exit_status == 3);
    CHECK(kgen.run({"show", "sum"}, "/dev/full").exit_status == 3);
}

TEST_CASE("an output that cannot be written leaves no part of a file", "[template]") {
    const Command kgen;
    save_npy(kgen.path("x.npy"), from_vector<float>({3, 4}));
    write(kgen.path("target.npy"), "old");
    REQUIRE(::symlink("target.npy", kgen.path("link.npy").c_str()) == 0);
    // A link is replaced, not followed. Its target stays unchanged.
    CHECK(kgen.run({"run", "square", "x=x.npy", "--out", "y=link.npy"}).exit_status == 0);
    CHECK(to_text(load_npy(kgen.path("link.npy"))) == "[ 9. 16.]");
    CHECK(kgen.run({"run", "square", "x=x.npy", "--out", "y=no/where.npy"}).exit_status == 3);
}
