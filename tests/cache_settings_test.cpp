// SPDX-License-Identifier: MIT
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store_settings.hpp"
#include "support/catch.hpp"

using namespace kgen::cache;

namespace {

using Variables = std::map<std::string, std::string>;

// As resolve_settings(), for a process with these variables (an empty one counts as unset).
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
        {{{"KGEN_CACHE_TRUST", "group"}, {"HOME", "/h"}},
         "/a",
         false,
         "cache: off: KGEN_CACHE_TRUST is 'group'; expected owner or any"},
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
         "cache: off: this program runs with the rights of another user than the one who started "
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
