// SPDX-License-Identifier: MIT
//
// Features of CUDA C++ that concern the threads of a kernel. Every device present runs the kernels. Their
// results are compared with those of sequential code on the CPU.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/raw_launcher.hpp"
#include "support/raw_sources.hpp"

using namespace kgen;
using test::RawLauncher;

namespace {

template <typename T>
std::vector<T> random_numbers(std::size_t count, int from, int to) {
    std::mt19937 generator(7);
    std::uniform_int_distribution<int> distribution(from, to);
    std::vector<T> numbers(count);
    for (T& number : numbers) number = static_cast<T>(distribution(generator));
    return numbers;
}

}  // namespace

TEST_CASE("a thread finds its place in a grid and a block of three axes", "[raw_features]") {
    struct Place {
        unsigned thread[3], block[3], block_extents[3], grid_extents[3];
    };
    for (const Device device : test::present_devices()) {
        INFO(to_text(device));
        std::vector<unsigned> out(std::size_t{2} * 3 * 4 * 5 * 6 * 7 * 12, 77);
        RawLauncher places(device, test::places_source, "places");
        places.launch({.grid = {2, 3, 4}, .block = {5, 6, 7}}, test::inout(out));
        std::size_t at = 0;
        for (unsigned block = 0; block < 24; ++block) {
            for (unsigned thread = 0; thread < 210; ++thread) {
                const std::array<unsigned, 12> expected = {thread % 5,
                                                           thread / 5 % 6,
                                                           thread / 30,
                                                           block % 2,
                                                           block / 2 % 3,
                                                           block / 6,
                                                           5,
                                                           6,
                                                           7,
                                                           2,
                                                           3,
                                                           4};
                const bool same = std::equal(expected.begin(),
                                             expected.end(),
                                             out.begin() + static_cast<std::ptrdiff_t>(at));
                if (!same) FAIL("thread " << thread << " of block " << block);
                at += 12;
            }
        }
    }
}

TEST_CASE("a tiled matrix product by shared memory is the product", "[raw_features]") {
    constexpr int n = 96;
    const auto a = random_numbers<float>(n * n, -4, 4);
    const auto b = random_numbers<float>(n * n, -4, 4);
    std::vector<float> expected(n * n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k)
                expected[static_cast<std::size_t>(i * n + j)] +=
                    a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
        }
    }
    for (const Device device : test::present_devices()) {
        INFO(to_text(device));
        std::vector<float> c(n * n, -1);
        RawLauncher matmul(device, test::matmul_source, "matmul");
        matmul.launch({.grid = {n / 16, n / 16}, .block = {16, 16}},
                      test::in(a),
                      test::in(b),
                      test::inout(c),
                      n);
        CHECK(c == expected);
    }
}

TEST_CASE("a block adds up by shuffles and shared memory", "[raw_features]") {
    constexpr int n = 100000;
    const auto x = random_numbers<float>(n, -9, 9);
    for (const Device device : test::present_devices()) {
        RawLauncher block_sum(device, test::block_sum_source, "block_sum");
        for (const int block : {32, 64, 256, 1024}) {
            INFO(to_text(device) << ", blocks of " << block);
            const int blocks = (n + block - 1) / block;
            std::vector<float> out(static_cast<std::size_t>(blocks), -1);
            block_sum.launch(
                {.grid = {blocks}, .block = {block}}, test::in(x), test::inout(out), n);
            std::vector<float> expected;
            for (int k = 0; k < n; k += block) {
                const auto begin = x.begin() + k;
                expected.push_back(std::accumulate(begin, begin + std::min(block, n - k), 0.0F));
            }
            CHECK(out == expected);
        }
    }
}

TEST_CASE("dynamic shared memory has the bytes that the launch asks for", "[raw_features]") {
    const auto x = random_numbers<int>(8 * 1024, -1000, 1000);
    for (const Device device : test::present_devices()) {
        RawLauncher reverse(device, test::reverse_source, "reverse");
        for (const int block : {1, 31, 33, 128, 1024}) {
            INFO(to_text(device) << ", blocks of " << block);
            std::vector<int> out(static_cast<std::size_t>(8 * block), -1);
            reverse.launch({.grid = {8}, .block = {block}, .shared_bytes = 4 * block},
                           test::in(x),
                           test::inout(out));
            std::vector<int> expected(x.begin(), x.begin() + 8 * block);
            for (int k = 0; k < 8; ++k)
                std::reverse(expected.begin() + k * block, expected.begin() + (k + 1) * block);
            CHECK(out == expected);
        }
    }
}

namespace {

// Returns the lane from which each shuffle reads. A lane reads itself if the source is outside its segment.
std::array<int, 4> sources_of(int lane, int width) {
    const int first = lane / width * width;
    const int last = first + width - 1;
    const int flipped = lane ^ 5;
    return {first + (lane + 3) % width,
            lane - 3 >= first ? lane - 3 : lane,
            lane + 3 <= last ? lane + 3 : lane,
            flipped <= last ? flipped : lane};
}

template <typename T>
void check_shuffles(Device device, const std::string& type, int width) {
    const std::string name = "shuffles<" + type + ", " + std::to_string(width) + ">";
    INFO(to_text(device) << ", " << name);
    std::vector<T> x = random_numbers<T>(96, -100000, 100000);
    if (sizeof(T) == 8) {
        for (T& value : x) value *= static_cast<T>(100003);  // so that both halves matter
    }
    std::vector<T> out(4 * x.size());
    RawLauncher shuffles(device, test::shuffles_source, name);
    shuffles.launch({.block = {96}}, test::in(x), test::inout(out));
    std::vector<T> expected;
    for (int i = 0; i < 96; ++i) {
        for (const int source : sources_of(i % 32, width))
            expected.push_back(x[static_cast<std::size_t>(i / 32 * 32 + source)]);
    }
    CHECK(out == expected);
}

}  // namespace

TEST_CASE("shuffles of 4 and 8 bytes read within their segments", "[raw_features]") {
    for (const Device device : test::present_devices()) {
        for (const int width : {8, 16, 32}) {
            check_shuffles<int>(device, "int", width);
            check_shuffles<float>(device, "float", width);
            check_shuffles<long long>(device, "long long", width);
            check_shuffles<double>(device, "double", width);
        }
    }
}

TEST_CASE("lanes with different masks do different things at the same time", "[raw_features]") {
    std::vector<int> x(64);
    for (int i = 0; i < 64; ++i) x[static_cast<std::size_t>(i)] = i * 5 % 13;
    std::vector<int> expected;
    for (int i = 0; i < 64; ++i) {
        const int* warp = x.data() + i / 32 * 32;
        int result = 0;
        if (i % 2 == 0) {
            for (int lane = 0; lane < 32; lane += 2) result += warp[lane];
        } else {
            unsigned votes = 0;
            bool any = false;
            bool every = true;
            for (int lane = 1; lane < 32; lane += 2) {
                if (warp[lane] > 3) votes |= 1U << lane;
                any |= warp[lane] == 7;
                every &= warp[lane] < 100;
            }
            result = static_cast<int>(votes >> 1) ^ (any ? 1 << 30 : 0) ^ (every ? 1 << 29 : 0);
        }
        expected.push_back(result + warp[0]);
    }
    for (const Device device : test::present_devices()) {
        INFO(to_text(device));
        std::vector<int> out(64);
        RawLauncher groups(device, test::groups_source, "groups");
        groups.launch({.block = {64}}, test::in(x), test::inout(out));
        CHECK(out == expected);
    }
}

TEST_CASE("a barrier waits for no thread that has returned", "[raw_features]") {
    for (const Device device : test::present_devices()) {
        RawLauncher early_exit(device, test::early_exit_source, "early_exit");
        for (const int n : {1, 5, 32, 40, 100}) {
            INFO(to_text(device) << ", n " << n);
            std::vector<int> out(300, -1);
            early_exit.launch({.grid = {3}, .block = {100}}, test::inout(out), n);
            std::vector<int> expected(300, -1);
            for (int i = 0; i < 300; ++i) {
                if (i % 100 < n) expected[static_cast<std::size_t>(i)] = n;
            }
            CHECK(out == expected);
        }
    }
}

TEST_CASE("atomics of many blocks lose nothing", "[raw_features]") {
    constexpr int n = 100000;
    const auto x = random_numbers<int>(n, 0, 15);
    std::vector<int> expected(16);
    for (const int value : x) ++expected[static_cast<std::size_t>(value)];
    for (const Device device : test::present_devices()) {
        INFO(to_text(device));
        std::vector<int> bins(16);
        std::vector<float> sum(1);
        std::vector<int> most(1, -5);
        RawLauncher histogram(device, test::atomics_source, "histogram");
        histogram.launch({.grid = {40}, .block = {128}},
                         test::in(x),
                         test::inout(bins),
                         test::inout(sum),
                         test::inout(most),
                         n);
        CHECK(bins == expected);
        CHECK(sum[0] == static_cast<float>(n));
        CHECK(most[0] == *std::max_element(x.begin(), x.end()));
    }
}

TEST_CASE("barriers count, warps match and reduce", "[raw_features]") {
    const auto x = random_numbers<int>(64, 0, 6);
    std::vector<int> expected;
    const auto count =
        static_cast<int>(std::count_if(x.begin(), x.end(), [](int v) { return v > 3; }));
    const bool has_five = std::find(x.begin(), x.end(), 5) != x.end();
    for (std::size_t i = 0; i < 64; ++i) {
        const std::vector<int> warp(x.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32),
                                    x.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32 + 32));
        unsigned same = 0;
        unsigned flipped = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (warp[lane] == x[i]) same |= 1U << lane;
            flipped ^= static_cast<unsigned>(warp[lane]);
        }
        const int least = *std::min_element(warp.begin(), warp.end());
        unsigned most = 0;
        for (const int value : warp) most = std::max(most, static_cast<unsigned>(value - 4));
        for (const int value : {count,
                                1,
                                has_five ? 1 : 0,
                                static_cast<int>(same),
                                0,
                                0,
                                std::accumulate(warp.begin(), warp.end(), 0),
                                least - 4,
                                static_cast<int>(most),
                                static_cast<int>(flipped)}) {
            expected.push_back(value);
        }
    }
    for (const Device device : test::present_devices()) {
        INFO(to_text(device));
        std::vector<int> out(640, -1);
        // Also checks __reduce_*_sync, which needs sm_80.
        RawLauncher votes(device, test::votes_source, "votes");
        votes.launch({.block = {64}}, test::in(x), test::inout(out));
        CHECK(out == expected);

        const std::vector<int> equal(64, 3);
        votes.launch({.block = {64}}, test::in(equal), test::inout(out));
        CHECK(out[4] == -1);  // all 32 lanes
        CHECK(out[5] == 1);
    }
}

TEST_CASE("raw kernels use narrow floats beside barriers and warps", "[raw_features]") {
    const std::string source =
        "extern \"C\" __global__ void f(int* y) {\n"
        "    __shared__ float s[32];\n"
        "    s[threadIdx.x] = (float)(float16(2.0f) + float16(1.0f)) + (float)bfloat16(4.0f);\n"
        "    __syncthreads();\n"
        "    y[threadIdx.x] = __reduce_add_sync(0xffffffffu, (int)s[31 - threadIdx.x]);\n"
        "}\n";
    for (const Device device : test::present_devices()) {
        INFO(to_text(device));
        std::vector<int> out(32, -1);
        RawLauncher(device, source, "f").launch({.block = {32}}, test::inout(out));
        CHECK(out == std::vector<int>(32, 224));
    }
}
