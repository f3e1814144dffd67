// SPDX-License-Identifier: MIT
//
// run_in_parallel: independent work shared by threads.
#pragma once

#include <cstddef>
#include <functional>

namespace kgen {

// Calls work(0) to work(count - 1), each once, in any order, with `threads` threads. Throws what the first call that failed threw, once all that had begun have ended; the others are
// not begun.
void run_in_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace kgen
