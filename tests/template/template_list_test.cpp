// SPDX-License-Identifier: MIT
//
// docs/templates.md lists the templates of kgen's library. The page is generated from the library, so that
// both agree. KGEN_UPDATE_GOLDEN=1 rewrites it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <kgen/dtype.hpp>
#include <kgen/kernel_template.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dtype/dtype_set.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using nlohmann::json;

namespace {

constexpr std::string_view head =
    R"(# The templates of the library

After reading this page you can call each of kgen's {} built-in kernels by its name.

    kgen list                                    # all names, with descriptions
    kgen show softplus                           # the strings that a template is made of
    kgen run softplus x=x.npy --out y=y.npy      # runs one from the command line

In C++ `kernel_template("softplus")(x)` runs one. A call of a reduction may add `axis(k)` and `keepdims` after the inputs. The
[guide](guide-templates.md) explains templates, and the [notes of the library](../kernel_templates/library) list where
results differ from those of NumPy and PyTorch.

| column | meaning |
|---|---|
| template | the name, and aliases: NumPy's other names of the function |
| signature | the parameters: inputs, then outputs. One letter is a placeholder, which takes the dtype of its argument; equal letters are equal dtypes |
| dtypes | the dtypes that the placeholder accepts. `integers` are int8 to int64 and uint8 to uint64, `floats` are float16, bfloat16, float32 and float64, `complexes` are complex64 and complex128, `any` are all of these and bool |

A template with several forms has one row for each signature. A call uses the first form that fits its arguments, and a `TypeError`
lists the forms if none fits. A number may be passed in place of an array; it takes the dtype of its parameter.

This page is generated from kernel_templates/library by tests/template/template_list_test.cpp. After a change of the library, run the tests
with KGEN_UPDATE_GOLDEN=1 to rewrite it.
)";

// Returns the dtypes in order. A complete group has the name that it has in files of templates.
std::string dtypes_text(const DTypeSet& dtypes) {
    static const std::vector<std::pair<std::string, std::vector<DType>>> groups = {
        {"bool", {bool_}},
        {"integers", {int8, int16, int32, int64, uint8, uint16, uint32, uint64}},
        {"floats", {float16, bfloat16, float32, float64}},
        {"complexes", {complex64, complex128}}};
    std::vector<std::string> words;
    bool has_all = true;
    for (const auto& [name, members] : groups) {
        std::vector<std::string> listed;
        for (const DType dtype : members) {
            if (dtypes.has(dtype)) listed.emplace_back(to_text(dtype));
        }
        if (listed.size() == members.size()) {
            words.push_back(name);
        } else {
            has_all = false;
            words.insert(words.end(), listed.begin(), listed.end());
        }
    }
    return has_all ? "any" : fmt::format("{}", fmt::join(words, ", "));
}

// Returns whether a parameter of the list has a placeholder as its type.
bool has_placeholder(const std::string& parameters) {
    std::size_t word = 0;  // begin of the current word
    for (std::size_t at = 0; at < parameters.size(); ++at) {
        if (parameters[at] != ' ') continue;
        if (at - word == 1 && parameters[at + 1] != ' ') return true;
        word = at + 1;
    }
    return false;
}

struct Row {
    std::string signature;
    std::map<std::string, DTypeSet> dtypes;  // indexed by placeholder
};

// Returns a row for each signature of the template's forms. Forms share a row if they have the same signature
// and one placeholder.
std::vector<Row> rows_of(const json& definition) {
    std::vector<Row> rows;
    for (const json& form : definition.at("overloads")) {
        const auto inputs = form.at("inputs").get<std::string>();
        Row row{.signature = fmt::format("{} -> {}", inputs, form.at("outputs").get<std::string>()),
                .dtypes = {}};
        if (form.contains("where")) {
            for (const auto& [letter, names] : form.at("where").items()) {
                for (const auto& name : names)
                    row.dtypes[letter].add(*parse_dtype(name.get<std::string>()));
            }
        } else if (has_placeholder(inputs)) {
            row.dtypes["T"] = DTypeSet::all();
        }
        const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& other) {
            return other.signature == row.signature && other.dtypes.size() == 1 &&
                   row.dtypes.size() == 1;
        });
        if (same == rows.end()) {
            rows.push_back(row);
        } else {
            same->dtypes.begin()->second.add(row.dtypes.begin()->second);
        }
    }
    return rows;
}

std::string dtypes_cell(const Row& row) {
    std::vector<std::string> parts;
    for (const auto& [letter, dtypes] : row.dtypes) {
        const std::string text = dtypes_text(dtypes);
        parts.push_back(row.dtypes.size() > 1 ? letter + ": " + text : text);
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

// Markdown ends a cell at '|'.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '|') result += '\\';
        result += c;
    }
    return result;
}

std::string table_of(const TemplateInfo& info) {
    std::string text;
    const json definition = json::parse(kernel_template(info.name).json());
    std::string names = fmt::format("`{}`", info.name);
    for (const json& alias : definition.value("aliases", json::array()))
        names += fmt::format(", `{}`", alias.get<std::string>());
    for (const Row& row : rows_of(definition)) {
        const bool is_first = text.empty();
        text += fmt::format("| {} | `{}` | {} | {} |\n",
                            is_first ? names : "",
                            row.signature,
                            dtypes_cell(row),
                            is_first ? escaped(info.description) : "");
    }
    return text;
}

std::string page() {
    const std::vector<TemplateInfo> templates = kernel_templates();
    std::map<std::string, std::string> tables;  // indexed by file
    for (const TemplateInfo& info : templates) tables[info.origin] += table_of(info);
    std::string text = fmt::format(fmt::runtime(head), templates.size());
    for (const auto& [origin, rows] : tables) {
        const std::string file = origin.substr(origin.rfind('/') + 1);
        text += fmt::format(
            "\n## {}\n\n| template | signature | dtypes | result |\n|---|---|---|---|\n{}",
            file,
            rows);
    }
    return text;
}

}  // namespace

TEST_CASE("docs/templates.md lists the templates of the library") {
    const ScopedVariable path("KGEN_TEMPLATE_PATH", {});
    const std::string text = page();
    CHECK(text == kgen::test::golden("../../docs/templates.md", text));
}
