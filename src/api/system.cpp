// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/system.hpp>
#include <utility>

#include "api/setting_findings.hpp"
#include "device/registry.hpp"
#include "image/process_store.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

Finding inspect_directory() {
    const cache::StoreSettings& settings = process_store().settings();
    Finding finding{.subject = "cache directory", .found = settings.mode != cache::StoreMode::off};
    if (finding.found) {
        finding.detail = fmt::format("{} (from {}; mode {}, trust {})",
                                     settings.root,
                                     settings.root_source,
                                     to_text(settings.mode),
                                     to_text(settings.trust));
    } else if (settings.problem.empty()) {
        finding.detail = "switched off by KGEN_CACHE=off";
        finding.remedy = "unset KGEN_CACHE to keep compiled kernels";
    } else {
        finding.detail = settings.problem;
        finding.remedy = "set KGEN_CACHE_DIR to a directory that only you can write to";
    }
    return finding;
}

}  // namespace

std::vector<Finding> inspect_system() try {
    std::vector<Finding> findings = inspect_devices();
    findings.push_back(inspect_directory());
    for (Finding& finding : inspect_settings()) findings.push_back(std::move(finding));
    return findings;
} catch (...) {
    rethrow_as_error();
}

std::string cache_directory() {
    return process_store().settings().root;
}

}  // namespace kgen
