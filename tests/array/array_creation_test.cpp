// SPDX-License-Identifier: MIT
#include <cmath>
#include <complex>
#include <cstdint>
#include <kgen/array.hpp>
#include <limits>
#include <vector>

#include "memory/storage.hpp"
#include "support/catch.hpp"

using namespace kgen;

namespace {

const ArrayOptions on_host{.device = Device::host()};
constexpr std::int64_t two_32 = std::int64_t{1} << 32;
constexpr std::int64_t two_62 = std::int64_t{1} << 62;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

ViewOptions host_view(const Dims& strides) {
    return {.device = Device::host(), .strides = strides};
}

}  // namespace

TEST_CASE("an array knows its parts") {
    const Array x = zeros({2, 3}, float64, on_host);
    CHECK((x.has_value() && x.rank() == 2 && x.size() == 6 && x.size_bytes() == 48));
    CHECK(x.strides() == Dims{24, 8});
    CHECK(x.device() == Device::host());
    CHECK(x.to_vector<double>() == std::vector<double>(6));
    CHECK_FALSE(Array().has_value());
    CHECK(x.as_read_only().is_read_only());
    CHECK_FALSE(x.is_read_only());
}

TEST_CASE("shapes whose size does not fit in 64 bits are refused before any memory is asked for") {
    CHECK(KGEN_MESSAGE_OF(ShapeError, empty({two_32, two_32}, uint8)) ==
          "shape (4294967296, 4294967296) has more elements than fit in 64 bits");
    CHECK(KGEN_MESSAGE_OF(ShapeError, empty({two_62}, float32)) ==
          "shape (4611686018427387904,) of float32 has more bytes than fit in 64 bits");
    CHECK(KGEN_MESSAGE_OF(ShapeError, zeros({-1, 5}, float32)) ==
          "shape (-1, 5): the extent of axis 0 is negative: -1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, zeros({0, -2}, float32)) ==
          "shape (0, -2): the extent of axis 1 is negative: -2");
}

TEST_CASE("an array without elements has no memory, however large its other extents are") {
    for (const Dims& shape : {Dims{two_62, 4, 0}, Dims{0, two_62, two_62}, Dims{0}}) {
        const Array x = empty(shape, float64, on_host);
        CHECK(x.size() == 0);
        CHECK(x.data() == nullptr);
        CHECK(x.is_contiguous());
        CHECK(x.copy().to_vector<double>().empty());
        CHECK(x.astype(int8).shape() == shape);
        x.assign(x);
    }
}

TEST_CASE("full converts its value as a scalar, or says why not") {
    CHECK(full({2}, 7, int8, on_host).to_vector<std::int8_t>() == std::vector<std::int8_t>{7, 7});
    CHECK(full({}, true, bool_, on_host).item<bool>());
    CHECK(full({2, 2}, 1.5, complex64, on_host)[1][0].item<std::complex<float>>() == 1.5f);
    CHECK(KGEN_MESSAGE_OF(TypeError, full({2}, 300, int8, on_host)) ==
          "full: 300 does not fit int8 (-128 to 127)");
}

TEST_CASE("arange counts, from 0 or between two numbers") {
    CHECK(arange(4, uint8, on_host).to_vector<std::uint8_t>() ==
          std::vector<std::uint8_t>{0, 1, 2, 3});
    CHECK(arange(0, float32, on_host).size() == 0);
    CHECK(arange(2, bool_, on_host).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{0, 1});
    CHECK(arange(1, 2, 0.25, float32, on_host).to_vector<float>() ==
          std::vector<float>{1, 1.25f, 1.5f, 1.75f});
    CHECK(arange(5, -2, -3, int64, on_host).to_vector<std::int64_t>() ==
          std::vector<std::int64_t>{5, 2, -1});
    CHECK(arange(5, 5, 1, int64, on_host).size() == 0);
    CHECK(arange(5, 1, 1, int64, on_host).size() == 0);
    CHECK(arange(3, complex128, on_host)[2].item<std::complex<double>>() == 2.0);
}

TEST_CASE("arange refuses what its dtype cannot hold") {
    CHECK(KGEN_MESSAGE_OF(TypeError, arange(200, int8, on_host)) ==
          "arange: 199 does not fit int8 (-128 to 127)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, arange(-1, int8, on_host)) ==
          "arange: the count is negative: -1");
    CHECK(KGEN_MESSAGE_OF(TypeError, arange(0, 3, 0.5, int32, on_host)) ==
          "arange: step is 0.5, but int32 needs 64-bit integers");
    CHECK(KGEN_MESSAGE_OF(TypeError, arange(-1, 3, 1, uint8, on_host)) ==
          "arange: -1 does not fit uint8 (0 to 255)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, arange(0, 1, 0, float32, on_host)) ==
          "arange: the step is 0");
    CHECK(KGEN_MESSAGE_OF(ShapeError, arange(0, 1, 1e-30, float32, on_host)) ==
          "arange: 0 to 1 by 1e-30 has more elements than fit in 64 bits");
    CHECK(KGEN_MESSAGE_OF(ShapeError, arange(0, std::nan(""), 1, float32, on_host)) ==
          "arange: 0 to nan by 1 has more elements than fit in 64 bits");
}

TEST_CASE("from_host and from_vector copy, to_vector and item give back the same") {
    std::vector<float> values = {1, 2, 3, 4};
    const Array x = from_vector(values, {2, 2}, on_host);
    values[0] = 9;
    CHECK(x.to_vector<float>() == std::vector<float>{1, 2, 3, 4});
    CHECK(x.transpose().to_vector<float>() == std::vector<float>{1, 3, 2, 4});
    CHECK(x[1][1].item<float>() == 4);
    CHECK(KGEN_MESSAGE_OF(ShapeError, from_host(nullptr, int8, {3}, on_host)) ==
          "from_host: shape (3,) needs 3 bytes, but the address is null");
    CHECK(from_host(nullptr, int8, {0}, on_host).size() == 0);
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.item<float>()) ==
          "item: shape (2, 2) has 4 elements, expected 1");
    CHECK(KGEN_MESSAGE_OF(TypeError, x[0][0].item<double>()) ==
          "item: the array is float32, but item() reads float64; convert it with astype(float64)");
    CHECK(KGEN_MESSAGE_OF(TypeError, x.to_vector<int>()) ==
          "to_vector: the array is float32, but to_vector() reads int32; convert it with "
          "astype(int32)");
}

TEST_CASE("a view of foreign memory may walk it in any way") {
    std::int32_t memory[6] = {0, 1, 2, 3, 4, 5};
    const Array backwards = Array::view(memory + 5, int32, {3}, host_view({-8}));
    CHECK(backwards.to_vector<int>() == std::vector<int>{5, 3, 1});
    CHECK(backwards.storage()->size_bytes() == 20);
    CHECK(backwards.storage()->data() == memory + 1);
    CHECK(Array::view(memory, int32, {2, 2}, host_view({0, 4})).to_vector<int>() ==
          std::vector<int>{0, 1, 0, 1});
    const std::int32_t* constant = memory;
    CHECK(Array::view(constant, int32, {6}, {.device = Device::host()}).is_read_only());
    CHECK(Array::view(static_cast<void*>(nullptr), int32, {3, 0}, host_view({0, 4})).size() == 0);
}

TEST_CASE("a view of memory that cannot be reached is refused") {
    alignas(16) std::int32_t memory[6] = {};
    void* start = memory;
    CHECK(KGEN_MESSAGE_OF(ShapeError, Array::view(start, float64, {2}, host_view({most - 7}))) ==
          "shape (2,) with strides (9223372036854775800,) reaches more bytes than fit in 64 bits");
    CHECK(KGEN_MESSAGE_OF(ShapeError, Array::view(start, int32, {3}, host_view({two_62}))) ==
          "shape (3,) with strides (4611686018427387904,) reaches more bytes than fit in 64 bits");
    CHECK(
        KGEN_MESSAGE_OF(ShapeError,
                        Array::view(start, int32, {3, 3}, host_view({-two_62, two_62}))) ==
        "shape (3, 3) with strides (-4611686018427387904, 4611686018427387904) reaches more bytes "
        "than fit in 64 bits");
    CHECK(KGEN_MESSAGE_OF(ShapeError, Array::view(start, int32, {2, 3}, host_view({4}))) ==
          "strides (4,) do not fit shape (2, 3): got 1 strides for 2 axes");
    CHECK(KGEN_MESSAGE_OF(ShapeError,
                          Array::view(static_cast<void*>(nullptr), int32, {2}, host_view({4}))) ==
          "a view of shape (2,) needs memory, but its address is null");
    CHECK(KGEN_MESSAGE_OF(ShapeError,
                          Array::view(reinterpret_cast<void*>(16), int32, {9}, host_view({-4}))) ==
          "a view of shape (9,) at address 0x10 reaches from -32 to 4 bytes from there, beyond the "
          "address space");
    CHECK(KGEN_MESSAGE_OF(ShapeError,
                          Array::view(start, int32, {two_32, two_32}, host_view({0, 0}))) ==
          "shape (4294967296, 4294967296) has more elements than fit in 64 bits");
}

TEST_CASE("a view that its dtype's alignment forbids is refused") {
    CHECK(KGEN_MESSAGE_OF(
              TypeError,
              Array::view(reinterpret_cast<void*>(0x1002), float32, {2}, host_view({4}))) ==
          "address 0x1002 is not aligned for float32: it must be a multiple of 4");
    CHECK(KGEN_MESSAGE_OF(
              TypeError,
              Array::view(reinterpret_cast<void*>(0x1004), float64, {2}, host_view({8}))) ==
          "address 0x1004 is not aligned for float64: it must be a multiple of 8");
    CHECK(KGEN_MESSAGE_OF(
              TypeError,
              Array::view(reinterpret_cast<void*>(0x1000), int32, {2, 2}, host_view({8, 6}))) ==
          "stride 6 of axis 1 is not aligned for int32: it must be a multiple of 4");
    // Complex numbers need only the alignment of their parts. A stride that is never used may have any value.
    CHECK(Array::view(reinterpret_cast<void*>(0x1004), complex64, {2}, host_view({12})).rank() ==
          1);
    CHECK(Array::view(reinterpret_cast<void*>(0x1000), int32, {1}, host_view({3})).rank() == 1);
}
