// SPDX-License-Identifier: MIT
#include "text/setting.hpp"

#include <fmt/format.h>

#include <optional>

#include "text/environment.hpp"
#include "text/log.hpp"

namespace kgen {

std::string wrong_setting(std::string_view name,
                          std::string_view value,
                          std::string_view expected,
                          std::string_view used) {
    return fmt::format(
        "{} is '{}'; expected {}; the default {} is used", name, value, expected, used);
}

void warn_once(std::atomic<bool>& is_told, const std::string& warning) {
    if (!is_told.exchange(true)) log().warn("{}", warning);
}

bool read_switch(const char* name, std::atomic<bool>& is_told) {
    const std::optional<std::string> text = environment(name);
    if (!text || *text == "0") return false;
    if (*text == "1") return true;
    warn_once(is_told, wrong_setting(name, *text, "0 or 1", "0"));
    return false;
}

}  // namespace kgen
