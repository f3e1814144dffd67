// SPDX-License-Identifier: MIT
//
// CompileSlot: held during a compile, so that at most KGEN_JOBS compiles run at once in a process. Each takes
// memory and a processor.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <semaphore>

namespace kgen {

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
