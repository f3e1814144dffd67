// SPDX-License-Identifier: MIT
//
// Runs a loop on the CPU's threads. The threads start with the first loop that is long enough, are shared by
// all callers, sleep between loops and never keep the process from ending.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace kgen {

// The body of a loop over [begin, end). Refers to the caller's function for the time of a call.
class RangeBody {
public:
    template <class Body, class = std::enable_if_t<!std::is_same_v<Body, RangeBody>>>
    RangeBody(const Body& body)  // NOLINT: implicit, because it is a view
        : body_(&body), call_([](const void* self, std::int64_t begin, std::int64_t end) {
              (*static_cast<const Body*>(self))(begin, end);
          }) {}
    void operator()(std::int64_t begin, std::int64_t end) const { call_(body_, begin, end); }

private:
    const void* body_;
    void (*call_)(const void*, std::int64_t, std::int64_t);
};

// Returns how many threads a loop may use: KGEN_HOST_THREADS, or if it is not set the number of CPUs that
// this process may run on, also if KGEN_HOST_THREADS is not a whole number from 1 to 1024 (see setting.hpp).
int host_thread_count();

// The same for a given value of KGEN_HOST_THREADS; nothing if it is not set.
int read_thread_count(const std::optional<std::string>& setting);

// Calls `body` for disjoint ranges that cover [0, count), on this thread and on others, and returns when all
// are done. Each range begins at a multiple of 64, and each but the last has at least `grain` iterations.
// Every range runs under the default floating-point environment. If a range throws, ranges not yet begun are
// dropped, the others run to their end, and the exception of the first range that failed is rethrown.
// Runs on this thread alone if there is not enough work for two threads, or if it is called from within a
// body. Thread-safe; works in the child of a fork.
void parallel_for(std::int64_t count, std::int64_t grain, RangeBody body);

}  // namespace kgen
