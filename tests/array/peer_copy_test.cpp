// SPDX-License-Identifier: MIT
//
// Arrays on two GPUs: copies between them, and combinations that are rejected.
#include <kgen/kgen.hpp>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;

namespace {

bool has_two_gpus() {
    if (device_count(DeviceKind::cuda) >= 2) return true;
    WARN("skipped: this test needs two GPUs");
    return false;
}

const Device first_gpu = Device::cuda(0);
const Device second_gpu = Device::cuda(1);

Array counted(std::int64_t count, Device device) {
    return arange(count, float32, {.device = device});
}

std::vector<float> counted_twice(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t k = 0; k < count; ++k) values[k] = 2 * static_cast<float>(k);
    return values;
}

}  // namespace

TEST_CASE("gpu: an array goes to another GPU and back, behind the work that made it",
          "[cuda][gpu]") {
    if (!has_two_gpus()) return;
    const ElementwiseKernel twice("T x", "T y", "y = x + x", "twice_before_peer");
    for (int round = 0; round < 20; ++round) {
        const Array there = twice(counted(1 << 20, first_gpu)).to(second_gpu);
        REQUIRE(there.device() == second_gpu);
        const Array back = there.to(first_gpu);
        REQUIRE(back.to_vector<float>() == counted_twice(1 << 20));
    }
}

TEST_CASE("gpu: copies between GPUs take any layout, and convert", "[cuda][gpu]") {
    if (!has_two_gpus()) return;
    const Array x = counted(12, first_gpu).reshape({3, 4});
    CHECK(x.transpose().to(second_gpu).to_vector<float>() ==
          std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    const Array y = zeros({4, 3, 2}, int16, {.device = second_gpu});
    y[{indexing::all, indexing::all, 1}].assign(x.transpose());
    CHECK(y.to_vector<std::int16_t>() == std::vector<std::int16_t>{0, 0,  0, 4, 0, 8, 0, 1,
                                                                   0, 5,  0, 9, 0, 2, 0, 6,
                                                                   0, 10, 0, 3, 0, 7, 0, 11});
    CHECK(array_equal(x, x.to(second_gpu).to(first_gpu)));
}

TEST_CASE("gpu: a kernel runs on the GPU of its arrays, and not on those of two", "[cuda][gpu]") {
    if (!has_two_gpus()) return;
    const ElementwiseKernel sum("T x, T y", "T z", "z = x + y", "sum_on_two_gpus");
    const Array here = counted(1000, first_gpu);
    const Array there = counted(1000, second_gpu);
    CHECK(sum(here, here).device() == first_gpu);
    const Array result = sum(there, there);
    CHECK(result.device() == second_gpu);
    CHECK(result.to_vector<float>() == counted_twice(1000));
    CHECK_THROWS_AS(sum(here, there), ShapeError);
    CHECK_THROWS_AS(concatenate({here, there}), DeviceError);
    CHECK(sum(here, there.to(first_gpu)).to_vector<float>() == counted_twice(1000));
    CHECK(KGEN_MESSAGE_OF(DeviceError, copy_async(here, there)) ==
          "copy_async: the source is on cuda:1, but the copy runs on cuda:0");
}

TEST_CASE("gpu: a tensor names the GPU that its memory is on", "[cuda][gpu]") {
    if (!has_two_gpus()) return;
    const Array there = counted(100, second_gpu);
    const Array same = from_dlpack(to_dlpack(there));
    CHECK(same.device() == second_gpu);
    CHECK(same.data() == there.data());
}

TEST_CASE("gpu: threads copy between GPUs both ways at once", "[cuda][gpu]") {
    if (!has_two_gpus()) return;
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < wrong.size(); ++number) {
        threads.emplace_back([&wrong, number] {
            const Device from = number % 2 == 0 ? first_gpu : second_gpu;
            const Device to = number % 2 == 0 ? second_gpu : first_gpu;
            for (int round = 0; round < 50; ++round) {
                const Array sent = full({5000 + round},
                                        static_cast<std::int64_t>(number * 100) + round,
                                        int64,
                                        {.device = from});
                const std::vector<std::int64_t> seen = sent.to(to).to_vector<std::int64_t>();
                for (const std::int64_t value : seen) {
                    wrong[number] += value != static_cast<std::int64_t>(number * 100) + round;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}
