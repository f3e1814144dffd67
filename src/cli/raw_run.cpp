// SPDX-License-Identifier: MIT
#include "cli/raw_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/kgen.hpp>
#include <optional>
#include <utility>

#include "cli/kernel_arguments.hpp"
#include "cli/output_place.hpp"
#include "cli/text/argument_text.hpp"

namespace kgen::cli {

namespace {

// The arguments in the kernel's order. Each is an array, or a number if the array has no value.
struct RawCall {
    Parameters parameters;
    std::vector<RawParameter> described;
    std::vector<Array> arrays;
    std::vector<Scalar> numbers;

    std::vector<RawArgument> arguments() const {
        std::vector<RawArgument> list;
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            if (!arrays[k].has_value()) {
                list.emplace_back(numbers[k]);
            } else if (described[k].is_view) {
                list.emplace_back(raw(arrays[k]));
            } else {
                list.emplace_back(arrays[k]);
            }
        }
        return list;
    }
};

Array make_array(const ArgumentText& text, const ArraySpec& spec, Device device) {
    if (spec.strides) {
        throw UsageError(fmt::format(
            "argument '{}': an array that kgen creates is C-contiguous: remove the strides",
            text.text));
    }
    return zeros(spec.shape, spec.dtype, {.device = device});
}

// Reads the arguments before the kernel is known. Values without names must precede those with names.
std::vector<ArgumentText> read_arguments(const RunOptions& run) {
    std::vector<ArgumentText> texts;
    for (const std::string& text : run.kernel.arguments) {
        ArgumentText argument = parse_argument_or_value(text);
        if (argument.name.empty() && !texts.empty() && !texts.back().name.empty()) {
            throw UsageError(fmt::format(
                "argument '{}': values without names must precede those with names", text));
        }
        for (const ArgumentText& other : texts) {
            if (argument.name.empty() || other.name != argument.name) continue;
            throw UsageError(
                fmt::format("kernel '{}': '{}' is given twice", *run.raw.kernel, argument.name));
        }
        texts.push_back(std::move(argument));
    }
    return texts;
}

// Parameters without a name are named by their number.
Parameters name_parameters(const std::string& kernel, const std::vector<RawParameter>& described) {
    Parameters parameters{.kernel = kernel, .names = {}, .input_count = 0};
    for (const RawParameter& each : described) {
        parameters.names.push_back(each.name.empty() ? std::to_string(parameters.names.size() + 1)
                                                     : each.name);
    }
    return parameters;
}

[[noreturn]] void refuse_missing(const RawCall& call, std::size_t position) {
    const std::string& name = call.described[position].name;
    const std::string place = fmt::format("kernel '{}': argument {} of {}",
                                          call.parameters.kernel,
                                          position + 1,
                                          call.described.size());
    if (name.empty()) {
        throw UsageError(place +
                         " is missing; the compiled code does not contain its name: give the "
                         "values without names, in the kernel's order");
    }
    throw UsageError(fmt::format(
        "{0} ('{1}') is missing; give {1}=NUMBER, {1}=FILE.npy or {1}=float32[2,5]", place, name));
}

// Returns the texts in the kernel's order, each with its parameter's name.
std::vector<ArgumentText> order_texts(const RawCall& call, std::vector<ArgumentText> texts) {
    const std::size_t count = call.described.size();
    if (texts.size() > count) {
        throw UsageError(fmt::format("kernel '{}': got {} arguments, expected {}",
                                     call.parameters.kernel,
                                     texts.size(),
                                     count));
    }
    std::vector<std::optional<ArgumentText>> slots(count);
    for (std::size_t k = 0; k < texts.size(); ++k) {
        ArgumentText& text = texts[k];
        std::size_t position = k;
        if (!text.name.empty()) {
            const bool tells_names = std::any_of(
                call.described.begin(), call.described.end(), [](const RawParameter& each) {
                    return !each.name.empty();
                });
            if (!tells_names) {
                throw UsageError(fmt::format(
                    "kernel '{}': the compiled code does not contain the names of its parameters: "
                    "give '{}' and the other values without names, in the kernel's order",
                    call.parameters.kernel,
                    text.name));
            }
            position = find_parameter(call.parameters, text.name);
        }
        if (slots[position]) {
            throw UsageError(fmt::format("kernel '{}': '{}' is given twice: {} and {}",
                                         call.parameters.kernel,
                                         text.name,
                                         slots[position]->text,
                                         text.text));
        }
        text.name = call.parameters.names[position];
        slots[position] = std::move(text);
    }
    std::vector<ArgumentText> ordered;
    for (std::size_t k = 0; k < count; ++k) {
        if (!slots[k]) refuse_missing(call, k);
        ordered.push_back(std::move(*slots[k]));
    }
    return ordered;
}

RawCall load_call(const RunOptions& run,
                  std::vector<RawParameter> described,
                  std::vector<ArgumentText> given,
                  Device device) {
    RawCall call;
    call.parameters = name_parameters(*run.raw.kernel, described);
    call.described = std::move(described);
    const std::vector<ArgumentText> texts = order_texts(call, std::move(given));
    const std::vector<Argument> loaded =
        load_arguments(call.parameters, texts, run.kernel.dtypes, Use::run, device);
    for (std::size_t k = 0; k < loaded.size(); ++k) {
        Array array;
        Scalar number = 0;
        if (const ArraySpec* spec = loaded[k].spec()) {
            array = make_array(texts[k], *spec, device);
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

// Returns the arrays to output, each with its file if it has one: those of --out, or without --out all that
// the kernel may have written.
std::pair<std::vector<OutputPlace>, std::vector<Array>> outputs_of(const RawCall& call,
                                                                   const RunOptions& run) {
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
    for (std::size_t k = 0; k < call.arrays.size(); ++k) {
        if (!call.arrays[k].has_value() || !call.described[k].may_be_written) continue;
        outputs.first.push_back({.name = call.parameters.names[k], .path = {}});
        outputs.second.push_back(call.arrays[k]);
    }
    return outputs;
}

}  // namespace

ExitStatus run_raw(const RunOptions& run) {
    if (const auto device = run.common.chosen_device()) set_current_device(*device);
    const Device device = current_device();
    const RawModule module(make_module_options(run.raw, run.kernel));
    const RawKernel kernel = module.kernel(*run.raw.kernel);
    LaunchConfig config = make_launch_config(run.raw);
    config.stream = current_stream(device);
    std::vector<ArgumentText> texts = read_arguments(run);
    Timing timing;
    std::vector<RawParameter> described;
    timing.first_ms = time_call([&] { described = kernel.parameters(device); }, device);
    const RawCall call = load_call(run, std::move(described), std::move(texts), device);
    const auto [places, arrays] = outputs_of(call, run);

    const std::vector<RawArgument> arguments = call.arguments();
    const auto launch = [&] { kernel.launch_arguments(config, arguments); };
    timing.first_ms += time_call(launch, device);
    std::vector<Array> results = arrays;
    if (run.time) {
        for (Array& array : results) array = array.copy();  // the next launches write to them again
        time_later_calls(timing, launch, device);
    }
    write_run({.kernel = *run.raw.kernel,
               .device = device,
               .places = places,
               .outputs = std::move(results),
               .timing = run.time ? std::optional(timing) : std::nullopt},
              run.common);
    return ExitStatus::done;
}

}  // namespace kgen::cli
