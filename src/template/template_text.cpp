// SPDX-License-Identifier: MIT
#include "template/template_text.hpp"

#include <nlohmann/json.hpp>

#include "text/list.hpp"

namespace kgen {

namespace {

using Json = nlohmann::ordered_json;

Json form_json(const TemplateOverload& overload) {
    const Definition& definition = overload.definition;
    Json form = {{"inputs", definition.inputs}, {"outputs", definition.outputs}};
    const auto add = [&](const char* name, const std::string& text) {
        if (!text.empty()) form[name] = text;
    };
    if (definition.reduction) {
        const ReductionTexts& texts = *definition.reduction;
        form["map"] = definition.operation;
        form["reduce"] = texts.reduce;
        form["post_map"] = texts.post_map;
        add("identity", texts.identity);
        add("accumulator", texts.reduce_type);
        if (texts.accuracy == Accuracy::compensated) form["accuracy"] = "compensated";
    } else {
        form["operation"] = definition.operation;
        add("loop_prep", definition.loop_prep);
        add("after_loop", definition.after_loop);
    }
    add("preamble", definition.preamble);
    if (!definition.options.empty()) form["options"] = definition.options;
    for (const PlaceholderTypes& allowed : overload.where) {
        Json names = Json::array();
        for (const DType dtype : allowed.dtypes) names.push_back(to_text(dtype));
        form["where"][std::string(1, allowed.placeholder)] = names;
    }
    return form;
}

}  // namespace

std::string to_json(const TemplateDefinition& definition) {
    Json forms = Json::array();
    for (const TemplateOverload& overload : definition.overloads)
        forms.push_back(form_json(overload));
    Json types = Json::array();
    for (const TemplateTypes& each : definition.types) {
        if (each.placeholders.empty()) continue;  // compiled without being listed
        Json assignment = Json::object();
        for (const auto& [letter, dtype] : each.placeholders)
            assignment[std::string(1, letter)] = to_text(dtype);
        add_once(types, assignment);
    }
    Json compile = {{"types", types}, {"layouts", definition.layouts}};
    if (!definition.numbers.empty()) compile["numbers"] = definition.numbers;
    Json object = {{"kind", to_text(definition.kind)}, {"name", definition.name}};
    if (!definition.aliases.empty()) object["aliases"] = definition.aliases;
    object["description"] = definition.description;
    object["overloads"] = forms;
    object["compile"] = compile;
    return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kgen
