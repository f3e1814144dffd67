// SPDX-License-Identifier: MIT
#include "host/run/fiber_context.hpp"

#include <new>

namespace kgen {

void start_context(void* context, std::byte* stack, std::size_t bytes, void (*function)()) {
    auto* made = new (context) ucontext_t{};
    ::getcontext(made);
    made->uc_stack.ss_sp = stack;
    made->uc_stack.ss_size = bytes;
    made->uc_link = nullptr;
    ::makecontext(made, function, 0);
}

void swap_contexts(void* from, void* to) {
    ::swapcontext(static_cast<ucontext_t*>(from), static_cast<ucontext_t*>(to));
}

}  // namespace kgen
