// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdint>
#include <kgen/error.hpp>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/run/float_environment.hpp"
#include "host/run/thread_pool.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/sanitizers.hpp"

using namespace kgen;

namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

Ranges ranges_of(std::int64_t count, std::int64_t grain) {
    Ranges ranges;
    std::mutex mutex;
    parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
        const std::lock_guard lock(mutex);
        ranges.emplace_back(begin, end);
    });
    std::sort(ranges.begin(), ranges.end());
    return ranges;
}

std::int64_t sum_by_pool(std::int64_t count) {
    std::atomic<std::int64_t> sum{0};
    parallel_for(count, 64, [&](std::int64_t begin, std::int64_t end) {
        std::int64_t part = 0;
        for (std::int64_t k = begin; k < end; ++k) part += k;
        sum += part;
    });
    return sum;
}

}  // namespace

TEST_CASE("a loop is cut into ranges that cover it once, aligned and no smaller than the grain") {
    for (const std::int64_t count : {1, 63, 64, 65, 127, 128, 1000, 4096, 100000, 1234567}) {
        for (const std::int64_t grain : {1, 64, 100, 1000, 65536}) {
            const Ranges ranges = ranges_of(count, grain);
            std::int64_t reached = 0;
            for (const auto& [begin, end] : ranges) {
                CHECK(begin == reached);
                CHECK(begin % 64 == 0);
                const bool is_last = end == count;
                CHECK((is_last || end - begin >= grain));
                reached = end;
            }
            CHECK(reached == count);
            CHECK((count >= 2 * grain || ranges.size() == 1));
        }
    }
}

TEST_CASE("a loop of no iterations calls nothing") {
    CHECK(ranges_of(0, 1).empty());
    CHECK(ranges_of(-5, 1).empty());
}

TEST_CASE("a short loop stays on the caller's thread") {
    std::thread::id id;
    parallel_for(1000, 65536, [&](std::int64_t, std::int64_t) { id = std::this_thread::get_id(); });
    CHECK(id == std::this_thread::get_id());
}

TEST_CASE("loops of several threads at once all come out right") {
    constexpr std::int64_t count = 20000;
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int k = 0; k < 8; ++k) {
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                if (sum_by_pool(count) != count * (count - 1) / 2) ++wrong;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(wrong == 0);
}

TEST_CASE("a loop inside a loop runs where it is") {
    std::atomic<int> elsewhere{0};
    std::atomic<std::int64_t> iterations{0};
    parallel_for(1024, 64, [&](std::int64_t, std::int64_t) {
        const std::thread::id outer = std::this_thread::get_id();
        parallel_for(1024, 64, [&](std::int64_t begin, std::int64_t end) {
            if (std::this_thread::get_id() != outer && host_thread_count() > 1) ++elsewhere;
            iterations += end - begin;
        });
    });
    CHECK(elsewhere == 0);
    CHECK(iterations % 1024 == 0);
    CHECK(iterations > 0);
}

TEST_CASE("the exception of the first range that fails reaches the caller, each time") {
    for (int round = 0; round < 100; ++round) {
        CHECK(KGEN_MESSAGE_OF(std::runtime_error,
                              parallel_for(64 * 64, 64, [](std::int64_t begin, std::int64_t end) {
                                  if (end > 640)
                                      throw std::runtime_error(
                                          "at " +
                                          std::to_string(std::max<std::int64_t>(begin, 640)));
                              })) != "(nothing of type std::runtime_error thrown)");
    }
    CHECK(sum_by_pool(10000) == 49995000);  // the pool still works
}

TEST_CASE("ranges run under the default floating-point environment, and the caller's comes back") {
    std::fenv_t before;
    REQUIRE(std::fegetenv(&before) == 0);
    REQUIRE(std::fesetround(FE_UPWARD) == 0);
    std::atomic<int> other{0};
    for (const std::int64_t count : {10, 100000}) {
        parallel_for(count, 64, [&](std::int64_t, std::int64_t) {
            volatile double third = 1.0;
            third = third / 3.0;
            if (third > 0.33333333333333331483) ++other;  // the result of rounding to nearest
        });
    }
    CHECK(std::fegetround() == FE_UPWARD);
    REQUIRE(std::fesetenv(&before) == 0);
    CHECK(other == 0);
}

TEST_CASE("the child of a fork runs loops on threads of its own") {
    if (cannot_thread_after_fork) {
        WARN("skipped: ThreadSanitizer starts no threads in the child of a fork");
        return;
    }
    REQUIRE(sum_by_pool(10000) == 49995000);
    CHECK(said_by_child([] { return std::to_string(sum_by_pool(10000)); }) == "49995000");
    CHECK(sum_by_pool(10000) == 49995000);
}

TEST_CASE("where no thread can be started loops run on the caller's thread") {
    if (cannot_thread_after_fork) {
        WARN("skipped: ThreadSanitizer starts no threads in the child of a fork");
        return;
    }
    const std::string said = said_by_child([]() -> std::string {
        if (!forbid_processes()) return "no limit";
        std::set<std::thread::id> threads;
        std::mutex mutex;
        parallel_for(10000, 64, [&](std::int64_t, std::int64_t) {
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
        });
        return std::to_string(threads.size()) + " " + std::to_string(sum_by_pool(10000));
    });
    if (said == "no limit") {
        WARN("skipped: this system does not limit processes");
        return;
    }
    CHECK(said == "1 49995000");
}

TEST_CASE("a process whose pool sleeps ends at once and well") {
    if (cannot_thread_after_fork) {
        WARN("skipped: ThreadSanitizer starts no threads in the child of a fork");
        return;
    }
    const ::pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        sum_by_pool(10000);
        std::quick_exit(0);
    }
    CHECK(ended_well(wait_for(pid)));
}

TEST_CASE("KGEN_HOST_THREADS is a whole number from 1 to 1024") {
    CHECK(read_thread_count("1") == 1);
    CHECK(read_thread_count("1024") == 1024);
    CHECK(read_thread_count(std::nullopt) >= 1);
    for (const char* value :
         {"0", "-1", "1025", "+2", " 2", "2 ", "0x4", "1e3", "99999999999999999999", "two"}) {
        INFO(value);
        CHECK(read_thread_count(std::string(value)) == read_thread_count(std::nullopt));
    }
}
