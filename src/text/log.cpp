// SPDX-License-Identifier: MIT
#include "text/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <ctime>
#include <kgen/terminal_text.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "text/environment.hpp"
#include "text/setting.hpp"

namespace kgen {

namespace {

// Formats the message with terminal_text(), because it may quote text from files.
class ShownMessage final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message,
                const std::tm&,
                spdlog::memory_buf_t& line) override {
        const std::string_view text(message.payload.data(), message.payload.size());
        const std::string shown = terminal_text(text, LineBreaks::kept);
        line.append(shown.data(), shown.data() + shown.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<ShownMessage>();
    }
};

std::shared_ptr<spdlog::logger> make_logger() {
    if (auto registered = spdlog::get("kgen")) return registered;
    auto logger = spdlog::stderr_logger_mt("kgen");
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<ShownMessage>('*').set_pattern("%n: %l: %*");
    logger->set_formatter(std::move(formatter));
    logger->set_level(spdlog::level::warn);
    if (const auto level = environment("KGEN_LOG")) {
        const spdlog::level::level_enum known = spdlog::level::from_str(*level);  // off: unknown
        if (known != spdlog::level::off || *level == "off") {
            logger->set_level(known);
        } else {
            logger->warn("{}",
                         wrong_setting("KGEN_LOG",
                                       *level,
                                       "trace, debug, info, warn, error, critical or off",
                                       "warn"));
        }
    }
    return logger;
}

}  // namespace

spdlog::logger& log() {
    // The logger is never destroyed, because worker threads and static destructors may still log.
    static const auto* logger = new std::shared_ptr<spdlog::logger>(make_logger());
    return **logger;
}

}  // namespace kgen
