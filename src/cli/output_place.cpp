// SPDX-License-Identifier: MIT
#include "cli/output_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <kgen/npz.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "cli/exit_status.hpp"
#include "cli/text/argument_text.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

// Three significant digits: "0.00308", "61.2". Values from 100 on have no decimals: "1234".
std::string digits(double value) {
    return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

double time_call(const std::function<void()>& call, Device device) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    call();
    synchronize(device);
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void time_later_calls(Timing& timing, const std::function<void()>& call, Device device) {
    constexpr std::size_t most_calls = 20;
    constexpr double most_ms = 1000;
    std::vector<double> times;
    double total_ms = 0;
    while (times.empty() || (times.size() < most_calls && total_ms < most_ms)) {
        times.push_back(time_call(call, device));
        total_ms += times.back();
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    timing.later_ms = *middle;
    timing.later_calls = static_cast<int>(times.size());
}

std::string to_text(const Timing& timing) {
    return fmt::format("first call {} ms, then {} ms (median of {} call{})",
                       digits(timing.first_ms),
                       digits(timing.later_ms),
                       timing.later_calls,
                       timing.later_calls == 1 ? "" : "s");
}

std::vector<OutputPlace> read_output_places(const Parameters& parameters,
                                            const std::vector<std::string>& texts) {
    const std::vector<std::string>& names = parameters.names;
    const std::size_t inputs = parameters.input_count;
    std::vector<OutputPlace> places;
    for (std::size_t k = inputs; k < names.size(); ++k) places.push_back({names[k], ""});
    for (const std::string& text : texts) {
        const auto [name, written] = parse_assignment("--out", text);
        FilePath file = parse_file_path(written);
        if (is_npz(file.path) && file.array.empty()) file.array = name;
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
            if (other.path != file.path || other.array != file.array) continue;
            throw UsageError(
                fmt::format("--out '{}': '{}' is already written to that {}",
                            text,
                            other.name,
                            file.array.empty() ? "file" : fmt::format("file as '{}'", file.array)));
        }
        place.path = file.path;
        place.array = file.array;
    }
    return places;
}

namespace {

using nlohmann::ordered_json;

ordered_json real_json(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

template <typename T>
ordered_json element_json(const T& value) {
    if constexpr (std::is_integral_v<T>) {
        return value;
    } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                         std::is_same_v<T, std::complex<double>>) {
        return ordered_json::array({real_json(static_cast<double>(value.real())),
                                    real_json(static_cast<double>(value.imag()))});
    } else if constexpr (std::is_same_v<T, double>) {
        return real_json(value);
    } else {
        return real_json(static_cast<double>(static_cast<float>(value)));
    }
}

// Returns the elements in C order: numbers, true and false. Complex numbers are [real, imaginary]. Values
// that JSON cannot represent are "nan", "inf" and "-inf". Waits for the array.
ordered_json elements_json(const Array& array) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(array.size_bytes()));
    array.copy_to_host(bytes.data());
    ordered_json list = ordered_json::array();
    visit_dtype(array.dtype(), [&]<typename T>() {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
            T value;
            std::memcpy(&value, bytes.data() + at, sizeof(T));
            list.push_back(element_json(value));
        }
    });
    return list;
}

std::string outputs_text(const RunResult& run) {
    std::string text;
    for (std::size_t k = 0; k < run.places.size(); ++k) {
        if (!run.places[k].path.empty()) continue;
        if (run.places.size() > 1) text += run.places[k].name + ":\n";
        text += to_text(run.outputs[k]) + "\n";
    }
    return text;
}

ordered_json run_json(const RunResult& run) {
    ordered_json list = ordered_json::array();
    for (std::size_t k = 0; k < run.places.size(); ++k) {
        const Array& array = run.outputs[k];
        const Dims& shape = array.shape();
        ordered_json output = {{"name", run.places[k].name},
                               {"dtype", to_text(array.dtype())},
                               {"shape", std::vector<std::int64_t>(shape.begin(), shape.end())}};
        if (run.places[k].path.empty()) {
            output["values"] = elements_json(array);
        } else {
            output["file"] = run.places[k].path;
            if (!run.places[k].array.empty()) output["array"] = run.places[k].array;
        }
        list.push_back(std::move(output));
    }
    ordered_json object = {{"schema", 1},
                           {"kernel", run.kernel},
                           {"device", to_text(run.device)},
                           {"outputs", std::move(list)}};
    for (const Device device : run.devices) object["devices"].push_back(to_text(device));
    if (run.timing) {
        object["time"] = {{"first_ms", run.timing->first_ms},
                          {"later_ms", run.timing->later_ms},
                          {"later_calls", run.timing->later_calls}};
    }
    return object;
}

}  // namespace

void write_run(const RunResult& run, const CommonOptions& options) {
    std::map<std::string, std::vector<NamedArray>> archives;
    for (std::size_t k = 0; k < run.places.size(); ++k) {
        const OutputPlace& place = run.places[k];
        if (place.path.empty()) continue;
        if (is_npz(place.path)) {
            archives[place.path].push_back({place.array, run.outputs[k]});
            continue;
        }
        try {
            save_npy(place.path, run.outputs[k]);
        } catch (const IoError&) {
            if (is_stdout_closed()) throw ClosedPipe();  // NAME=/dev/stdout
            throw;
        }
    }
    for (const auto& [path, arrays] : archives) save_npz(path, arrays);
    if (options.json) return write_json(run_json(run));
    write_text(outputs_text(run));
    if (run.timing) std::fprintf(stderr, "%s\n", to_text(*run.timing).c_str());
}

}  // namespace kgen::cli
