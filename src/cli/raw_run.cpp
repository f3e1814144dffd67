// SPDX-License-Identifier: MIT
#include "cli/raw_run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/argument_text.hpp"
#include "cli/kernel_arguments.hpp"
#include "cli/output_place.hpp"
#include "cli/standard_output.hpp"
#include "cli/timing.hpp"

namespace kgen::cli {

namespace {

// The arguments in the kernel's order: an array, or a number where there is none.
struct RawCall {
    Parameters parameters;
    std::vector<Array> arrays;
    std::vector<Scalar> numbers;
    std::vector<std::size_t> described;  // positions of arrays that began as zeros

    std::vector<RawArgument> arguments() const {
        std::vector<RawArgument> list;
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            if (arrays[k].has_value()) {
                list.emplace_back(arrays[k]);
            } else {
                list.emplace_back(numbers[k]);
            }
        }
        return list;
    }
};

Array make_array(const ArgumentText& text, const ArraySpec& spec, Device device) {
    if (spec.strides) {
        throw UsageError(fmt::format(
            "argument '{}': an array that kgen makes is C-contiguous: leave its strides out",
            text.text));
    }
    return zeros(spec.shape, spec.dtype, {.device = device});
}

Parameters name_parameters(const std::string& kernel, const std::vector<ArgumentText>& texts) {
    Parameters parameters{.kernel = kernel, .names = {}, .input_count = 0};
    for (const ArgumentText& text : texts) {
        for (const std::string& name : parameters.names) {
            if (name == text.name)
                throw UsageError(
                    fmt::format("kernel '{}': '{}' is given twice", kernel, text.name));
        }
        parameters.names.push_back(text.name);
    }
    return parameters;
}

RawCall load_call(const RawRun& run, Device device) {
    std::vector<ArgumentText> texts;
    for (const std::string& text : run.kernel.arguments) texts.push_back(parse_argument(text));
    RawCall call;
    call.parameters = name_parameters(*run.raw.kernel, texts);
    const std::vector<Argument> loaded =
        load_arguments(call.parameters, texts, run.kernel.dtypes, Use::run, device);
    for (std::size_t k = 0; k < loaded.size(); ++k) {
        Array array;
        Scalar number = 0;
        if (const ArraySpec* spec = loaded[k].spec()) {
            array = make_array(texts[k], *spec, device);
            call.described.push_back(k);
        } else if (loaded[k].array() != nullptr) {
            array = loaded[k].array()->ascontiguous();
        } else {
            number = *loaded[k].scalar();
        }
        call.arrays.push_back(std::move(array));
        call.numbers.push_back(number);
    }
    return call;
}

// The arrays to show, each with its file if it has one.
std::pair<std::vector<OutputPlace>, std::vector<Array>> outputs_of(const RawCall& call,
                                                                   const RawRun& run) {
    std::pair<std::vector<OutputPlace>, std::vector<Array>> outputs;
    for (const OutputPlace& place : read_output_places(call.parameters, run.outputs)) {
        if (place.path.empty()) continue;  // all parameters are possible outputs
        const Array& array = call.arrays[find_parameter(call.parameters, place.name)];
        if (!array.has_value()) {
            throw UsageError(fmt::format("--out '{}={}': '{}' is a number, not an array",
                                         place.name,
                                         place.path,
                                         place.name));
        }
        outputs.first.push_back(place);
        outputs.second.push_back(array);
    }
    if (!outputs.first.empty()) return outputs;
    for (const std::size_t k : call.described) {
        outputs.first.push_back({.name = call.parameters.names[k], .path = {}});
        outputs.second.push_back(call.arrays[k]);
    }
    return outputs;
}

}  // namespace

ExitStatus run_raw(const RawRun& run, const CommonOptions& common) {
    if (const auto device = common.chosen_device()) set_current_device(*device);
    const Device device = current_device();
    const RawModule module(make_module_options(run.raw, run.kernel));
    const RawKernel kernel = module.kernel(*run.raw.kernel);
    LaunchConfig config = make_launch_config(run.raw);
    config.stream = current_stream(device);
    const RawCall call = load_call(run, device);
    const auto [places, arrays] = outputs_of(call, run);

    const std::vector<RawArgument> arguments = call.arguments();
    const auto launch = [&] { kernel.launch_arguments(config, arguments); };
    Timing timing;
    timing.first_ms = time_call(launch, device);
    std::vector<Array> results = arrays;
    if (run.time) {
        for (Array& array : results) array = array.copy();  // the launches to come write again
        time_later_calls(timing, launch, device);
    }
    save_outputs(places, results);
    if (common.format() == Format::text) {
        write_text(outputs_text(places, results));
        if (run.time) std::fprintf(stderr, "%s\n", to_text(timing).c_str());
        return ExitStatus::done;
    }
    nlohmann::ordered_json object = {{"schema", 1},
                                     {"kernel", *run.raw.kernel},
                                     {"device", to_text(device)},
                                     {"outputs", outputs_json(places, results)}};
    if (run.time) {
        object["time"] = {{"first_ms", timing.first_ms},
                          {"later_ms", timing.later_ms},
                          {"later_calls", timing.later_calls}};
    }
    write_json(object);
    return ExitStatus::done;
}

}  // namespace kgen::cli
