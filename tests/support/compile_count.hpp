// SPDX-License-Identifier: MIT
//
// Counts compiles by the lines that the log writes about them.
#pragma once

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "text/log.hpp"

namespace kgen::test {

// A log sink that counts the lines about compiles of one kernel.
class CompileCounter : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit CompileCounter(std::string kernel)
        : text_("compile: kernel '" + std::move(kernel) + "'") {}
    int count() const { return count_; }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        if (std::string(message.payload.data(), message.payload.size()).find(text_) !=
            std::string::npos)
            ++count_;
    }
    void flush_() override {}

private:
    std::string text_;
    std::atomic<int> count_{0};
};

// Runs the work and returns how often the kernel was compiled. Debug lines go only to the counter.
template <typename Work>
int compiles_during(const std::string& kernel, Work work) {
    const auto counter = std::make_shared<CompileCounter>(kernel);
    spdlog::logger& logger = log();
    const auto level = logger.level();
    for (const auto& sink : logger.sinks()) sink->set_level(level);
    logger.sinks().push_back(counter);
    logger.set_level(spdlog::level::debug);
    work();
    logger.set_level(level);
    logger.sinks().pop_back();
    return counter->count();
}

}  // namespace kgen::test
