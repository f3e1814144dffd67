// SPDX-License-Identifier: MIT
#include "image/live_table.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

struct Counted {
    std::atomic<int>& alive;
    int key;
    Counted(std::atomic<int>& count, int number) : alive(count), key(number) { ++alive; }
    ~Counted() { --alive; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
};

using Table = LiveTable<Counted, int, std::hash<int>>;

struct Fixture {
    std::atomic<int> alive{0};
    std::atomic<int> made{0};
    std::shared_ptr<const Counted> get(Table& table, int key) {
        return table.get(key, [&] {
            ++made;
            return std::make_shared<const Counted>(alive, key);
        });
    }
};

}  // namespace

TEST_CASE("a value is shared while it is held and made anew after that", "[flight]") {
    Fixture f;
    Table table(0);
    auto held = f.get(table, 1);
    CHECK(f.get(table, 1) == held);
    CHECK(f.made == 1);
    CHECK(table.hits() == 1);
    held.reset();
    CHECK(f.alive == 0);
    CHECK(f.get(table, 1)->key == 1);
    CHECK(f.made == 2);
}

TEST_CASE("the values that were asked for last stay", "[flight]") {
    Fixture f;
    Table table(2);
    for (const int key : {1, 2, 1, 3}) f.get(table, key);  // 2 is evicted
    CHECK(f.alive == 2);
    CHECK(f.made == 3);
    f.get(table, 1);
    f.get(table, 3);
    CHECK(f.made == 3);
    f.get(table, 2);
    CHECK(f.made == 4);
    CHECK(f.alive == 2);
}

TEST_CASE("keys whose values have gone take no room", "[flight]") {
    Fixture f;
    Table table(8);
    for (int key = 0; key < 10000; ++key) f.get(table, key);
    CHECK(f.alive == 8);
    CHECK(table.size() < 200);
}

TEST_CASE("a value that cannot be made is tried again", "[flight]") {
    Fixture f;
    Table table(1);
    CHECK_THROWS_AS(table.get(1, []() -> Table::Value { throw std::runtime_error("no"); }),
                    std::runtime_error);
    CHECK(f.get(table, 1)->key == 1);
}

TEST_CASE("threads that ask for values that come and go get the right ones", "[flight]") {
    Fixture f;
    Table table(3);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
        threads.emplace_back([&, seed] {
            std::mt19937 random(seed);
            std::vector<std::shared_ptr<const Counted>> held(4);
            for (int round = 0; round < 2000; ++round) {
                const int key = static_cast<int>(random() % 12);
                auto value = f.get(table, key);
                if (value->key != key || f.get(table, key) != value) ++wrong;
                held[random() % held.size()] = std::move(value);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(f.alive == 3);
}
