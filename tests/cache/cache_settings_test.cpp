// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store_settings.hpp"
#include "support/catch.hpp"

using namespace kgen::cache;

namespace {

using Variables = std::map<std::string, std::string>;

// Calls resolve_settings() for a process with these variables. An empty variable counts as unset.
StoreSettings settings_of(const Variables& variables,
                          const std::optional<std::string>& account = "/home/account",
                          bool elevated = false) {
    SettingsSource source;
    source.variable = [&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end() || found->second.empty()) return std::nullopt;
        return found->second;
    };
    source.account_home = [&] { return account; };
    source.elevated = elevated;
    return resolve_settings(source);
}

}  // namespace

TEST_CASE("the store's directory comes from the first variable that names one") {
    struct Case {
        Variables variables;
        std::string root;
        std::string source;
    };
    const std::vector<Case> cases = {
        {{{"KGEN_CACHE_DIR", "/k"}, {"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}},
         "/k",
         "KGEN_CACHE_DIR"},
        {{{"KGEN_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}},
         "/x/kgen",
         "XDG_CACHE_HOME"},
        {{{"XDG_CACHE_HOME", "/x/"}}, "/x/kgen", "XDG_CACHE_HOME"},
        {{{"XDG_CACHE_HOME", "relative"}, {"HOME", "/h"}}, "/h/.cache/kgen", "HOME"},
        {{{"XDG_CACHE_HOME", ""}, {"HOME", "/h"}}, "/h/.cache/kgen", "HOME"},
        {{{"HOME", "/"}}, "/.cache/kgen", "HOME"},
        {{{"HOME", ""}}, "/home/account/.cache/kgen", "account"},
        {{{"HOME", "relative"}}, "/home/account/.cache/kgen", "account"},
        {{}, "/home/account/.cache/kgen", "account"},
    };
    for (const Case& row : cases) {
        INFO(row.root << " from " << row.source);
        const StoreSettings settings = settings_of(row.variables);
        CHECK(settings.root == row.root);
        CHECK(settings.root_source == row.source);
        CHECK(settings.mode == StoreMode::read_write);
        CHECK(settings.trust == TrustMode::owner);
        CHECK(settings.problem.empty());
    }
}

TEST_CASE("mode and trust are read from their variables") {
    const Variables home = {{"HOME", "/h"}};
    const auto with = [&](const char* name, const char* value) {
        Variables variables = home;
        variables[name] = value;
        return settings_of(variables);
    };
    CHECK(with("KGEN_CACHE", "rw").mode == StoreMode::read_write);
    CHECK(with("KGEN_CACHE", "ro").mode == StoreMode::read_only);
    CHECK(with("KGEN_CACHE", "refresh").mode == StoreMode::refresh);
    CHECK(with("KGEN_CACHE", "off").mode == StoreMode::off);
    CHECK(with("KGEN_CACHE", "off").problem.empty());
    CHECK(with("KGEN_CACHE", "off").root.empty());
    CHECK(with("KGEN_CACHE_TRUST", "owner").trust == TrustMode::owner);
    CHECK(with("KGEN_CACHE_TRUST", "group").trust == TrustMode::group);
    CHECK(with("KGEN_CACHE_TRUST", "any").trust == TrustMode::any);
    for (const StoreMode mode :
         {StoreMode::off, StoreMode::read_only, StoreMode::read_write, StoreMode::refresh}) {
        CHECK(with("KGEN_CACHE", std::string(to_text(mode)).c_str()).mode == mode);
    }
}

TEST_CASE("settings that cannot be obeyed turn the store off and say why") {
    struct Case {
        Variables variables;
        std::optional<std::string> account;
        bool elevated;
        std::string problem;
    };
    const std::vector<Case> cases = {
        {{{"KGEN_CACHE", "on"}, {"HOME", "/h"}},
         "/a",
         false,
         "cache: off: KGEN_CACHE is 'on'; expected rw, ro, refresh or off"},
        {{{"KGEN_CACHE", "RW"}, {"HOME", "/h"}},
         "/a",
         false,
         "cache: off: KGEN_CACHE is 'RW'; expected rw, ro, refresh or off"},
        {{{"KGEN_CACHE_TRUST", "all"}, {"HOME", "/h"}},
         "/a",
         false,
         "cache: off: KGEN_CACHE_TRUST is 'all'; expected owner, group or any"},
        {{{"KGEN_CACHE_DIR", "kernels"}, {"HOME", "/h"}},
         "/a",
         false,
         "cache: off: KGEN_CACHE_DIR is the relative path 'kernels'; expected an absolute one"},
        {{{"KGEN_CACHE_DIR", "./k"}, {"HOME", "/h"}},
         "/a",
         false,
         "cache: off: KGEN_CACHE_DIR is the relative path './k'; expected an absolute one"},
        {{},
         std::nullopt,
         false,
         "cache: off: no directory: KGEN_CACHE_DIR, XDG_CACHE_HOME and HOME hold no absolute path "
         "and "
         "the account has no home; set KGEN_CACHE_DIR"},
        {{{"HOME", "relative"}},
         "",
         false,
         "cache: off: no directory: KGEN_CACHE_DIR, XDG_CACHE_HOME and HOME hold no absolute path "
         "and "
         "the account has no home; set KGEN_CACHE_DIR"},
        {{{"HOME", "/h"}},
         "/a",
         true,
         "cache: off: this program runs with the rights of a user other than the one who started "
         "it"},
    };
    for (const Case& row : cases) {
        INFO(row.problem);
        const StoreSettings settings = settings_of(row.variables, row.account, row.elevated);
        CHECK(settings.mode == StoreMode::off);
        CHECK(settings.root.empty());
        CHECK(settings.problem == row.problem);
    }
}

TEST_CASE("sizes are bytes with a unit or without") {
    struct Case {
        const char* text;
        std::optional<std::uint64_t> size;
    };
    constexpr std::uint64_t k = 1024;
    const std::vector<Case> cases = {
        {"1", 1},
        {"1073741824", k * k * k},
        {"1K", k},
        {"3KiB", 3 * k},
        {"512M", 512 * k * k},
        {"2 GiB", 2 * k * k * k},
        {"2 G", 2 * k * k * k},
        {"1T", k * k * k * k},
        {"18446744073709551615", unlimited},
        {"16777215T", 16777215 * k * k * k * k},
        {"007", 7},
        {"unlimited", unlimited},
        {"18446744073709551616", std::nullopt},
        {"16777216T", std::nullopt},
        {"0", std::nullopt},
        {"0G", std::nullopt},
        {"", std::nullopt},
        {" 1", std::nullopt},
        {"1 ", std::nullopt},
        {"1  G", std::nullopt},
        {"1G ", std::nullopt},
        {"1k", std::nullopt},
        {"1KB", std::nullopt},
        {"1B", std::nullopt},
        {"1e3", std::nullopt},
        {"1.5G", std::nullopt},
        {"-1", std::nullopt},
        {"+1", std::nullopt},
        {"0x10", std::nullopt},
        {"abc", std::nullopt},
        {"G", std::nullopt},
        {"Unlimited", std::nullopt},
    };
    for (const Case& row : cases) {
        INFO('"' << row.text << '"');
        CHECK(read_size(row.text) == row.size);
    }
}

TEST_CASE("counts and seconds are read whole or not at all") {
    CHECK(read_count("50000") == 50000U);
    CHECK(read_count("unlimited") == unlimited);
    for (const char* text : {"0", "", "-1", "1e3", "1K", " 1", "1 ", "18446744073709551616"}) {
        INFO(text);
        CHECK_FALSE(read_count(text));
    }
    using std::chrono::milliseconds;
    CHECK(read_seconds("0") == milliseconds(0));
    CHECK(read_seconds("20") == milliseconds(20000));
    CHECK(read_seconds("0.25") == milliseconds(250));
    CHECK(read_seconds("2.0009") == milliseconds(2000));
    CHECK(read_seconds("999999999") == milliseconds(999'999'999'000));
    for (const char* text :
         {"", "-1", ".5", "1.", "1,5", "1e3", "1.5s", "inf", "nan", " 1", "1 ", "1000000000"}) {
        INFO(text);
        CHECK_FALSE(read_seconds(text));
    }
}

TEST_CASE("bounds, locks and places are as their variables say, or as by default") {
    const StoreSettings by_default = settings_of({{"HOME", "/h"}});
    CHECK(by_default.max_bytes == std::uint64_t{1} << 30);
    CHECK(by_default.max_files == 50'000);
    CHECK(by_default.locking == Locking::automatic);
    CHECK(by_default.lock_timeout == std::chrono::seconds(20));
    CHECK(by_default.read_only.empty());
    CHECK(by_default.sources.empty());

    const StoreSettings set = settings_of({{"HOME", "/h"},
                                           {"KGEN_CACHE", "ro"},
                                           {"KGEN_CACHE_RO_DIRS", "/opt/a:/opt/b c"},
                                           {"KGEN_CACHE_MAX_SIZE", "2 GiB"},
                                           {"KGEN_CACHE_MAX_FILES", "unlimited"},
                                           {"KGEN_CACHE_TRUST", "group"},
                                           {"KGEN_LOCK", "off"},
                                           {"KGEN_LOCK_TIMEOUT", "0.5"}});
    CHECK(set.read_only == std::vector<std::string>{"/opt/a", "/opt/b c"});
    CHECK(set.max_bytes == std::uint64_t{2} << 30);
    CHECK(set.max_files == unlimited);
    CHECK(set.locking == Locking::off);
    CHECK(set.lock_timeout == std::chrono::milliseconds(500));
    CHECK(set.warnings.empty());
    for (const char* name : {"KGEN_CACHE",
                             "KGEN_CACHE_RO_DIRS",
                             "KGEN_CACHE_MAX_SIZE",
                             "KGEN_CACHE_MAX_FILES",
                             "KGEN_CACHE_TRUST",
                             "KGEN_LOCK",
                             "KGEN_LOCK_TIMEOUT"}) {
        INFO(name);
        CHECK(set.sources.at(name) == name);
    }
    for (const TrustMode mode : {TrustMode::owner, TrustMode::group, TrustMode::any}) {
        CHECK(
            settings_of({{"HOME", "/h"}, {"KGEN_CACHE_TRUST", std::string(to_text(mode))}}).trust ==
            mode);
    }
    for (const Locking locking : {Locking::automatic, Locking::off}) {
        CHECK(settings_of({{"HOME", "/h"}, {"KGEN_LOCK", std::string(to_text(locking))}}).locking ==
              locking);
    }
}

TEST_CASE("of a value that cannot be obeyed the default stays, with one warning") {
    const std::vector<std::pair<Variables, std::string>> cases = {
        {{{"KGEN_CACHE_MAX_SIZE", "1e3"}},
         "cache: KGEN_CACHE_MAX_SIZE is '1e3'; expected bytes, such as 1073741824, 512M, 2 GiB or "
         "unlimited; the default 1 GiB is used"},
        {{{"KGEN_CACHE_MAX_FILES", "-1"}},
         "cache: KGEN_CACHE_MAX_FILES is '-1'; expected a number from 1, or unlimited; the default "
         "50000 is used"},
        {{{"KGEN_LOCK", "yes"}},
         "cache: KGEN_LOCK is 'yes'; expected auto or off; the default auto is used"},
        {{{"KGEN_LOCK_TIMEOUT", "soon"}},
         "cache: KGEN_LOCK_TIMEOUT is 'soon'; expected seconds, such as 20 or 0.5; the default 20 "
         "is used"},
        {{{"KGEN_CACHE_RO_DIRS", "opt/a"}},
         "cache: KGEN_CACHE_RO_DIRS names 'opt/a'; expected absolute paths separated by colons; "
         "this path is ignored"},
    };
    for (const auto& [set, warning] : cases) {
        INFO(warning);
        Variables variables = set;
        variables["HOME"] = "/h";
        const StoreSettings settings = settings_of(variables);
        CHECK(settings.warnings == std::vector<std::string>{warning});
        CHECK(settings.mode == StoreMode::read_write);
        CHECK(settings.max_bytes == std::uint64_t{1} << 30);
        CHECK(settings.max_files == 50'000);
        CHECK(settings.locking == Locking::automatic);
        CHECK(settings.lock_timeout == std::chrono::seconds(20));
        CHECK(settings.read_only.empty());
        CHECK(settings.sources.empty());
    }
    // The valid elements of a list are kept.
    const StoreSettings some =
        settings_of({{"HOME", "/h"}, {"KGEN_CACHE_RO_DIRS", "/a::b:/c:"}, {"KGEN_LOCK", "on"}});
    CHECK(some.read_only == std::vector<std::string>{"/a", "/c"});
    CHECK(some.warnings.size() == 4);
}

TEST_CASE("read-only places outlive the lack of a directory, but not KGEN_CACHE=off") {
    const Variables places = {{"KGEN_CACHE_RO_DIRS", "/opt/a"}};
    const auto with = [&](Variables more) {
        more.insert(places.begin(), places.end());
        return settings_of(more, std::nullopt);
    };
    CHECK(with({}).mode == StoreMode::off);
    CHECK(with({}).read_only == std::vector<std::string>{"/opt/a"});
    CHECK(with({{"KGEN_CACHE_DIR", "relative"}}).read_only.size() == 1);
    CHECK(with({{"KGEN_CACHE", "off"}}).read_only.empty());
    CHECK(with({{"KGEN_CACHE", "of"}}).read_only.empty());
    CHECK(with({{"KGEN_CACHE_TRUST", "of"}}).read_only.empty());
    CHECK(settings_of(places, "/a", true).read_only.empty());
}
