// SPDX-License-Identifier: MIT
#include "benchmarks/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "benchmarks/cold_time.hpp"
#include "benchmarks/transfers.hpp"

namespace kgen::bench {

namespace {

// Names of measurements that are not cases.
constexpr std::string_view call = "call";
constexpr std::string_view graph = "graph";
constexpr std::string_view transfer = "transfer";
constexpr std::string_view gpu_to_gpu = "gpu-to-gpu";
constexpr std::string_view files = "files";
constexpr std::string_view first_call = "first-call";
constexpr std::string_view host_loops = "host-loops";
constexpr std::string_view bits = "bits";
constexpr std::string_view measurements[] = {
    call, graph, transfer, gpu_to_gpu, files, first_call, host_loops, bits};

bool is_named(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Case> chosen(const std::vector<Case>& cases, const std::vector<std::string>& names) {
    if (names.empty()) return cases;
    std::vector<Case> result;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(result), [&](const Case& row) {
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return name == row.name || name == row.family;
        });
    });
    return result;
}

bool is_among(const std::vector<Case>& cases, std::string_view name) {
    return std::any_of(cases.begin(), cases.end(), [&](const Case& row) {
        return name == row.name || name == row.family;
    });
}

[[noreturn]] void fail_unknown(const std::string& name,
                               const std::vector<Case>& cold,
                               const std::vector<int>& log2) {
    std::vector<std::string_view> valid(std::begin(measurements), std::end(measurements));
    for (const std::vector<Case>* list : {&all_cases(), &cold}) {
        for (const Case& row : *list) {
            valid.push_back(row.name);
            valid.push_back(row.family);
        }
    }
    const std::string_view nearest = nearest_name(name, valid);
    throw UnknownCase(
        fmt::format("unknown case '{}'{}\nknown, by family:\n{}",
                    name,
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
                    known_names(log2)));
}

}  // namespace

Selection select_cases(const std::vector<std::string>& names,
                       const std::vector<int>& log2,
                       DeviceKind device) {
    const std::vector<Case> cold = cold_cases(log2);
    const bool on_cuda = device == DeviceKind::cuda;
    for (const std::string& name : names) {
        const bool is_cold = is_among(cold, name);
        const bool is_measurement =
            std::find(std::begin(measurements), std::end(measurements), name) !=
            std::end(measurements);
        if (!is_cold && !is_measurement && !is_among(all_cases(), name)) {
            fail_unknown(name, cold, log2);
        }
        if (name == host_loops && on_cuda) {
            throw DeviceError("host-loops needs the host device: add --device host");
        }
        if ((is_cold || name == call || name == graph || name == transfer) && !on_cuda) {
            throw DeviceError(fmt::format(
                "{} needs a CUDA device: the host has no driver to compare with", name));
        }
        if (name == gpu_to_gpu && !(on_cuda && peer_of_current_device())) {
            throw DeviceError(
                fmt::format("gpu-to-gpu needs two GPUs that can access each other's memory: {} has "
                            "no such peer",
                            to_text(current_device())));
        }
    }
    Selection selection;
    selection.cases = chosen(all_cases(), names);
    if (on_cuda) selection.cold = chosen(cold, names);
    selection.call_costs = on_cuda && (names.empty() || is_named(names, call));
    selection.kernel_chains = on_cuda && (names.empty() || is_named(names, graph));
    selection.transfers = on_cuda && (names.empty() || is_named(names, transfer));
    selection.gpu_copies = on_cuda && (names.empty() || is_named(names, gpu_to_gpu));
    selection.files = names.empty() || is_named(names, files);
    selection.first_calls = names.empty() || is_named(names, first_call);
    selection.host_loops = !on_cuda && (names.empty() || is_named(names, host_loops));
    selection.same_bits = names.empty() || is_named(names, bits);
    return selection;
}

std::string known_names(const std::vector<int>& log2) {
    std::vector<Case> cases = all_cases();
    const std::vector<Case> cold = cold_cases(log2);
    cases.insert(cases.end(), cold.begin(), cold.end());
    std::string text;
    std::string family;
    for (const Case& row : cases) {
        if (row.family != family) {
            text += fmt::format("{}{}:", text.empty() ? "" : "\n", row.family);
            family = row.family;
        }
        text += " " + row.name;
    }
    return fmt::format("{}\n{}", text, fmt::join(measurements, "\n"));
}

}  // namespace kgen::bench
