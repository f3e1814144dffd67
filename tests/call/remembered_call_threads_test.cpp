// SPDX-License-Identifier: MIT
//
// One kernel object used by many threads. Each thread remembers its own calls, while variants
// appear and other threads, kernels and arrays come and go.
#include <cstdint>
#include <kgen/kgen.hpp>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "call/thread_number.hpp"
#include "call/thread_slots.hpp"
#include "support/at_once.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

bool is_line(const Array& array, std::int32_t slope, std::int32_t start) {
    const auto values = elements<std::int32_t>(array);
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (values[k] != slope * static_cast<std::int32_t>(k) + start) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("threads that alternate between layouts of one kernel get their own results") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel scale("T a, T x", "T z", "z = a * x + 1", "alternated");
        const Array shared = arange(24, int32, {device});
        synchronize(device);
        CHECK(failures([&](int number) {
                  const Array own = arange(24, int32, {device});
                  const Array z = empty({24}, int32, {device});
                  const Array turned = empty({4, 6}, int32, {device}).transpose();
                  for (int round = 0; round < 50; ++round) {
                      const int a = number + round;
                      if (!is_line(scale(a, own, out(z)), a, 1)) return false;
                      if (!is_line(scale(a, shared, out(z)), a, 1)) return false;
                      if (!is_line(scale(a, shared.reshape({6, 4}), out(turned)), a, 1))
                          return false;
                      if (!is_line(scale(a, shared.slice({{0, 12}})), a, 1)) return false;
                      if (!is_line(scale(a, shared.slice({{0, std::nullopt, 2}})), 2 * a, 1))
                          return false;
                  }
                  return true;
              }) == 0);
    }
}

TEST_CASE("new outputs that die on other threads do not mix") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel scale("T a, T x", "T z", "z = a * x", "passed_on");
        const Array x = arange(16, int32, {device});
        synchronize(device);
        std::vector<Array> left(threads_at_once);
        CHECK(failures([&](int number) {
                  for (int round = 0; round < 100; ++round) {
                      const Array z = scale(number, x);
                      const Array w = scale(number + 1, x);
                      if (!is_line(z, number, 0) || !is_line(w, number + 1, 0)) return false;
                      left[static_cast<std::size_t>(number)] = z;
                  }
                  return true;
              }) == 0);
        for (int number = 0; number < threads_at_once; ++number)
            CHECK(is_line(left[static_cast<std::size_t>(number)], number, 0));
    }
}

TEST_CASE("a kernel goes on one thread while others still call its copies") {
    for (const Device device : present_devices()) {
        std::optional<ElementwiseKernel> kernel;
        kernel.emplace("T a, T x", "T z", "z = a * x", "dropped");
        const Array x = arange(8, int32, {device});
        synchronize(device);
        std::vector<ElementwiseKernel> copies(threads_at_once, *kernel);
        kernel.reset();
        CHECK(failures([&](int number) {
                  const ElementwiseKernel own = std::move(copies[static_cast<std::size_t>(number)]);
                  for (int round = 0; round < 20; ++round) {
                      if (!is_line(own(number, x), number, 0)) return false;
                  }
                  return true;
              }) == 0);
    }
}

TEST_CASE("a thread's number goes to the next thread, with what is kept under it") {
    ThreadSlots<int> slots;
    const int own = this_thread_number();
    *slots.of_this_thread() = 5;
    int first = -1;
    int second = -1;
    int* kept = nullptr;
    std::thread([&] {
        first = this_thread_number();
        kept = slots.of_this_thread();
        *kept = 7;
    }).join();
    std::thread([&] {
        second = this_thread_number();
        CHECK(slots.of_this_thread() == kept);
        CHECK(*slots.of_this_thread() == 7);
    }).join();
    CHECK(first == second);
    CHECK(first != own);
    CHECK(*slots.of_this_thread() == 5);
}

TEST_CASE("every thread has a slot of its own, many of them too") {
    ThreadSlots<int> slots;
    constexpr int many = 40;
    std::latch all(many);
    std::vector<int*> places(many);
    std::vector<std::thread> threads;
    for (int number = 0; number < many; ++number) {
        threads.emplace_back([&, number] {
            places[static_cast<std::size_t>(number)] = slots.of_this_thread();
            *places[static_cast<std::size_t>(number)] = number;
            all.arrive_and_wait();  // all threads hold their numbers until here
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (int number = 0; number < many; ++number)
        CHECK(*places[static_cast<std::size_t>(number)] == number);
}
