// SPDX-License-Identifier: MIT
//
// run_in_parallel: distributes independent work over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace kgen {

// Calls work(0) to work(count - 1) once each, in any order, on `threads` threads. If a call throws, no
// further calls begin, and the first exception is rethrown after the running calls have ended.
void run_in_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace kgen
