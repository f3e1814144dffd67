// SPDX-License-Identifier: MIT
//
// CompileSlot: held during a compile, so that no more than KGEN_JOBS of them run at once in a
// process: each takes memory and a processor.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <semaphore>

namespace kgen {

// Some slots of one process. A child of a fork has them all: threads that held one are not there.
class CompileSlots {
public:
    explicit CompileSlots(int count);
    // Not while a slot is held.
    ~CompileSlots();
    CompileSlots(const CompileSlots&) = delete;
    CompileSlots& operator=(const CompileSlots&) = delete;

    // Waits for a slot.
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

// Those of this process, KGEN_JOBS in number.
CompileSlots& process_slots();

}  // namespace kgen
