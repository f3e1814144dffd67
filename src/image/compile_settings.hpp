// SPDX-License-Identifier: MIT
//
// Whether and how much this process compiles, read from the environment:
//
//     KGEN_COMPILE  auto (default), or never: a cache miss is an error at once
//     KGEN_JOBS     how many compiles run at once (default: the number of processors, at most 8)
//
// A value that is not valid leaves the default and adds a warning.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

enum class CompileMode : std::uint8_t { automatic, never };

std::string_view to_text(CompileMode mode) noexcept;  // "auto" or "never"

struct CompileSettings {
    CompileMode mode = CompileMode::automatic;
    int jobs = 1;
    // For each setting that is not at its default, the variable that set it.
    std::map<std::string, std::string> sources;
    // A sentence for each value that is not valid.
    std::vector<std::string> warnings;
};

// `variable` returns the value of an environment variable.
CompileSettings resolve_compile_settings(
    const std::function<std::optional<std::string>(const char* name)>& variable, int processors);

// The settings of this process, read once. The first call logs the warnings.
const CompileSettings& compile_settings();

CompileMode compile_mode();

// Sets another mode for all threads while it exists. For tests.
class CompileModeScope {
public:
    explicit CompileModeScope(CompileMode mode);
    ~CompileModeScope();
    CompileModeScope(const CompileModeScope&) = delete;
    CompileModeScope& operator=(const CompileModeScope&) = delete;
};

// Returns whether a kernel that is not in the cache can be compiled: true if compiling is not forbidden
// (KGEN_COMPILE=never) and the compiler is available.
bool can_compile(const Compiler& compiler);

// CompileSlot: held during a compile, so that at most KGEN_JOBS compiles run at once in a process. Each takes
// memory and a processor.

// The compile slots of a process. In the child of a fork all are free, because the threads that held slots
// exist only in the parent.
class CompileSlots {
public:
    explicit CompileSlots(int count);
    // No slot may be held.
    ~CompileSlots();
    CompileSlots(const CompileSlots&) = delete;
    CompileSlots& operator=(const CompileSlots&) = delete;

    // Waits for a free slot and takes it. The caller releases it.
    std::counting_semaphore<>& take();

private:
    struct OfProcess {
        OfProcess(::pid_t number, int count) : process(number), free(count) {}
        const ::pid_t process;
        std::counting_semaphore<> free;
    };
    const int count_;
    std::atomic<OfProcess*> slots_;
};

class CompileSlot {
public:
    explicit CompileSlot(CompileSlots& slots) : taken_from_(slots.take()) {}
    ~CompileSlot() { taken_from_.release(); }
    CompileSlot(const CompileSlot&) = delete;
    CompileSlot& operator=(const CompileSlot&) = delete;

private:
    std::counting_semaphore<>& taken_from_;
};

// The slots of this process, KGEN_JOBS in number.
CompileSlots& process_slots();

}  // namespace kgen
