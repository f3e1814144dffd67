// SPDX-License-Identifier: MIT
#include "image/compile_settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <kgen/error.hpp>
#include <memory>
#include <thread>

#include "store_settings.hpp"
#include "text/environment.hpp"
#include "text/log.hpp"
#include "text/setting.hpp"

namespace kgen {

namespace {

constexpr int most_jobs_by_default = 8;  // a compiler may take some hundred MB
constexpr std::uint64_t most_jobs = 4096;

}  // namespace

std::string_view to_text(CompileMode mode) noexcept {
    return mode == CompileMode::never ? "never" : "auto";
}

CompileSettings resolve_compile_settings(
    const std::function<std::optional<std::string>(const char* name)>& variable, int processors) {
    CompileSettings settings;
    settings.jobs = std::clamp(processors, 1, most_jobs_by_default);
    if (const auto mode = variable("KGEN_COMPILE")) {
        if (*mode == "never") {
            settings.mode = CompileMode::never;
            settings.sources["KGEN_COMPILE"] = "KGEN_COMPILE";
        } else if (*mode != "auto") {
            settings.warnings.push_back(
                wrong_setting("KGEN_COMPILE", *mode, "auto or never", "auto"));
        }
    }
    if (const auto jobs = variable("KGEN_JOBS")) {
        const std::optional<std::uint64_t> count = cache::read_count(*jobs);
        if (count && *count <= most_jobs) {
            settings.jobs = static_cast<int>(*count);
            settings.sources["KGEN_JOBS"] = "KGEN_JOBS";
        } else {
            settings.warnings.push_back(
                wrong_setting("KGEN_JOBS",
                              *jobs,
                              fmt::format("a number from 1 to {}", most_jobs),
                              std::to_string(settings.jobs)));
        }
    }
    return settings;
}

const CompileSettings& compile_settings() {
    // Outlives every static destructor.
    static const auto* const settings = new CompileSettings([] {
        CompileSettings read = resolve_compile_settings(
            environment, static_cast<int>(std::thread::hardware_concurrency()));
        for (const std::string& warning : read.warnings) log().warn("{}", warning);
        return read;
    }());
    return *settings;
}

namespace {

constexpr int by_settings = -1;
std::atomic<int> mode_of_scope = by_settings;

}  // namespace

CompileMode compile_mode() {
    const int mode = mode_of_scope.load(std::memory_order_relaxed);
    return mode == by_settings ? compile_settings().mode : static_cast<CompileMode>(mode);
}

CompileModeScope::CompileModeScope(CompileMode mode) {
    mode_of_scope = static_cast<int>(mode);
}

CompileModeScope::~CompileModeScope() {
    mode_of_scope = by_settings;
}

bool can_compile(const Compiler& compiler) {
    if (compile_mode() == CompileMode::never) return false;
    try {
        static_cast<void>(compiler.producer());
        return true;
    } catch (const DeviceError&) {
        return false;
    }
}

CompileSlots::CompileSlots(int count) : count_(count), slots_(new OfProcess(::getpid(), count)) {}

CompileSlots::~CompileSlots() {
    delete slots_.load();
}

std::counting_semaphore<>& CompileSlots::take() {
    OfProcess* slots = slots_.load();
    while (slots->process != ::getpid()) {
        // The parent's slots are left alone, because one of its threads may have been using them at the fork.
        auto own = std::make_unique<OfProcess>(::getpid(), count_);
        if (slots_.compare_exchange_strong(slots, own.get())) slots = own.release();
    }
    slots->free.acquire();
    return slots->free;
}

CompileSlots& process_slots() {
    // Never destroyed, because threads that outlive main may still compile.
    static auto* slots = new CompileSlots(compile_settings().jobs);
    return *slots;
}

}  // namespace kgen
