// SPDX-License-Identifier: MIT
//
// Large arrays whose rows begin or end within a vector are written in parts.
#include "array/kernels/ragged_rows.hpp"

#include <cstdint>
#include <kgen/kgen.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::indexing;
using kgen::test::has_gpu;

namespace {

constexpr std::int64_t columns = 4128;  // a whole number of vectors
constexpr std::int64_t rows = 20;
constexpr std::int64_t least_bytes = rows * columns * 4;

// Returns the number of parts. Checks that each element is written once and that middle parts are aligned.
int count_parts(const std::vector<Array>& arrays) {
    const ElementwiseKernel once("T x", "T y", "y = x + 1", "written_once");
    int parts = 0;
    const auto write = [&](std::span<const Array> part) {
        once(part[0], out(part[0]));
        if (parts++ == 0 && part[0].size() < arrays[0].size()) {
            for (const Array& array : part) {
                CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % 16 == 0);
                CHECK(array.shape()[1] * 4 % 16 == 0);
            }
        }
    };
    write_in_vectors(arrays, write, least_bytes);
    const Array expected = ones(arrays[0].shape(), float32);
    CHECK(array_equal(arrays[0], expected));
    return parts;
}

}  // namespace

TEST_CASE("rows that begin or end within a vector are written in up to three parts") {
    const DeviceScope host(Device::host());
    const auto slice = [](std::int64_t begin, std::int64_t end) {
        return zeros({rows, columns + 32}, float32)[{all, s(begin, end)}];
    };
    CHECK(count_parts({slice(0, columns)}) == 1);
    CHECK(count_parts({slice(1, columns + 4)}) == 2);
    CHECK(count_parts({slice(4, columns + 5)}) == 2);
    CHECK(count_parts({slice(3, columns + 6)}) == 3);
    // All arrays must begin at the same position within a vector. Small arrays and arrays with
    // gaps are not divided.
    CHECK(count_parts({slice(3, columns + 6), slice(7, columns + 10)}) == 3);
    CHECK(count_parts({slice(3, columns + 6), slice(2, columns + 5)}) == 1);
    CHECK(count_parts({slice(3, columns + 6)[{s(0, rows - 1)}]}) == 1);
    CHECK(count_parts({zeros({rows, 2 * columns + 2}, float32)[{all, s(1, {}, 2)}]}) == 1);
    CHECK(count_parts({zeros({rows, columns + 1}, float32)[{all, s(1, {})}]}) == 1);
}

TEST_CASE("gpu: large slices are assigned and filled right, wherever they begin", "[cuda][gpu]") {
    if (!has_gpu()) {
        WARN("skipped: this test needs a GPU");
        return;
    }
    const DeviceScope scope(Device::cuda(0));
    constexpr std::int64_t many = 4096;
    static_assert(many * columns * 4 > least_ragged_bytes);
    const ArrayOptions on_host{.device = Device::host()};
    for (const DType dtype : {float32, uint8, complex64}) {
        const std::int64_t width = columns * 4 / static_cast<std::int64_t>(item_size(dtype));
        const Array row = arange(width + 16, int32, on_host).astype(dtype);
        const Array source = row.to(Device::cuda(0)).broadcast_to({many, width + 16}).copy();
        for (const auto& [begin, end] : {std::pair{1, 13}, std::pair{2, 3}, std::pair{7, 16}}) {
            const Index part = s(begin, width + end);
            const Array target = zeros({many, width + 16}, dtype);
            const auto expect = [&](const Array& inside) {
                const Array line = zeros({width + 16}, dtype, on_host);
                line.set(part, inside);
                CHECK(array_equal(target.to(Device::host()), line.broadcast_to(target.shape())));
            };
            INFO(to_text(dtype) << " from " << begin);
            target.set({all, part}, source[{all, part}]);
            expect(row[part]);
            target.set({all, part}, 5);
            expect(full({1}, 5, dtype, on_host));
            target.set({all, part}, source[{0, part}]);
            expect(row[part]);
        }
    }
}
