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
              "cache settings: bytes 1073741824 (default), files 50000 (default), locks auto "
              "(default), seconds to wait for them 20 (default)",
              "compile settings: compile auto (default), at once 4 (default)"});
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
              "cache settings: bytes unlimited (KGEN_CACHE_MAX_SIZE), files 50000 (default), locks "
              "off (the program), seconds to wait for them 0.5 (KGEN_LOCK_TIMEOUT)",
              "compile settings: compile never (KGEN_COMPILE), at once 4 (default)"});
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
          "a valid setting: cache: KGEN_LOCK is 'on'; expected auto or off | set it as "
          "expected, or unset it");
    CHECK(lines[3] == "a valid setting: KGEN_JOBS is '0' | set it as expected, or unset it");
    CHECK(lines[4] ==
          "a setting of that name: KGEN_CACHE_MAXSIZE is set, but kgen has no such "
          "variable | did you mean KGEN_CACHE_MAX_SIZE?");
    CHECK(lines[5] ==
          "a setting of that name: KGEN_CACHE_REMOTE_STORAGE is set, but kgen has no "
          "such variable | unset it: there are KGEN_CACHE, KGEN_CACHE_DIR, "
          "KGEN_CACHE_RO_DIRS, KGEN_CACHE_MAX_SIZE, KGEN_CACHE_MAX_FILES, "
          "KGEN_CACHE_TRUST");
    CHECK(lines[6] ==
          "a setting of that name: KGEN_CACHES is set, but kgen has no such variable | "
          "did you mean KGEN_CACHE?");
}
