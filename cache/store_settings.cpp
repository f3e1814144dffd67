// SPDX-License-Identifier: MIT
#include "store_settings.hpp"

#include <pwd.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "setting_values.hpp"

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

// Sets root and root_source. Returns false if neither the variables nor the account name a directory.
bool choose_root(const SettingsSource& source, StoreSettings& settings) {
    // The XDG specification requires a relative XDG_CACHE_HOME to be ignored. A relative HOME is ignored too.
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

// Turns the store off. The read-only places stay, because a problem of the root does not concern them.
StoreSettings off(StoreSettings settings, std::string problem) {
    settings.mode = StoreMode::off;
    settings.problem = "cache: off: " + std::move(problem);
    return settings;
}

void read_places(const SettingsSource& source, StoreSettings& settings) {
    const char* name = "KGEN_CACHE_RO_DIRS";
    const std::optional<std::string> list = source.variable(name);
    if (!list) return;
    for (std::size_t begin = 0; begin <= list->size();) {
        const std::size_t end = std::min(list->find(':', begin), list->size());
        std::string place = list->substr(begin, end - begin);
        begin = end + 1;
        if (is_absolute(place)) {
            settings.read_only.push_back(std::move(place));
            settings.sources[name] = name;
        } else {
            settings.warnings.push_back(
                std::string("cache: ") + name + " names '" + place +
                "'; expected absolute paths separated by colons; this path is ignored");
        }
    }
}

// Reads one variable with read(), which returns nothing for an invalid value.
template <typename Value, typename Read>
void read_value(const SettingsSource& source,
                StoreSettings& settings,
                const char* name,
                const char* expected,
                Read&& read,
                Value& value) {
    const std::optional<std::string> text = source.variable(name);
    if (!text) return;
    if (const std::optional<Value> known = read(*text)) {
        value = *known;
        settings.sources[name] = name;
    } else {
        settings.warnings.push_back(std::string("cache: ") + name + " is '" + *text +
                                    "'; expected " + expected + " is used");
    }
}

std::optional<Locking> read_locking(std::string_view text) {
    if (text == "auto") return Locking::automatic;
    if (text == "off") return Locking::off;
    return std::nullopt;
}

void read_values(const SettingsSource& source, StoreSettings& settings) {
    read_value(source,
               settings,
               "KGEN_CACHE_MAX_SIZE",
               "bytes, such as 1073741824, 512M, 2 GiB or unlimited; the default 1 GiB",
               read_size,
               settings.max_bytes);
    read_value(source,
               settings,
               "KGEN_CACHE_MAX_FILES",
               "a number from 1, or unlimited; the default 50000",
               read_count,
               settings.max_files);
    read_value(source,
               settings,
               "KGEN_LOCK",
               "auto or off; the default auto",
               read_locking,
               settings.locking);
    read_value(source,
               settings,
               "KGEN_LOCK_TIMEOUT",
               "seconds, such as 20 or 0.5; the default 20",
               read_seconds,
               settings.lock_timeout);
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
    switch (mode) {
        case TrustMode::owner:
            return "owner";
        case TrustMode::group:
            return "group";
        case TrustMode::any:
            return "any";
        case TrustMode::installed:
            return "installed";
    }
    return "unknown";
}

std::string_view to_text(Locking locking) noexcept {
    return locking == Locking::automatic ? "auto" : "off";
}

void tell(const std::function<void(const std::string&)>& listener,
          const std::string& message) noexcept {
    if (!listener) return;
    try {
        listener(message);
    } catch (...) {
        return;
    }
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
        return off({}, "KGEN_CACHE is '" + mode + "'; expected rw, ro, refresh or off");
    }
    if (mode != "rw") settings.sources["KGEN_CACHE"] = "KGEN_CACHE";
    if (source.elevated) {
        return off({},
                   "this program runs with the rights of a user other than the one who started it");
    }

    const std::string trust = source.variable("KGEN_CACHE_TRUST").value_or("owner");
    if (trust == "group") {
        settings.trust = TrustMode::group;
    } else if (trust == "any") {
        settings.trust = TrustMode::any;
    } else if (trust != "owner") {
        return off({}, "KGEN_CACHE_TRUST is '" + trust + "'; expected owner, group or any");
    }
    if (trust != "owner") settings.sources["KGEN_CACHE_TRUST"] = "KGEN_CACHE_TRUST";

    read_places(source, settings);
    read_values(source, settings);
    if (const auto directory = source.variable("KGEN_CACHE_DIR")) {
        if (!is_absolute(directory)) {
            return off(std::move(settings),
                       "KGEN_CACHE_DIR is the relative path '" + *directory +
                           "'; expected an absolute one");
        }
        settings.root = *directory;
        settings.root_source = "KGEN_CACHE_DIR";
    } else if (!choose_root(source, settings)) {
        return off(
            std::move(settings),
            "no directory: KGEN_CACHE_DIR, XDG_CACHE_HOME and HOME hold no absolute path and the "
            "account has no home; set KGEN_CACHE_DIR");
    }
    return settings;
}

SettingsSource process_settings_source() {
    return {.variable = variable_of_process,
            .account_home = home_of_account,
            .elevated = ::getauxval(AT_SECURE) != 0};
}

}  // namespace kgen::cache
