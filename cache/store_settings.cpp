// SPDX-License-Identifier: MIT
#include "store_settings.hpp"

#include <pwd.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

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

// The values of a setting that is a word.
template <typename Value>
using Word = std::pair<std::string_view, Value>;

constexpr Word<StoreMode> modes[] = {{"off", StoreMode::off},
                                     {"ro", StoreMode::read_only},
                                     {"rw", StoreMode::read_write},
                                     {"refresh", StoreMode::refresh}};
constexpr Word<TrustMode> trusts[] = {
    {"owner", TrustMode::owner}, {"group", TrustMode::group}, {"any", TrustMode::any}};
constexpr Word<Locking> lockings[] = {{"auto", Locking::automatic}, {"off", Locking::off}};

template <typename Value, std::size_t count>
std::optional<Value> read_word(const Word<Value> (&words)[count], std::string_view text) {
    for (const auto& [word, value] : words) {
        if (word == text) return value;
    }
    return std::nullopt;
}

template <typename Value, std::size_t count>
std::string_view word_of(const Word<Value> (&words)[count], Value wanted) noexcept {
    for (const auto& [word, value] : words) {
        if (value == wanted) return word;
    }
    return "unknown";
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
    read_value(
        source,
        settings,
        "KGEN_LOCK",
        "auto or off; the default auto",
        [](std::string_view text) { return read_word(lockings, text); },
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
    return word_of(modes, mode);
}

std::string_view to_text(TrustMode mode) noexcept {
    return word_of(trusts, mode);
}

std::string_view to_text(Locking locking) noexcept {
    return word_of(lockings, locking);
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
    const std::optional<StoreMode> known_mode = read_word(modes, mode);
    if (!known_mode) {
        return off({}, "KGEN_CACHE is '" + mode + "'; expected rw, ro, refresh or off");
    }
    settings.mode = *known_mode;
    if (mode != "rw") settings.sources["KGEN_CACHE"] = "KGEN_CACHE";
    if (source.elevated) {
        return off({},
                   "this program runs with the rights of a user other than the one who started it");
    }

    const std::string trust = source.variable("KGEN_CACHE_TRUST").value_or("owner");
    const std::optional<TrustMode> known_trust = read_word(trusts, trust);
    if (!known_trust) {
        return off({}, "KGEN_CACHE_TRUST is '" + trust + "'; expected owner, group or any");
    }
    settings.trust = *known_trust;
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

namespace {

// Reads the number at the beginning of the text and removes its digits. Returns nothing if there are no
// digits or the number is too large.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<int> shift_of_unit(std::string_view unit) {
    if (unit.empty()) return 0;
    const std::size_t power = std::string_view("KMGT").find(unit.front());
    const std::string_view rest = unit.substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "iB")) return std::nullopt;
    return 10 * (static_cast<int>(power) + 1);
}

}  // namespace

std::optional<std::uint64_t> read_size(std::string_view text) {
    if (text == "unlimited") return unlimited;
    const auto number = take_number(text);
    if (!number || *number == 0) return std::nullopt;
    if (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
    const auto shift = shift_of_unit(text);
    if (!shift || *number > unlimited >> *shift) return std::nullopt;
    return *number << *shift;
}

std::optional<std::uint64_t> read_count(std::string_view text) {
    if (text == "unlimited") return unlimited;
    const auto number = take_number(text);
    return number && *number != 0 && text.empty() ? number : std::nullopt;
}

std::optional<std::chrono::milliseconds> read_seconds(std::string_view text) {
    const std::string_view before = text;
    const auto seconds = take_number(text);
    if (!seconds || before.size() - text.size() > 9) return std::nullopt;
    std::uint64_t thousandths = 0;
    if (!text.empty()) {
        if (text.size() < 2 || text.front() != '.') return std::nullopt;
        text.remove_prefix(1);
        std::uint64_t unit = 100;
        for (const char digit : text) {
            if (digit < '0' || digit > '9') return std::nullopt;
            thousandths += unit * static_cast<std::uint64_t>(digit - '0');
            unit /= 10;
        }
    }
    return std::chrono::milliseconds(*seconds * 1000 + thousandths);
}

}  // namespace kgen::cache
