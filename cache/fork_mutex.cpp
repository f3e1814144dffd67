// SPDX-License-Identifier: MIT
#include "fork_mutex.hpp"

#include <pthread.h>

#include <shared_mutex>
#include <vector>

namespace kgen::cache {

namespace {

// A mutex that threads in critical sections hold shared and a forking thread holds exclusively. The child
// gets a new one, because it cannot unlock a mutex that a thread of its parent has locked.
struct Gate {
    std::shared_mutex* mutex = new std::shared_mutex;
    std::vector<std::shared_mutex*> of_parents;  // stay locked forever

    Gate() { ::pthread_atfork(before_fork, in_parent, in_child); }
    static Gate& get() {
        static auto* const gate = new Gate;  // never destroyed, because static destructors lock too
        return *gate;
    }

    static void before_fork();
    static void in_parent();
    static void in_child();
};

// Number of nested critical sections that this thread is in.
thread_local int depth = 0;

// A thread that is in a critical section already holds the mutex shared, so it must not lock it exclusively
// when it forks. Its child is in the critical section too. (ThreadSanitizer turns vfork into fork, so such
// forks occur.)
void Gate::before_fork() {
    if (depth == 0) get().mutex->lock();
}
void Gate::in_parent() {
    if (depth == 0) get().mutex->unlock();
}
void Gate::in_child() {
    get().of_parents.push_back(get().mutex);
    get().mutex = new std::shared_mutex;
    if (depth != 0) get().mutex->lock_shared();
}

}  // namespace

void ForkMutex::enter() {
    Gate& gate = Gate::get();
    if (depth == 0) gate.mutex->lock_shared();
    ++depth;
}

void ForkMutex::leave() noexcept {
    if (--depth == 0) Gate::get().mutex->unlock_shared();
}

}  // namespace kgen::cache
