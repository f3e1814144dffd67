// SPDX-License-Identifier: MIT
//
// Fibers by ucontext: slow, but available everywhere. For CPUs for which the skeleton has no switch of its
// own.
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace kgen {

inline constexpr std::size_t context_bytes = (sizeof(ucontext_t) + 63) / 64 * 64;

// Makes a context that begins with `function`, in memory of context_bytes.
void start_context(void* context, std::byte* stack, std::size_t bytes, void (*function)());
// Saves the current place in `from` and continues in `to`.
void swap_contexts(void* from, void* to);

}  // namespace kgen
