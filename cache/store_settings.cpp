// SPDX-License-Identifier: MIT
#include "store_settings.hpp"

#include <pwd.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

namespace kgen::cache {

namespace {

std::optional<std::string> variable_of_process(const char* name) {
    const char* value = ::secure_getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
}

std::optional<std::string> home_of_account() {
    std::vector<char> buffer(16384);
    passwd record{};
    passwd* found = nullptr;
    const int error = ::getpwuid_r(::geteuid(), &record, buffer.data(), buffer.size(), &found);
    if (error != 0 || found == nullptr || found->pw_dir == nullptr) return std::nullopt;
    return std::string(found->pw_dir);
}

bool is_absolute(const std::optional<std::string>& path) {
    return path && !path->empty() && path->front() == '/';
}

std::string join(std::string folder, std::string_view name) {
    if (folder.back() != '/') folder += '/';
    return folder.append(name);
}

StoreSettings off(std::string problem) {
    StoreSettings settings;
    settings.problem = "cache: off: " + std::move(problem);
    return settings;
}

// Sets root and root_source; false if there is no directory.
bool choose_root(const SettingsSource& source, StoreSettings& settings) {
    // The XDG specification says to ignore a relative XDG_CACHE_HOME; a relative HOME is as
    // useless.
    if (const auto cache_home = source.variable("XDG_CACHE_HOME"); is_absolute(cache_home)) {
        settings.root = join(*cache_home, "kgen");
        settings.root_source = "XDG_CACHE_HOME";
    } else if (const auto home = source.variable("HOME"); is_absolute(home)) {
        settings.root = join(*home, ".cache/kgen");
        settings.root_source = "HOME";
    } else if (const auto account = source.account_home(); is_absolute(account)) {
        settings.root = join(*account, ".cache/kgen");
        settings.root_source = "account";
    }
    return !settings.root.empty();
}

}  // namespace

std::string_view to_text(StoreMode mode) noexcept {
    switch (mode) {
        case StoreMode::off:
            return "off";
        case StoreMode::read_only:
            return "ro";
        case StoreMode::read_write:
            return "rw";
        case StoreMode::refresh:
            return "refresh";
    }
    return "unknown";
}

std::string_view to_text(TrustMode mode) noexcept {
    return mode == TrustMode::owner ? "owner" : "any";
}

StoreSettings resolve_settings(const SettingsSource& source) {
    StoreSettings settings;
    const std::string mode = source.variable("KGEN_CACHE").value_or("rw");
    if (mode == "off") return settings;
    if (mode == "rw") {
        settings.mode = StoreMode::read_write;
    } else if (mode == "ro") {
        settings.mode = StoreMode::read_only;
    } else if (mode == "refresh") {
        settings.mode = StoreMode::refresh;
    } else {
        return off("KGEN_CACHE is '" + mode + "'; expected rw, ro, refresh or off");
    }
    if (source.elevated) {
        return off("this program runs with the rights of another user than the one who started it");
    }

    const std::string trust = source.variable("KGEN_CACHE_TRUST").value_or("owner");
    if (trust == "any") {
        settings.trust = TrustMode::any;
    } else if (trust != "owner") {
        return off("KGEN_CACHE_TRUST is '" + trust + "'; expected owner or any");
    }

    if (const auto directory = source.variable("KGEN_CACHE_DIR")) {
        if (!is_absolute(directory)) {
            return off("KGEN_CACHE_DIR is the relative path '" + *directory +
                       "'; expected an absolute one");
        }
        settings.root = *directory;
        settings.root_source = "KGEN_CACHE_DIR";
    } else if (!choose_root(source, settings)) {
        return off(
            "no directory: KGEN_CACHE_DIR, XDG_CACHE_HOME and HOME hold no absolute path and the "
            "account has no home; set KGEN_CACHE_DIR");
    }
    return settings;
}

StoreSettings resolve_settings() {
    return resolve_settings({.variable = variable_of_process,
                             .account_home = home_of_account,
                             .elevated = ::getauxval(AT_SECURE) != 0});
}

}  // namespace kgen::cache
