// SPDX-License-Identifier: MIT
//
// The format of template files, and the place and reason in each error message.
#include <fstream>
#include <kgen/error.hpp>
#include <kgen/kernel_template.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "template/template_fields.hpp"
#include "template/template_layouts.hpp"
#include "template/template_library.hpp"
#include "template/template_reader.hpp"
#include "template/template_text.hpp"

using namespace kgen;

namespace {

// Returns a complete template. `fields` replaces or extends the fields of a small template.
std::string elementwise(const std::string& fields) {
    return R"({"kind": "elementwise", "name": "twice", "description": "2 x",)"
           "\n " +
           fields + "}";
}

const std::string body = R"("inputs": "T x", "outputs": "T y", "operation": "y = 2 * x")";

std::string message_of(const std::string& text) {
    return KGEN_MESSAGE_OF(SignatureError, read_templates(text, "t.json"));
}

using Types = std::vector<std::pair<char, DType>>;

std::vector<Types> types_of(const TemplateDefinition& made) {
    std::vector<Types> all;
    for (const TemplateTypes& each : made.types) all.push_back(each.placeholders);
    return all;
}

}  // namespace

TEST_CASE("a template has the fields that its text gives", "[template]") {
    const auto made = read_templates(R"json({"templates": [
        {"$schema": "template.schema.json", "kind": "reduction", "name": "norm",
         "description": "a norm", "inputs": "T x, U w", "outputs": "T y",
         "map": ["// lines", "x * w"], "reduce": "a + b", "post_map": "y = sqrt(a)", "identity": "0",
         "accumulator": "double", "accuracy": "compensated", "preamble": "typedef int own;",
         "options": ["-DN=3", "--ftz=true"],
         "compile": {"types": {"T": ["float32", "float64"], "U": ["int8"]}, "layouts": ["rows"]}},
        {"kind": "elementwise", "name": "fill", "description": "one", "inputs": "", "outputs": "T y",
         "operation": "y = 1", "loop_prep": "int k = 0", "after_loop": "++k"}]})json",
                                     "t.json");
    REQUIRE(made.size() == 2);
    CHECK(made[0].kind == TemplateKind::reduction);
    CHECK(made[0].origin == "t.json");
    const Definition& norm = made[0].overloads.at(0).definition;
    CHECK(norm.operation == "// lines\nx * w");
    CHECK(norm.reduction->reduce_type == "double");
    CHECK(norm.reduction->accuracy == Accuracy::compensated);
    CHECK(norm.options == std::vector<std::string>{"-DN=3", "--ftz=true"});
    CHECK(types_of(made[0]) ==
          std::vector<Types>{{{'T', float32}, {'U', int8}}, {{'T', float64}, {'U', int8}}});
    CHECK(made[0].layouts == std::vector<std::string>{"rows"});
    CHECK(made[1].overloads.at(0).definition.loop_prep == "int k = 0");
    CHECK(made[1].types.empty());  // no field gives the dtype of T
    CHECK(made[1].layouts == std::vector<std::string>{"contiguous"});
}

TEST_CASE("overloads replace fields and are compiled for the types that reach them", "[template]") {
    const auto made =
        read_templates(R"({"kind": "reduction", "name": "sum", "description": "the sum",
        "inputs": "T x", "outputs": "T y", "map": "x", "reduce": "a + b", "post_map": "y = a",
        "identity": "0",
        "overloads": [{"where": {"T": ["bool", "int8"]}, "outputs": "int64 y"},
                      {"inputs": "uint8 x", "outputs": "uint64 y"},
                      {"where": {"T": ["floats"]}, "map": "x + 0"}, {}],
        "compile": {"types": {"T": ["float32", "int8", "int32", "complex64"]}}})",
                       "t.json")[0];
    REQUIRE(made.overloads.size() == 4);
    CHECK(made.overloads[0].definition.outputs == "int64 y");
    CHECK(made.overloads[1].definition.operation == "x");
    CHECK(made.types == std::vector<TemplateTypes>{{0, {{'T', int8}}},
                                                   {1, {}},
                                                   {2, {{'T', float32}}},
                                                   {3, {{'T', int32}}},
                                                   {3, {{'T', complex64}}}});
    // These lists of dtypes replace the template's own.
    CHECK(expand_types(made, {{'T', {float64, uint8}}}) ==
          std::vector<TemplateTypes>{{1, {}}, {2, {{'T', float64}}}});
}

TEST_CASE("a list of combinations names just these types", "[template]") {
    const auto made = read_templates(
        elementwise(
            R"("inputs": "T x, U y", "outputs": "T z", "operation": "z = x * y", "compile": {)"
            R"("types": [{"T": "float32", "U": "int8"}, {"U": "bool", "T": "float32"}]})"),
        "t.json")[0];
    CHECK(types_of(made) ==
          std::vector<Types>{{{'T', float32}, {'U', int8}}, {{'T', float32}, {'U', bool_}}});
}

TEST_CASE("placeholders that no list names keep the combinations of the template", "[template]") {
    const auto read = [](std::string_view types) {
        return read_templates(
            elementwise(R"("inputs": "T x, U y", "outputs": "V z", "operation": "z = x * y")" +
                        std::string(types)),
            "t.json")[0];
    };
    const auto made = read(
        R"(, "compile": {"types": [{"T": "float32", "U": "int8", "V": "float64"},
                                   {"T": "float64", "U": "bool", "V": "float64"},
                                   {"T": "int8", "U": "int8", "V": "float64"}]})");
    using Types = std::vector<TemplateTypes>;
    const auto types = [](DType t, DType u, DType v) {
        return TemplateTypes{0, {{'T', t}, {'U', u}, {'V', v}}};
    };
    CHECK(expand_types(made, {{'W', {float32}}}) == made.types);
    // Two combinations may become equal after the replacement, and one of them is kept.
    CHECK(expand_types(made, {{'T', {int16}}}) ==
          Types{types(int16, int8, float64), types(int16, bool_, float64)});
    CHECK(expand_types(made, {{'U', {int16, uint8}}}) == Types{types(float32, int16, float64),
                                                               types(float32, uint8, float64),
                                                               types(float64, int16, float64),
                                                               types(float64, uint8, float64),
                                                               types(int8, int16, float64),
                                                               types(int8, uint8, float64)});
    CHECK(expand_types(made, {{'U', {bool_}}, {'T', {int8}}}) ==
          Types{types(int8, bool_, float64)});
    CHECK(expand_types(made, {{'V', {bool_}}, {'U', {int64}}, {'T', {int8}}}) ==
          Types{types(int8, int64, bool_)});
    // A template that names no dtypes needs a list for each placeholder.
    const auto unnamed = read("");
    CHECK(expand_types(unnamed, {{'T', {int8}}, {'U', {int8}}}).empty());
    CHECK(expand_types(unnamed, {{'T', {int8}}, {'U', {int8}}, {'V', {int8}}}).size() == 1);
}

TEST_CASE("what is no template is told with its line and column", "[template]") {
    struct Case {
        std::string text;
        std::string message;
    };
    const std::string from_body = body + ", ";
    const std::vector<Case> cases = {
        {"", "1:1: the text is empty"},
        {"{\n  \"kind\": nul}", "2:14: broken JSON while parsing value: invalid literal"},
        {"{\"a\": NaN}", "1:7: broken JSON while parsing value: invalid literal"},
        {"{\"a\": 1e999}", "1:11: broken JSON: number overflow parsing '1e999'"},
        {"{\"a\": \"\\ud800\"}",
         "1:14: broken JSON while parsing value: invalid string: surrogate U+D800..U+DBFF must be "
         "followed by U+DC00..U+DFFF"},
        {"{\"a\": \"\xff\"}",
         "1:8: broken JSON while parsing value: invalid string: ill-formed UTF-8 byte"},
        {"// words\n{}", "1:1: broken JSON while parsing value: invalid literal"},
        {"{} {}", "1:4: broken JSON while parsing value: unexpected '{'; expected end of input"},
        {"{\"a\": 1,}",
         "1:9: broken JSON while parsing object key: unexpected '}'; expected string literal"},
        {"\xef\xbb\xbf{}",
         "1:1: the text begins with a byte order mark, which JSON does not allow"},
        {"{\"a\": 1,\n \"a\": 2}", "2:2: field 'a' is given twice: first at line 1, column 2"},
        {std::string(100000, '['), "1:17: nested deeper than 16 levels"},
        {"[]", "1:1: the text is an array, expected an object"},
        {"{}", "1:1: field 'kind' is missing"},
        {R"({"templates": 5})", "1:15: field 'templates' is a number, expected an array"},
        {R"({"templates": [], "more": 1})",
         "1:19: unknown field 'more'; expected 'templates' and '$schema'"},
        {R"({"templates": [null]})", "1:16: a template is null, expected an object"},
        {R"({"kind": "raw"})", "1:10: unknown kind 'raw': expected elementwise or reduction"},
        {R"({"kind": -0})", "1:10: field 'kind' is a number, expected a string"},
        {R"({"kind": 18446744073709551616})", "1:10: field 'kind' is a number, expected a string"},
        {R"({"kind": "elementwise", "nmae": "x"})",
         "1:25: unknown field 'nmae'; did you mean 'name'?"},
        {R"({"kind": "elementwise", "name": "x"})", "1:1: field 'description' is missing"},
        {R"({"kind": "elementwise", "name": "x", "description": "a\nb"})",
         "1:53: field 'description' must be one line of 1 to 200 bytes"},
        {elementwise(R"("inputs": "T x", "outputs": "T y")"), "1:1: field 'operation' is missing"},
        {elementwise(R"("inputs": "T x", "outputs": "T y", "operation": 5)"),
         "2:50: field 'operation' is a number, expected a string or an array of lines"},
        {elementwise(R"("inputs": "T x", "outputs": "T y", "operation": ["y = x", true])"),
         "2:60: a line of field 'operation' is a boolean, expected a string"},
        {elementwise(R"("map": "x")"),
         "2:2: field 'map' is not allowed in a template of kind 'elementwise'"},
        {elementwise(from_body + R"("overloads": [])"), "2:76: field 'overloads' is empty"},
        {elementwise(from_body + R"("overloads": [{"name": "z"}])"),
         "2:78: field 'name' belongs to the template, not to an overload"},
        {elementwise(from_body + R"("overloads": [{}, {"inputs": "T w"}])"),
         "2:81: template 'twice': overload 2 has other parameters than overload 1: got w, y, "
         "expected "
         "x, y"},
        {elementwise(from_body + R"("options": ["-DX", "--time=file"])"),
         "2:82: option '--time=file' is not allowed in a template; allowed are -D, -U, --std, "
         "--use_fast_math, --ftz, --prec-sqrt, --prec-div, --fmad, --maxrregcount, "
         "--extra-device-vectorization, --restrict, --lineinfo, --generate-line-info"},
        {elementwise(from_body + R"("where": {"TT": ["float32"]})"),
         "2:73: 'TT' is not a placeholder: expected one letter"},
        {elementwise(from_body + R"("where": {"T": []})"),
         "2:78: the list of dtypes of 'T' is empty"},
        {elementwise(from_body + R"("where": {"T": ["flaot32"]})"),
         "2:79: unknown dtype 'flaot32'; did you mean 'float32'?"},
        {elementwise(from_body + R"("where": {"T": ["float"]})"),
         "2:79: unknown dtype 'float'; did you mean 'floats'?"},
        {elementwise(from_body + R"("where": {"U": ["int8"]})"),
         "2:72: template 'twice': no parameter has the placeholder 'U' that 'where' names"},
        {elementwise(from_body + R"("compile": {"type": {}})"),
         "2:75: unknown field 'type'; 'compile' has types, layouts and numbers"},
        {elementwise(from_body + R"("compile": {"numbers": ["y"]})"),
         "2:87: 'y' is not an input that may be a number; expected one of x"},
        {elementwise(from_body + R"("compile": {"numbers": ["x", "x", "x", "x", "x"]})"),
         "2:86: 'numbers' has 5 names, expected at most 4, because every subset of them is "
         "compiled"},
        {elementwise(from_body + R"("compile": {"layouts": ["rows"]})"),
         "2:87: unknown layout 'rows'; did you mean 'row'?"},
        {elementwise(from_body + R"("compile": {"types": {"U": ["int8"]}})"),
         "2:84: template 'twice': no overload accepts U = int8"},
        {elementwise(from_body + R"("compile": {"types": [{"T": "floats"}]})"),
         "2:91: 'floats' names several dtypes, expected one"},
        {elementwise(from_body + R"("compile": {"types": [{"U": "int8"}]})"),
         "2:85: template 'twice': no overload accepts this combination of types"},
        {elementwise(R"("inputs": "A a, B b, C c", "outputs": "A y", "operation": "y = a",)"
                     R"("compile": {"types": {"A": ["integers", "floats"], "B": ["integers", )"
                     R"("floats"], "C": ["integers", "floats"]}})"),
         "2:89: template 'twice': more than 1000 combinations of types"},
        {"{\"templates\": [" + elementwise(body) + ",\n" + elementwise(body) + "]}",
         "3:1: template 'twice' is defined twice: first at line 1"},
        {elementwise(body + R"(, "aliases": "two")"),
         "2:74: field 'aliases' is a string, expected an array"},
        {elementwise(body + R"(, "aliases": ["2x"])"), "2:75: alias '2x' is not an identifier"},
        {elementwise(body + R"(, "aliases": ["twice"])"),
         "1:1: template 'twice' is defined twice: first at line 1"},
    };
    for (const Case& each : cases) {
        INFO(each.text.substr(0, 200));
        CHECK(message_of(each.text) == "t.json:" + each.message);
    }
}

TEST_CASE("the strings of a template are read as those of kernels are", "[template]") {
    CHECK(message_of(elementwise(R"("inputs": "T 9", "outputs": "T y", "operation": "y = 1")")) ==
          "t.json:1:1: kernel 'twice': '9' in input 1 is not an identifier\n  T 9\n    ^");
    // An error in the second overload is reported at the place of that overload.
    CHECK(message_of(elementwise(body + R"(, "overloads": [{}, {"operation": "y = {x"}])")) ==
          "t.json:2:81: kernel 'twice': the operation is not balanced at line 1, column 5: this "
          "'{' is "
          "not closed\n  y = {x\n      ^");
    CHECK(message_of(
              elementwise(R"("inputs": "T x", "outputs": "T y", "operation": "y = x\u0000")")) ==
          "t.json:1:1: kernel 'twice': the operation has a NUL byte at line 1, column 6");
}

TEST_CASE("a template's name is an identifier and goes nowhere else", "[template]") {
    const std::vector<std::pair<std::string, std::string>> names = {
        {"", ""},
        {"1a", "1a"},
        {"a b", "a b"},
        {"a;b", "a;b"},
        {"a\\n", "a\\n"},
        {"../x", "../x"},
        {"a\\u0000b", "a\\0b"},
        {"k%s", "k%s"},
        {"x */ #error pwned /*", "x */ #error pwned /*"},
        {"x\\\"", "x\""},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
    };
    for (const auto& [name, shown] : names) {
        const std::string text = R"({"kind": "elementwise", "name": ")" + name +
                                 R"(", "description": "x", )" + body + "}";
        const std::string message = message_of(text);
        INFO(message);
        CHECK(message.substr(0, 24) == "t.json:1:1: kernel name ");
        CHECK(message.find(": expected letters, digits and '_', not beginning with a digit") !=
              std::string::npos);
        CHECK(message.find('\n') == std::string::npos);
    }
    // A function of C and one of CUDA. Both names are allowed because the kernel's symbol differs.
    for (const std::string name : {"printf", "sqrt"}) {
        CHECK(read_templates(R"({"kind": "elementwise", "name": ")" + name +
                                 R"(", "description": "x", )" + body + "}",
                             "t.json")[0]
                  .name == name);
    }
}

TEST_CASE("a template includes no files but kgen's and the toolkit's", "[template]") {
    const auto with = [](const std::string& include) {
        return elementwise(body + R"(, "preamble": "#include )" + include + "\"");
    };
    CHECK(read_templates(with("<cstdint>"), "t.json").size() == 1);
    const std::string rule = ": a template may include only <...>, without '..' in the path";
    CHECK(message_of(with(R"(\"/etc/passwd\")")) ==
          "t.json:1:1: template 'twice': the preamble includes '/etc/passwd'" + rule);
    CHECK(message_of(with("</etc/passwd>")) ==
          "t.json:1:1: template 'twice': the preamble includes '/etc/passwd'" + rule);
    CHECK(message_of(with("<../x.h>")) ==
          "t.json:1:1: template 'twice': the preamble includes '../x.h'" + rule);
    CHECK(message_of(with("FILE")) ==
          "t.json:1:1: template 'twice': the preamble includes the value of a macro" + rule);
}

TEST_CASE("every template of the library reads as it is written", "[template]") {
    CHECK(library_templates().size() == 170);  // README.md and library/README.md give this number
    for (const TemplateDefinition& made : library_templates()) {
        INFO(made.name);
        const std::vector<TemplateDefinition> again = read_templates(to_json(made), "again");
        REQUIRE(again.size() == 1);
        CHECK(to_json(again[0]) == to_json(made));
        CHECK(again[0].types == made.types);
        CHECK(!made.types.empty());
    }
}

TEST_CASE("the JSON Schema has the fields, dtypes and layouts that are read", "[template]") {
    std::ifstream file(KGEN_SOURCE_DIR "/kernel_templates/template.schema.json");
    const auto schema = nlohmann::json::parse(file);
    const nlohmann::json& definitions = schema["$defs"];
    const auto keys = [](const nlohmann::json& object) {
        std::set<std::string> names;
        for (const auto& item : object.items()) names.insert(item.key());
        return names;
    };
    std::set<std::string> of_template;
    std::set<std::string> of_form;
    for (const TemplateField& field : template_fields()) {
        of_template.emplace(field.name);
        if (field.place == FieldPlace::forms_too) of_form.emplace(field.name);
        if (field.place != FieldPlace::forms_too) continue;
        // The schema forbids the fields of the other kind.
        const nlohmann::json& whole = definitions["template"];
        CHECK(whole["then"]["properties"].contains(field.name) == !field.of_reduction);
        CHECK(whole["else"]["properties"].contains(field.name) == !field.of_elementwise);
    }
    CHECK(keys(definitions["template"]["properties"]) == of_template);
    CHECK(keys(definitions["overload"]["properties"]) == of_form);
    std::vector<std::string> dtypes;
    for (int k = 0; k < dtype_count; ++k) dtypes.emplace_back(to_text(static_cast<DType>(k)));
    CHECK(definitions["dtype"]["enum"].get<std::vector<std::string>>() == dtypes);
    std::vector<std::string> layouts;
    for (const TemplateKind kind : {TemplateKind::elementwise, TemplateKind::reduction}) {
        for (const TemplateLayout& layout : layouts_of(kind)) layouts.emplace_back(layout.name);
    }
    CHECK(definitions["compile"]["properties"]["layouts"]["items"]["enum"]
              .get<std::vector<std::string>>() == layouts);
}
