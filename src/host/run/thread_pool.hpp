// SPDX-License-Identifier: MIT
//
// Runs a loop on the CPU's threads. The threads start with the first loop that is long enough, are
// shared by all callers, sleep in between and never keep the process from ending.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace kgen {

// A loop's body over [begin, end), borrowed for the time of a call.
class RangeBody {
public:
    template <class Body, class = std::enable_if_t<!std::is_same_v<Body, RangeBody>>>
    RangeBody(const Body& body)  // NOLINT: a view, made where it is used
        : body_(&body), call_([](const void* self, std::int64_t begin, std::int64_t end) {
              (*static_cast<const Body*>(self))(begin, end);
          }) {}
    void operator()(std::int64_t begin, std::int64_t end) const { call_(body_, begin, end); }

private:
    const void* body_;
    void (*call_)(const void*, std::int64_t, std::int64_t);
};

// How many threads a loop may use: KGEN_HOST_THREADS, else the CPUs that this process may run on.
// Throws DeviceError if KGEN_HOST_THREADS is not a whole number from 1 to 1024.
int host_thread_count();

// The same for a value of KGEN_HOST_THREADS, nothing where it is not set.
int read_thread_count(const std::optional<std::string>& setting);

// Calls `body` for disjoint ranges that cover [0, count), each of at least `grain` iterations and
// beginning at a multiple of 64, on this thread and on others; returns when all are done. Every
// range runs under the default floating-point environment. If ranges throw, the exception of the
// first of them is rethrown here, after all have stopped; ranges not yet begun are dropped.
// Runs on this thread alone if there is not enough for two, or from within a body.
// Thread safe; works in the child of a fork.
void parallel_for(std::int64_t count, std::int64_t grain, RangeBody body);

}  // namespace kgen
