// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <kgen/kgen.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("concatenate puts arrays one after the other along any axis") {
    for (const Device device : present_devices()) {
        std::mt19937 random(5);
        for (int round = 0; round < 40; ++round) {
            Dims shape;
            for (auto rank = 1 + random() % 3; rank > 0; --rank) shape.push_back(random() % 4);
            const auto axis = static_cast<int>(random() % shape.size());
            const bool from_end = random() % 2 == 0;
            std::vector<Array> parts;
            List extents;
            for (auto count = 1 + random() % 3; count > 0; --count) {
                shape[axis] = random() % 4;
                extents.push_back(static_cast<int>(shape[axis]));
                parts.push_back(range(shape, device));
                if (random() % 3 == 0) parts.back() = parts.back().copy(Order::f);
            }
            const Array joined = concatenate(parts, from_end ? axis - shape.rank() : axis);
            shape[axis] = std::accumulate(extents.begin(), extents.end(), 0);
            REQUIRE(joined.shape() == shape);
            REQUIRE(joined.device() == device);
            // The result's axes: outer extents x (axis of each part) x inner extents
            std::int64_t outer = 1;
            std::int64_t inner = 1;
            for (int k = 0; k < axis; ++k) outer *= shape[k];
            for (int k = axis + 1; k < shape.rank(); ++k) inner *= shape[k];
            List expected;
            for (std::int64_t o = 0; o < outer; ++o) {
                for (const int extent : extents) {
                    for (std::int64_t k = 0; k < extent * inner; ++k) {
                        expected.push_back(static_cast<int>(o * extent * inner + k));
                    }
                }
            }
            REQUIRE(joined.to_vector<int>() == expected);
        }
    }
}

TEST_CASE("stack puts arrays side by side along a new axis") {
    for (const Device device : present_devices()) {
        const Array x = range({2, 3}, device);
        const Array y = x.transpose().copy().transpose();
        CHECK(stack({x, y}).shape() == Dims{2, 2, 3});
        CHECK(stack({x, y}).to_vector<int>() == List{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
        CHECK(stack({x, y}, 1).to_vector<int>() == List{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
        CHECK(stack({x, y}, -1).to_vector<int>() == List{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
        CHECK(stack({range({}, device), range({}, device)}).shape() == Dims{2});
        CHECK(stack({x}).shape() == Dims{1, 2, 3});
        CHECK(stack({range({0}, device), range({0}, device)}, 1).shape() == Dims{0, 2});
    }
}

TEST_CASE("a joined array is new and in the memory order of its parts") {
    const Array x = range({2, 3});
    const Array f = x.copy(Order::f);
    CHECK(concatenate({x}).storage() != x.storage());
    CHECK(concatenate({f, f}, 1).is_contiguous(Order::f));
    CHECK(concatenate({f, x}, 1).is_contiguous(Order::c));
    CHECK(concatenate({range({3}), range({3})}).is_contiguous(Order::c));
    const Array part = x.as_read_only();
    CHECK_FALSE(concatenate({part, part}).is_read_only());
}

TEST_CASE("joined arrays have the dtype that all promote to") {
    for (const Device device : present_devices()) {
        const Array x = arange(2, int32, {.device = device});
        const Array y = full({1}, 0.5, float32, {.device = device});
        const Array joined = concatenate({x, y});
        CHECK(joined.dtype() == float64);
        CHECK(joined.to_vector<double>() == std::vector<double>{0, 1, 0.5});
        CHECK(stack({x, x.astype(complex64)}).dtype() == complex128);
    }
}

TEST_CASE("rows of any dtype, order, alignment and number are joined as on the host") {
    const auto counted = [](const Dims& shape, DType dtype, int first) {
        std::int64_t count = 1;
        for (const std::int64_t extent : shape) count *= extent;
        return arange(static_cast<double>(first),
                      static_cast<double>(first + count),
                      1,
                      int64,
                      {.device = Device::host()})
            .astype(dtype)
            .reshape(shape);
    };
    // On the host concatenate() copies into slices, so its results are the reference for the
    // kernel that joins rows.
    const auto check = [](const std::vector<Array>& on_host, int axis) {
        for (const Device device : present_devices()) {
            std::vector<Array> arrays;
            for (const Array& array : on_host) arrays.push_back(array.to(device));
            const Array joined = concatenate(arrays, axis);
            CHECK(array_equal(joined.to(Device::host()), concatenate(on_host, axis)));
        }
    };
    for (const int count : {2, 3, 4, 5, 8, 9, 16, 17, 65}) {
        for (const DType dtype : {uint8, float16, float32, float64, complex128}) {
            INFO(count << " arrays of " << to_text(dtype));
            std::vector<Array> columns;
            std::vector<Array> ragged;
            std::vector<Array> whole;
            for (int k = 0; k < count; ++k) {
                columns.push_back(counted({37, 1}, dtype, k));
                ragged.push_back(counted({11, k % 5, 3}, dtype, 2 * k));
                whole.push_back(counted({7 * k % 40}, dtype, 3 * k));
            }
            check(columns, 1);
            check(ragged, 1);
            check(whole, 0);
        }
    }
    // Mixed dtypes, long rows that are not dense, and many long rows.
    check(
        {counted({50, 3}, int32, 0), counted({50, 2}, float32, 7), counted({50, 4}, complex64, 1)},
        1);
    check({counted({3000, 20}, float32, 0).transpose(), counted({20, 2500}, float32, 5)}, 1);
    check(std::vector<Array>(12, counted({6, 1000}, float64, 3)), 1);
    // Foreign memory at any address.
    std::vector<std::uint8_t> values(4096);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = static_cast<std::uint8_t>(k % 101);  // no NaN as a float
    }
    for (const Device device : present_devices()) {
        const Array bytes = from_vector(values).to(device);
        for (const DType dtype : {uint8, int16, complex64}) {
            const auto item = static_cast<std::int64_t>(item_size(dtype));
            const std::int64_t shift = dtype == complex64 ? 4 : item;
            const auto view = [&](std::int64_t begin) {
                auto* const first = static_cast<std::byte*>(bytes.data()) + begin;
                return Array::view(first, dtype, {60, 2}, {.device = device});
            };
            const Array joined = concatenate({view(shift), view(16)}, 1);
            const std::vector<Array> on_host = {view(shift).copy().to(Device::host()),
                                                view(16).copy().to(Device::host())};
            CHECK(array_equal(joined.to(Device::host()), concatenate(on_host, 1)));
        }
    }
}

// If KGEN_TEST_SLICES is 1, the arrays are copied into slices, which puts the kernels of these
// copies into the cache.
TEST_CASE("fresh: joined rows", "[.fresh]") {
    const FakeCuda fake;
    const ArrayOptions on_gpu{.device = Device::cuda(0)};
    const Array x = empty({1000, 3}, float32, on_gpu);
    const Array y = empty({1000, 1}, float32, on_gpu);
    if (std::string(std::getenv("KGEN_TEST_SLICES")) == "1") {
        const Array joined = empty({1000, 4}, float32, on_gpu);
        joined.slice({{}, {0, 3}}).assign(x);
        joined.slice({{}, {3, 4}}).assign(y);
        return;
    }
    const int before = fake.calls("cuLaunchKernel");
    concatenate({x, y}, 1);
    report(fmt::format("{} launches\n", fake.calls("cuLaunchKernel") - before));
}

TEST_CASE("joined rows are one launch, or copies into slices where nothing may be compiled",
          "[cuda]") {
    if (!has_nvrtc()) {
        WARN("skipped: this test needs NVRTC");
        return;
    }
    const TempDir cache;
    const auto run = [&](const char* slices, const char* compile) {
        return run_fresh("fresh: joined rows",
                         {{"KGEN_CUDA_PATH", FakeCuda::path()},
                          {"FAKE_CUDA_READS_CODE", "1"},
                          {"KGEN_CACHE_DIR", cache.path()},
                          {"KGEN_TEST_SLICES", slices},
                          {"KGEN_COMPILE", compile}});
    };
    CHECK(run("", "auto").text == "1 launches\n");
    CHECK(run("1", "auto").text == "");
    CHECK(run("", "never").text == "2 launches\n");
}

TEST_CASE("promote_types is NumPy's, and bfloat16 is as narrow as float16") {
    // All dtypes but bfloat16, and the results of numpy.promote_types for each pair, as NumPy's type letters.
    const std::vector<DType> dtypes = {bool_,
                                       int8,
                                       int16,
                                       int32,
                                       int64,
                                       uint8,
                                       uint16,
                                       uint32,
                                       uint64,
                                       float16,
                                       float32,
                                       float64,
                                       complex64,
                                       complex128};
    const std::vector<std::string> table = {
        "?bhilBHILefdFD",
        "bbhilhildefdFD",
        "hhhilhildffdFD",
        "iiiiliilddddDD",
        "llllllllddddDD",
        "BhhilBHILefdFD",
        "HiiilHHILffdFD",
        "IllllIIILdddDD",
        "LddddLLLLdddDD",
        "eefddefddefdFD",
        "fffddffddffdFD",
        "ddddddddddddDD",
        "FFFDDFFDDFFDFD",
        "DDDDDDDDDDDDDD",
    };
    const std::string letters = "?bhilBHILefdFD";
    REQUIRE(table.size() == dtypes.size());
    for (std::size_t a = 0; a < dtypes.size(); ++a) {
        for (std::size_t b = 0; b < dtypes.size(); ++b) {
            INFO(to_text(dtypes[a]) << " and " << to_text(dtypes[b]));
            CHECK(promote_types(dtypes[a], dtypes[b]) == dtypes[letters.find(table[a][b])]);
            const bool with_half = dtypes[a] == float16 && dtypes[b] != float16;
            if (!with_half) continue;
            const DType expected = dtypes[letters.find(table[a][b])];
            CHECK(promote_types(bfloat16, dtypes[b]) ==
                  (expected == float16 ? bfloat16 : expected));
            CHECK(promote_types(dtypes[b], bfloat16) ==
                  (expected == float16 ? bfloat16 : expected));
        }
    }
    CHECK(promote_types(bfloat16, float16) == float32);
    CHECK(promote_types(bfloat16, bfloat16) == bfloat16);
}

TEST_CASE("arrays that do not fit each other are not joined") {
    const Array x = range({2, 3});
    const std::vector<Array> none;
    CHECK(KGEN_MESSAGE_OF(ShapeError, concatenate(none)) == "concatenate: no arrays are given");
    CHECK(KGEN_MESSAGE_OF(ShapeError, stack(none)) == "stack: no arrays are given");
    CHECK(KGEN_MESSAGE_OF(ShapeError, concatenate({x, range({2, 4})})) ==
          "concatenate: array 1 has shape (2, 4), but array 0 has (2, 3): only axis 0 may differ");
    CHECK(KGEN_MESSAGE_OF(ShapeError, concatenate({x, x, range({3})}, -1)) ==
          "concatenate: array 2 has shape (3,), but array 0 has (2, 3): only axis 1 may differ");
    CHECK(KGEN_MESSAGE_OF(ShapeError, concatenate({x, x}, 2)) ==
          "concatenate: axis 2 does not exist: shape (2, 3) has axes 0 to 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, concatenate({range({}), range({})})) ==
          "concatenate: arrays of shape () have no axis; join them with stack()");
    CHECK(KGEN_MESSAGE_OF(ShapeError, stack({x, range({2, 4})})) ==
          "stack: array 1 has shape (2, 4), but array 0 has (2, 3)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, stack({x, x}, -4)) ==
          "stack: axis -4 does not exist: the result has axes 0 to 2");
    CHECK(KGEN_MESSAGE_OF(ShapeError, stack({x, Array()})) ==
          "stack: the array has no memory, because it was default-constructed");
    const Array wide = range({}).broadcast_to({std::int64_t{1} << 60});
    CHECK(KGEN_MESSAGE_OF(ShapeError, concatenate(std::vector<Array>(8, wide))) ==
          "concatenate: the extents of axis 0 add up to more than fits in 64 bits");
    CHECK(KGEN_MESSAGE_OF(ShapeError, concatenate(std::vector<Array>(2, wide))) ==
          "shape (2305843009213693952,) of int32 has more bytes than fit in 64 bits");
}

TEST_CASE("arrays of several devices are not joined") {
    if (!kgen::test::has_gpu()) {
        WARN("SKIPPED: no CUDA device");
        return;
    }
    CHECK(KGEN_MESSAGE_OF(DeviceError, stack({range({2}), range({2}, Device::cuda(0))})) ==
          "stack: array 1 is on cuda:0, but array 0 is on host; copy one of them with to(device)");
}
