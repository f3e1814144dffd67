// SPDX-License-Identifier: MIT
#include "cli/output_place.hpp"

#include <fmt/format.h>

#include <kgen/npy.hpp>
#include <nlohmann/json.hpp>

#include "cli/exit_status.hpp"
#include "cli/kernel_arguments.hpp"
#include "cli/text/argument_text.hpp"
#include "cli/text/array_json.hpp"

namespace kgen::cli {

std::vector<OutputPlace> read_output_places(const Parameters& parameters,
                                            const std::vector<std::string>& texts) {
    const std::vector<std::string>& names = parameters.names;
    const std::size_t inputs = parameters.input_count;
    std::vector<OutputPlace> places;
    for (std::size_t k = inputs; k < names.size(); ++k) places.push_back({names[k], ""});
    for (const std::string& text : texts) {
        const auto [name, path] = parse_assignment("--out", text);
        const std::size_t position = find_parameter(parameters, name);
        if (position < inputs) {
            throw UsageError(fmt::format(
                "--out '{}': '{}' is an input of kernel '{}'", text, name, parameters.kernel));
        }
        OutputPlace& place = places[position - inputs];
        if (!place.path.empty()) {
            throw UsageError(
                fmt::format("--out '{}': '{}' is already written to {}", text, name, place.path));
        }
        for (const OutputPlace& other : places) {
            if (other.path != path) continue;
            throw UsageError(
                fmt::format("--out '{}': '{}' is already written to that file", text, other.name));
        }
        place.path = path;
    }
    return places;
}

void save_outputs(const std::vector<OutputPlace>& places, const std::vector<Array>& outputs) {
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (!places[k].path.empty()) save_npy(places[k].path, outputs[k]);
    }
}

std::string outputs_text(const std::vector<OutputPlace>& places,
                         const std::vector<Array>& outputs) {
    std::string text;
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (!places[k].path.empty()) continue;
        if (places.size() > 1) text += places[k].name + ":\n";
        text += to_text(outputs[k]) + "\n";
    }
    return text;
}

nlohmann::ordered_json outputs_json(const std::vector<OutputPlace>& places,
                                    const std::vector<Array>& outputs) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < places.size(); ++k) {
        nlohmann::ordered_json output = {{"name", places[k].name},
                                         {"dtype", to_text(outputs[k].dtype())},
                                         {"shape", dims_json(outputs[k].shape())}};
        if (places[k].path.empty()) {
            output["values"] = elements_json(outputs[k]);
        } else {
            output["file"] = places[k].path;
        }
        list.push_back(std::move(output));
    }
    return list;
}

}  // namespace kgen::cli
