// SPDX-License-Identifier: MIT
#include "api/setting_findings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <kgen/suggestion.hpp>
#include <map>
#include <string_view>
#include <utility>

#include "image/process_store.hpp"
#include "store_settings.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

// All variables of kgen that begin with KGEN_CACHE.
constexpr std::array<std::string_view, 6> cache_variables = {"KGEN_CACHE",
                                                             "KGEN_CACHE_DIR",
                                                             "KGEN_CACHE_RO_DIRS",
                                                             "KGEN_CACHE_MAX_SIZE",
                                                             "KGEN_CACHE_MAX_FILES",
                                                             "KGEN_CACHE_TRUST"};

std::vector<std::string> variables_of_process() {
    std::vector<std::string> names;
    for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        names.emplace_back(text.substr(0, text.find('=')));
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string amount(std::uint64_t number) {
    return number == cache::unlimited ? "unlimited" : std::to_string(number);
}

// Appends the origin of a value: "50000 (default)", "50000 (KGEN_CACHE_MAX_FILES)".
std::string with_source(const std::string& value,
                        const char* name,
                        const std::map<std::string, std::string>& sources) {
    const auto found = sources.find(name);
    return fmt::format("{} ({})", value, found == sources.end() ? "default" : found->second);
}

Finding cache_finding(const cache::StoreSettings& store) {
    const auto shown = [&](const std::string& value, const char* name) {
        return with_source(value, name, store.sources);
    };
    return {.subject = "cache settings",
            .found = true,
            .detail = fmt::format(
                "max bytes {}, max files {}, locks {}, lock timeout in seconds {}",
                shown(amount(store.max_bytes), "KGEN_CACHE_MAX_SIZE"),
                shown(amount(store.max_files), "KGEN_CACHE_MAX_FILES"),
                shown(std::string(to_text(store.locking)), "KGEN_LOCK"),
                shown(fmt::format("{:g}", static_cast<double>(store.lock_timeout.count()) / 1000),
                      "KGEN_LOCK_TIMEOUT")),
            .remedy = ""};
}

Finding compile_finding(const CompileSettings& compile) {
    return {.subject = "compile settings",
            .found = true,
            .detail = fmt::format(
                "mode {}, jobs {}",
                with_source(std::string(to_text(compile.mode)), "KGEN_COMPILE", compile.sources),
                with_source(std::to_string(compile.jobs), "KGEN_JOBS", compile.sources)),
            .remedy = ""};
}

Finding disobeyed(const std::string& warning) {
    return {.subject = "valid setting",
            .found = false,
            .detail = warning,
            .remedy = "set an expected value, or unset it"};
}

Finding unknown_variable(const std::string& name) {
    const std::string_view near = nearest_name(name, cache_variables);
    return {.subject = "known setting",
            .found = false,
            .detail = fmt::format("{} is set, but kgen has no such variable", name),
            .remedy = near.empty()
                          ? fmt::format("unset it; kgen has {}", fmt::join(cache_variables, ", "))
                          : fmt::format("did you mean {}?", near)};
}

bool is_unknown(const std::string& name) {
    return name.starts_with(cache_variables.front()) && !is_one_of(name, cache_variables);
}

Finding place_finding(const std::string& name, const std::string& problem) {
    if (problem.empty()) {
        return {.subject = "read-only cache", .found = true, .detail = name, .remedy = ""};
    }
    return {
        .subject = "read-only cache",
        .found = false,
        .detail = problem,
        .remedy = fmt::format("remove '{}' from KGEN_CACHE_RO_DIRS, or correct the problem", name)};
}

}  // namespace

std::vector<Finding> inspect_settings(const cache::StoreSettings& store,
                                      const CompileSettings& compile,
                                      const std::vector<std::string>& variables) {
    std::vector<Finding> findings = {cache_finding(store), compile_finding(compile)};
    for (const std::string& warning : store.warnings) findings.push_back(disobeyed(warning));
    for (const std::string& warning : compile.warnings) findings.push_back(disobeyed(warning));
    for (const std::string& name : variables) {
        if (is_unknown(name)) findings.push_back(unknown_variable(name));
    }
    return findings;
}

std::vector<Finding> inspect_settings() {
    cache::Store& store = process_store();
    std::vector<Finding> findings =
        inspect_settings(store.settings(), compile_settings(), variables_of_process());
    for (const auto& [name, problem] : store.read_only_places()) {
        findings.push_back(place_finding(name, problem));
    }
    return findings;
}

}  // namespace kgen
