// SPDX-License-Identifier: MIT
//
// CUDA's flat loop at its thresholds: alignments, and lengths around vectors and tiles.
#include "support/trial.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::int64_t item_of(DType dtype) {
    return static_cast<std::int64_t>(item_size(dtype));
}

// A trial of x and y into z, each misaligned by so many bytes.
Trial pair_trial(DType dtype, std::int64_t count, std::int64_t x, std::int64_t y, std::int64_t z) {
    return {{c_part(dtype, {count}, x), c_part(dtype, {count}, y)}, c_part(dtype, {count}, z)};
}

}  // namespace

TEST_CASE("every misalignment of every dtype is right, alike and different") {
    for (const Device device : present_devices()) {
        for (int number = 0; number < dtype_count; ++number) {
            const auto dtype = static_cast<DType>(number);
            const std::int64_t item = item_of(dtype);
            // Complex numbers are aligned like their parts.
            const std::int64_t step = kind_of(dtype) == DTypeKind::complex ? item / 2 : item;
            const std::int64_t count = 2 * 256 * (16 / item) + 3;  // two tiles and three elements
            for (std::int64_t shift = 0; shift < 16; shift += step) {
                const std::int64_t other = (shift * 3 + step) % 16 / step * step;
                check_trial(device, pair_trial(dtype, count, shift, shift, shift));
                check_trial(device, pair_trial(dtype, count, shift, 0, 0));
                check_trial(device, pair_trial(dtype, count, 0, 0, shift));
                check_trial(device, pair_trial(dtype, count, other, 0, shift));
            }
        }
    }
    SUCCEED();
}

TEST_CASE("lengths around vectors and tiles are right, aligned and not") {
    for (const Device device : present_devices()) {
        for (const DType dtype : {uint8, float16, float32, float64, complex128}) {
            const std::int64_t item = item_of(dtype);
            const std::int64_t v = 16 / item;
            for (const std::int64_t near : {std::int64_t{1}, v, 64 * v, 256 * v, 512 * v}) {
                for (std::int64_t count = std::max<std::int64_t>(near - 1, 1); count <= near + 1;
                     ++count) {
                    check_trial(device, pair_trial(dtype, count, 0, 0, 0));
                    if (v == 1) continue;
                    check_trial(device, pair_trial(dtype, count, item, item, item));
                    check_trial(device, pair_trial(dtype, count, 16 - item, 16 - item, 16 - item));
                    check_trial(device, pair_trial(dtype, count, item, 0, 16 - item));
                }
            }
        }
    }
    SUCCEED();
}

TEST_CASE("flat loops with a narrower output, one element, gaps or an index are right") {
    for (const Device device : present_devices()) {
        for (const std::int64_t count : {1, 4, 511, 512, 513, 1023, 1024, 1025, 2047, 2049}) {
            for (const std::int64_t shift : {0, 1, 3}) {
                Trial narrow{{c_part(float32, {count}, 4 * shift), c_part(float64, {1})},
                             c_part(bfloat16, {count}, 2 * shift)};
                check_trial(device, narrow);
                narrow.extra = Extra::index;
                check_trial(device, narrow);
                // One input is every other element, the other one is dense.
                Trial gaps{{{float32, {count}, {8}, 4 * shift}, c_part(float32, {count})},
                           c_part(float32, {count}, 4 * shift)};
                check_trial(device, gaps);
                // The output has gaps.
                Trial scattered{{c_part(float32, {count}, 4 * shift), c_part(float32, {1})},
                                {float32, {count}, {12}}};
                check_trial(device, scattered);
                Trial same = pair_trial(float32, count, 4 * shift, 0, 4 * shift);
                same.in_place = 0;
                check_trial(device, same);
            }
        }
    }
    SUCCEED();
}

TEST_CASE("a dense array beside one whose rows are read by their strides is right") {
    for (const Device device : present_devices()) {
        for (const std::int64_t inner : {1, 2, 3, 5, 7, 13, 29, 257}) {
            for (const std::int64_t rows : {1, 2, 3, 5, 127}) {
                for (const DType dtype : {uint8, float32}) {
                    const Dims shape{rows, inner};
                    const std::int64_t item = item_of(dtype);
                    Trial padded{
                        {{dtype, shape, {(inner + 1) * item, item}, item}, c_part(dtype, {inner})},
                        c_part(dtype, shape, item)};
                    check_trial(device, padded);
                    padded.extra = Extra::indices;
                    check_trial(device, padded);
                }
            }
        }
    }
    SUCCEED();
}
