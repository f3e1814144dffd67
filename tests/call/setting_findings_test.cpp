// SPDX-License-Identifier: MIT
#include "api/setting_findings.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

std::vector<std::string> lines_of(const std::vector<Finding>& findings) {
    std::vector<std::string> lines;
    for (const Finding& finding : findings) {
        CHECK(finding.found == finding.remedy.empty());
        lines.push_back(finding.subject + ": " + finding.detail +
                        (finding.found ? "" : " | " + finding.remedy));
    }
    return lines;
}

}  // namespace

TEST_CASE("settings are shown with where they come from") {
    cache::StoreSettings store;
    CompileSettings compile;
    compile.jobs = 4;
    CHECK(lines_of(inspect_settings(store, compile, {})) ==
          std::vector<std::string>{
              "cache settings: max bytes 1073741824 (default), max files 50000 (default), locks "
              "auto (default), lock timeout in seconds 20 (default)",
              "compile settings: mode auto (default), jobs 4 (default)"});
    store.max_bytes = ~std::uint64_t{0};
    store.locking = cache::Locking::off;
    store.lock_timeout = std::chrono::milliseconds(500);
    store.sources = {{"KGEN_CACHE_MAX_SIZE", "KGEN_CACHE_MAX_SIZE"},
                     {"KGEN_LOCK", "the program"},
                     {"KGEN_LOCK_TIMEOUT", "KGEN_LOCK_TIMEOUT"}};
    compile.mode = CompileMode::never;
    compile.sources = {{"KGEN_COMPILE", "KGEN_COMPILE"}};
    CHECK(lines_of(inspect_settings(store, compile, {})) ==
          std::vector<std::string>{
              "cache settings: max bytes unlimited (KGEN_CACHE_MAX_SIZE), max files 50000 "
              "(default), locks off (the program), lock timeout in seconds 0.5 (KGEN_LOCK_TIMEOUT)",
              "compile settings: mode never (KGEN_COMPILE), jobs 4 (default)"});
}

TEST_CASE("what was not obeyed and what kgen does not know is pointed out") {
    cache::StoreSettings store;
    store.warnings = {"cache: KGEN_LOCK is 'on'; expected auto or off"};
    CompileSettings compile;
    compile.warnings = {"KGEN_JOBS is '0'"};
    const std::vector<std::string> lines = lines_of(inspect_settings(store,
                                                                     compile,
                                                                     {"HOME",
                                                                      "KGEN_CACHE_DIR",
                                                                      "KGEN_CACHE_MAXSIZE",
                                                                      "KGEN_CACHE_REMOTE_STORAGE",
                                                                      "KGEN_CACHES",
                                                                      "KGEN_DEVICE"}));
    REQUIRE(lines.size() == 7);
    CHECK(lines[2] ==
          "valid setting: cache: KGEN_LOCK is 'on'; expected auto or off | set an expected "
          "value, or unset it");
    CHECK(lines[3] == "valid setting: KGEN_JOBS is '0' | set an expected value, or unset it");
    CHECK(lines[4] ==
          "known setting: KGEN_CACHE_MAXSIZE is set, but kgen has no such variable | did you mean "
          "KGEN_CACHE_MAX_SIZE?");
    CHECK(lines[5] ==
          "known setting: KGEN_CACHE_REMOTE_STORAGE is set, but kgen has no such variable | unset "
          "it; kgen has KGEN_CACHE, KGEN_CACHE_DIR, KGEN_CACHE_RO_DIRS, KGEN_CACHE_MAX_SIZE, "
          "KGEN_CACHE_MAX_FILES, KGEN_CACHE_TRUST");
    CHECK(lines[6] ==
          "known setting: KGEN_CACHES is set, but kgen has no such variable | did you mean "
          "KGEN_CACHE?");
}
