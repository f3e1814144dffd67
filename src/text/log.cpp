// SPDX-License-Identifier: MIT
#include "text/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>

#include "text/environment.hpp"

namespace kgen {

namespace {

std::shared_ptr<spdlog::logger> make_logger() {
    if (auto registered = spdlog::get("kgen")) return registered;
    auto logger = spdlog::stderr_logger_mt("kgen");
    logger->set_pattern("%n: %l: %v");
    logger->set_level(spdlog::level::warn);
    if (const auto level = environment("KGEN_LOG")) {
        constexpr std::array names = {"trace", "debug", "info", "warn", "error", "critical", "off"};
        for (std::size_t k = 0; k < names.size(); ++k) {
            if (*level == names[k]) {
                logger->set_level(static_cast<spdlog::level::level_enum>(k));
                return logger;
            }
        }
        logger->warn("KGEN_LOG='{}' is not a level; use trace, debug, info, warn, error or off",
                     *level);
    }
    return logger;
}

}  // namespace

spdlog::logger& log() {
    // Never destroyed: worker threads and static destructors of the program may still log.
    static const auto* logger = new std::shared_ptr<spdlog::logger>(make_logger());
    return **logger;
}

}  // namespace kgen
