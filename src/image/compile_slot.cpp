// SPDX-License-Identifier: MIT
#include "image/compile_slot.hpp"

#include <unistd.h>

#include <memory>

#include "image/compile_settings.hpp"

namespace kgen {

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
