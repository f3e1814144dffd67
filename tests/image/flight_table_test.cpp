// SPDX-License-Identifier: MIT
#include "image/flight_table.hpp"

#include <atomic>
#include <barrier>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace {

using kgen::FlightTable;
using Table = FlightTable<std::shared_ptr<const int>, int>;

void run_threads(int count, const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int k = 0; k < count; ++k) threads.emplace_back(work, k);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("many threads that ask for one key share one computation") {
    Table table;
    std::atomic<int> computed{0};
    std::vector<std::shared_ptr<const int>> values(16);
    std::barrier start(16);
    run_threads(16, [&](int k) {
        start.arrive_and_wait();
        values[static_cast<std::size_t>(k)] = table.get(7, [&] {
            ++computed;
            return std::make_shared<const int>(49);
        });
    });
    CHECK(computed == 1);
    for (const auto& value : values) CHECK(value == values[0]);
    REQUIRE(values[0] != nullptr);
    CHECK(*values[0] == 49);
    CHECK(table.size() == 1);
}

TEST_CASE("different keys are computed at the same time") {
    // Ends only if all 16 computations run at once, because each waits for the others.
    Table table;
    std::latch all(16);
    std::atomic<int> sum{0};
    run_threads(16, [&](int k) {
        sum += *table.get(k, [&] {
            all.arrive_and_wait();
            return std::make_shared<const int>(k);
        });
    });
    CHECK(sum == 120);
}

// In the next two tests, every thread stays in its catch block until all threads have read the shared
// exception, and releases it afterwards. ThreadSanitizer cannot see libstdc++'s reference counts and would
// report a race.

TEST_CASE("a failure reaches everyone who waited, and the next call tries again") {
    Table table;
    std::atomic<int> failed{0};
    std::latch computing(1);
    std::latch waiting(7);
    std::barrier all_read(8);
    const auto expect_failure = [&](const std::function<void()>& before_failure) {
        try {
            table.get(1, [&]() -> std::shared_ptr<const int> {
                before_failure();
                throw std::runtime_error("no");
            });
        } catch (const std::runtime_error& error) {
            if (std::string(error.what()) == "no") ++failed;
            all_read.arrive_and_wait();
        }
    };
    std::thread first([&] {
        expect_failure([&] {
            computing.count_down();
            waiting.wait();
        });
    });
    computing.wait();
    run_threads(7, [&](int) {
        waiting.count_down();
        expect_failure([] {});  // a call after the failure computes anew and also fails
    });
    first.join();
    CHECK(failed == 8);
    CHECK(table.size() == 0);
    CHECK(*table.get(1, [] { return std::make_shared<const int>(5); }) == 5);
    CHECK(table.size() == 1);
}

TEST_CASE("a thread that comes during a failing computation either fails with it or tries again") {
    Table table;
    std::latch computing(1);
    std::latch second_done(1);
    std::atomic<bool> release{false};
    int own_computations = 0;
    bool first_failed = false;
    std::string seen;
    std::thread first([&] {
        try {
            table.get(1, [&]() -> std::shared_ptr<const int> {
                computing.count_down();
                release.wait(false);
                throw std::out_of_range("first");
            });
        } catch (const std::out_of_range&) {
            first_failed = true;
            second_done.wait();
        }
    });
    computing.wait();
    std::thread second([&] {
        try {
            table.get(1, [&] {
                ++own_computations;
                return std::make_shared<const int>(0);
            });
            seen = "(a value)";
            second_done.count_down();
        } catch (const std::out_of_range& error) {
            seen = error.what();
            second_done.count_down();
        }
    });
    release = true;
    release.notify_all();
    first.join();
    second.join();
    CHECK(first_failed);
    CHECK(((own_computations == 0 && seen == "first") ||
           (own_computations == 1 && seen == "(a value)")));
}

TEST_CASE("a computation that asks for its own key fails instead of waiting for itself") {
    Table table;
    CHECK(KGEN_MESSAGE_OF(std::logic_error, table.get(3, [&] {
              return table.get(3, [] { return std::make_shared<const int>(1); });
          })) == "a computation asked for its own result");
    CHECK(table.size() == 0);
}

TEST_CASE("a computation may ask for another key") {
    Table table;
    const auto value = table.get(1, [&] {
        return std::make_shared<const int>(
            1 + *table.get(2, [] { return std::make_shared<const int>(41); }));
    });
    CHECK(*value == 42);
    CHECK(table.size() == 2);
}

TEST_CASE("a known value is not computed again until it is forgotten") {
    Table table;
    int computed = 0;
    const auto compute = [&] { return std::make_shared<const int>(++computed); };
    CHECK(*table.get(1, compute) == 1);
    CHECK(*table.get(1, compute) == 1);
    table.forget(2);
    CHECK(*table.get(1, compute) == 1);
    table.forget(1);
    CHECK(*table.get(1, compute) == 2);
}

TEST_CASE("forgetting a key that is being computed does not split the computation") {
    Table table;
    int computed = 0;
    const auto value = table.get(1, [&] {
        table.forget(1);
        return std::make_shared<const int>(++computed);
    });
    CHECK(table.get(1, [&] { return std::make_shared<const int>(++computed); }) == value);
    CHECK(computed == 1);
}

TEST_CASE("a flight table is keyed by a request digest unless told otherwise") {
    FlightTable<int> table;
    CHECK(table.get(kgen::cache::sha256("a"), [] { return 1; }) == 1);
    CHECK(table.get(kgen::cache::sha256("b"), [] { return 2; }) == 2);
    CHECK(table.get(kgen::cache::sha256("a"), [] { return 3; }) == 1);
}
