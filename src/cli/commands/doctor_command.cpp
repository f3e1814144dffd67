// SPDX-License-Identifier: MIT
//
// kgen doctor: what is installed, what is missing, and how to get it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <kgen/communicator.hpp>
#include <kgen/error.hpp>
#include <kgen/system.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/options/common_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct Diagnosis {
    std::vector<Finding> findings;
    std::vector<Device> ready;          // devices that can compile and run
    std::string default_device;         // or the reason why there is none
    std::vector<std::string> settings;  // "KGEN_DEVICE=host"
};

bool is_found(const std::vector<Finding>& findings, const std::string& subject) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
        return finding.subject == subject && finding.found;
    });
}

std::vector<std::string> settings_in_force() {
    std::vector<std::string> settings;
    for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (text.substr(0, 5) == "KGEN_") settings.emplace_back(text);
    }
    std::sort(settings.begin(), settings.end());
    return settings;
}

Diagnosis diagnose() {
    Diagnosis diagnosis;
    diagnosis.findings = inspect_system();
    for (Finding& finding : inspect_communication())
        diagnosis.findings.push_back(std::move(finding));
    for (int ordinal = 0; ordinal < device_count(DeviceKind::cuda); ++ordinal) {
        const Device device = Device::cuda(ordinal);
        if (is_found(diagnosis.findings, "GPU " + to_text(device)) &&
            is_found(diagnosis.findings, "NVRTC")) {
            diagnosis.ready.push_back(device);
        }
    }
    if (is_found(diagnosis.findings, "host compiler")) diagnosis.ready.push_back(Device::host());
    try {
        diagnosis.default_device = to_text(current_device());
    } catch (const Error& error) {
        diagnosis.default_device = error.what();
    }
    diagnosis.settings = settings_in_force();
    return diagnosis;
}

std::vector<std::string> names(const std::vector<Device>& devices) {
    std::vector<std::string> list;
    for (const Device device : devices) list.push_back(to_text(device));
    return list;
}

std::string diagnosis_text(const Diagnosis& diagnosis) {
    std::string text;
    for (const Finding& finding : diagnosis.findings) {
        text += fmt::format(
            "{:<8} {}: {}\n", finding.found ? "found" : "missing", finding.subject, finding.detail);
        if (!finding.remedy.empty()) text += fmt::format("{:<8} fix: {}\n", "", finding.remedy);
    }
    const auto ready = names(diagnosis.ready);
    text += fmt::format("{:<8} {}\n",
                        "ready",
                        ready.empty() ? "no device" : fmt::format("{}", fmt::join(ready, ", ")));
    text += fmt::format("{:<8} {}\n", "default", diagnosis.default_device);
    for (const std::string& setting : diagnosis.settings) {
        text += fmt::format("{:<8} {}\n", "set", in_line(setting));
    }
    return text;
}

nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis) {
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const Finding& finding : diagnosis.findings) {
        findings.push_back({{"subject", finding.subject},
                            {"found", finding.found},
                            {"detail", finding.detail},
                            {"remedy", finding.remedy}});
    }
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    for (const std::string& setting : diagnosis.settings) {
        const std::size_t equals = setting.find('=');
        settings[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    return {{"schema", 1},
            {"version", version()},
            {"findings", findings},
            {"ready", names(diagnosis.ready)},
            {"default_device", diagnosis.default_device},
            {"settings", settings}};
}

ExitStatus print_diagnosis(const CommonOptions& options) {
    const Diagnosis diagnosis = diagnose();
    write_result(options.json, diagnosis_json(diagnosis), diagnosis_text(diagnosis));
    const std::vector<Device>& ready = diagnosis.ready;
    const auto wanted = options.chosen_device();
    const bool good =
        wanted ? std::find(ready.begin(), ready.end(), *wanted) != ready.end() : !ready.empty();
    return good ? ExitStatus::done : ExitStatus::problems;
}

}  // namespace

Command add_doctor_command(CLI::App& app) {
    auto options = std::make_shared<CommonOptions>();
    CLI::App* command =
        app.add_subcommand("doctor", "look for the driver, GPUs, compilers, cache, NCCL and MPI");
    add_common_options(*command, *options);
    command->footer(
        "Exit status 0 if a device can compile and run kernels (with --device: if that one can),\n"
        "else 1.");
    return {command, [options] { return print_diagnosis(*options); }};
}

}  // namespace kgen::cli
