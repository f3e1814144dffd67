// SPDX-License-Identifier: MIT
//
// Every dtype and memory layout, compared with a plain loop over the values in C order.
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Returns small integers that are exact in every dtype, so every device gives the same bits.
template <typename T>
std::vector<Held<T>> small_values(std::int64_t count, int seed) {
    std::vector<Held<T>> values;
    for (std::int64_t k = 0; k < count; ++k) {
        const auto number = static_cast<int>((k * 7 + seed * 3 + k / 11) % 5);
        if constexpr (std::is_same_v<T, bool>) {
            values.push_back(number % 2 == 0 ? 1 : 0);
        } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                             std::is_same_v<T, std::complex<double>>) {
            using Part = typename T::value_type;
            values.push_back(
                {static_cast<Part>(number - 2), static_cast<Part>((number * 2 + seed) % 4)});
        } else if constexpr (std::is_unsigned_v<T>) {
            values.push_back(static_cast<T>(number));
        } else {
            values.push_back(static_cast<T>(static_cast<float>(number - 2)));
        }
    }
    return values;
}

// Returns x + y * y in the arithmetic of the dtype. The values are small enough to need no rounding.
template <typename T>
Held<T> expected_value(Held<T> x, Held<T> y) {
    if constexpr (std::is_same_v<T, bool>) {
        return (x + y * y) != 0 ? 1 : 0;
    } else if constexpr (std::is_same_v<T, half_t> || std::is_same_v<T, bfloat16_t>) {
        return T(static_cast<float>(x) + static_cast<float>(y) * static_cast<float>(y));
    } else {
        return static_cast<T>(x + y * y);
    }
}

template <typename T>
bool equal(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if constexpr (std::is_same_v<T, half_t> || std::is_same_v<T, bfloat16_t>) {
            if (a[k].bits != b[k].bits) return false;
        } else if (!(a[k] == b[k])) {
            return false;
        }
    }
    return true;
}

const ElementwiseKernel& probe_kernel() {
    static const ElementwiseKernel kernel("T x, T y", "T z", "z = x + y * y", "layouts");
    return kernel;
}

std::vector<Layout> layouts_of(const Dims& shape, std::int64_t item) {
    const int last = shape.rank() - 1;
    const Dims c = c_order(shape, item);
    std::vector<Layout> layouts = {
        {"C order", c},
        {"C order, one element on", c, item},
        {"F order", f_order(shape, item)},
        {"every other element", dense_strides(shape, axis_order(shape.rank()), 2 * item)},
        {"rows with padding", dense_strides(shape, axis_order(shape.rank()), item, 3)},
        {"last axis backwards", negated(c, last)},
        {"first axis backwards", negated(c, 0)},
    };
    Dims backwards = c;
    for (std::int64_t& stride : backwards) stride = -stride;
    layouts.push_back({"all axes backwards", backwards});
    if (shape.rank() == 3) {
        layouts.push_back({"axes 1 0 2", dense_strides(shape, {1, 0, 2}, item)});
        layouts.push_back({"axes 0 2 1", dense_strides(shape, {0, 2, 1}, item)});
        layouts.push_back({"axes 2 0 1", dense_strides(shape, {2, 0, 1}, item)});
        layouts.push_back(
            {"axes 1 2 0, backwards", negated(dense_strides(shape, {1, 2, 0}, item), 1)});
    }
    return layouts;
}

// Computes with x and y in two layouts, into a new array and into a given array of a third layout.
template <typename T>
void check_layouts(
    Device device, const Dims& shape, const Layout& of_x, const Layout& of_y, const Layout& of_z) {
    INFO(to_text(device) << ", " << to_text(dtype_of<T>()) << ", shape " << to_text(shape)
                         << ", x: " << of_x.name << ", y: " << of_y.name << ", z: " << of_z.name);
    const std::int64_t count = count_of(shape);
    const auto x_values = small_values<T>(count, 1);
    const auto y_values = small_values<T>(count, 2);
    std::vector<Held<T>> expected;
    for (std::size_t k = 0; k < x_values.size(); ++k)
        expected.push_back(expected_value<T>(x_values[k], y_values[k]));

    const Placed x = place<T>(device, x_values, shape, of_x.strides, of_x.shift);
    const Placed y = place<T>(device, y_values, shape, of_y.strides, of_y.shift);
    const Placed z =
        place<T>(device, std::vector<Held<T>>(x_values.size()), shape, of_z.strides, of_z.shift);
    const Array made = probe_kernel()(x.array, y.array);
    CHECK(made.shape() == shape);
    CHECK(equal(elements<T>(made), expected));
    probe_kernel()(x.array, y.array, out(z.array));
    CHECK(equal(z.values<T>(), expected));
    CHECK(z.is_clean_around());
    CHECK(x.is_clean_around());
    CHECK(equal(x.values<T>(), x_values));
}

struct EveryDtype {
    Device device;
    template <typename T>
    void operator()() const {
        const Dims shape{3, 5, 7};
        const auto item = static_cast<std::int64_t>(sizeof(T));
        const Layout c{"C order", c_order(shape, item)};
        const Layout shifted{"C order, one element on", c_order(shape, item), item};
        const Layout f{"F order", f_order(shape, item)};
        const Layout sliced{"every other element", dense_strides(shape, {0, 1, 2}, 2 * item)};
        const Layout turned{"axes 2 0 1, backwards",
                            negated(dense_strides(shape, {2, 0, 1}, item), 2)};
        check_layouts<T>(device, shape, c, c, c);
        check_layouts<T>(device, shape, shifted, c, shifted);
        check_layouts<T>(device, shape, f, f, f);
        check_layouts<T>(device, shape, c, f, sliced);
        check_layouts<T>(device, shape, sliced, turned, c);
        check_layouts<T>(device, shape, turned, turned, turned);
    }
};

}  // namespace

TEST_CASE("every dtype is right in every class of layout") {
    for (const Device device : present_devices()) {
        for (int dtype = 0; dtype < dtype_count; ++dtype)
            visit_dtype(static_cast<DType>(dtype), EveryDtype{device});
    }
}

TEST_CASE("every layout of the inputs and of a given output gives the same values") {
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{13}, Dims{4, 9}, Dims{3, 4, 5}}) {
            const std::vector<Layout> layouts = layouts_of(shape, 4);
            for (std::size_t k = 0; k < layouts.size(); ++k) {
                const Layout& next = layouts[(k + 1) % layouts.size()];
                const Layout& other = layouts[(k * 5 + 2) % layouts.size()];
                check_layouts<float>(device, shape, layouts[k], next, other);
            }
        }
    }
}

TEST_CASE("complex numbers may lie at half their size, on every path") {
    const ElementwiseKernel accumulate("T x", "T y", "y += x", "accumulate_complex");
    for (const Device device : present_devices()) {
        const Dims shape{3, 4};
        const Layout shifted{"half an item on", {64, 16}, 8};
        const Layout odd{"one and a half items apart", {96, 24}};
        const Layout turned{"transposed, half an item on", {16, 48}, 8};
        check_layouts<std::complex<double>>(device, shape, shifted, shifted, shifted);
        check_layouts<std::complex<double>>(device, shape, odd, turned, odd);
        const auto values = small_values<std::complex<double>>(12, 1);
        const Placed x = place<std::complex<double>>(device, values, {12}, {16}, 8);
        accumulate(x.array, out(x.array));
        std::vector<std::complex<double>> doubled;
        for (const std::complex<double>& value : values) doubled.push_back(2.0 * value);
        CHECK(x.values<std::complex<double>>() == doubled);
        const Placed y = place<std::complex<float>>(device, values, {12}, {8}, 4);
        const Array made = accumulate(y.array, out(y.array));
        CHECK(made.data() == y.array.data());
        CHECK(y.values<std::complex<float>>()[0] == 2.0f * std::complex<float>(values[0]));
        CHECK(y.is_clean_around());
    }
}

TEST_CASE("sizes around tiles, vectors and chunks are right to the last element") {
    const ElementwiseKernel increment("T x", "T y", "y = x + 1", "increment");
    const ElementwiseKernel widen("uint8 x", "float64 y", "y = x * 0.5", "widen");
    for (const Device device : present_devices()) {
        for (const std::int64_t count : {1,
                                         2,
                                         3,
                                         15,
                                         16,
                                         17,
                                         255,
                                         256,
                                         257,
                                         1023,
                                         1024,
                                         1025,
                                         4095,
                                         4096,
                                         4097,
                                         65535,
                                         65537,
                                         100003,
                                         1048579}) {
            for (const std::int64_t shift : {0, 1}) {
                INFO(to_text(device) << ", " << count << " elements, " << shift << " on");
                std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
                for (std::size_t k = 0; k < bytes.size(); ++k)
                    bytes[k] = static_cast<std::uint8_t>(k * 31 + k / 251);
                std::vector<std::uint8_t> incremented;
                std::vector<double> halves;
                for (const std::uint8_t byte : bytes) {
                    incremented.push_back(static_cast<std::uint8_t>(byte + 1));
                    halves.push_back(byte * 0.5);
                }
                const Placed x = place<std::uint8_t>(device, bytes, {count}, {1}, shift);
                const Placed y = place<std::uint8_t>(device, bytes, {count}, {1}, 2 * shift);
                increment(x.array, out(y.array));
                CHECK(y.values<std::uint8_t>() == incremented);
                CHECK(y.is_clean_around());
                CHECK(elements<double>(widen(x.array)) == halves);
            }
        }
    }
}

TEST_CASE("inputs broadcast along every axis") {
    struct Row {
        Dims x, y;
    };
    const Row rows[] = {
        {{3, 4, 5}, {5}},
        {{3, 4, 5}, {1, 5}},
        {{3, 4, 5}, {4, 1}},
        {{3, 4, 5}, {3, 1, 1}},
        {{3, 4, 5}, {3, 1, 5}},
        {{3, 4, 5}, {}},
        {{}, {3, 4, 5}},
        {{3, 1, 5}, {1, 4, 1}},
        {{1, 4, 1}, {3, 4, 5}},
        {{7}, {3, 1}},
        {{1, 1}, {1}},
        {{2, 1, 1, 3}, {4, 1}},
        {{300, 1}, {1, 300}},
        {{1}, {1}},
        {{1000, 3}, {3}},
        {{}, {}},
    };
    for (const Device device : present_devices()) {
        for (const Row& row : rows) {
            INFO(to_text(device) << ", " << to_text(row.x) << " and " << to_text(row.y));
            const auto x_values = small_values<double>(count_of(row.x), 1);
            const auto y_values = small_values<double>(count_of(row.y), 2);
            const int rank = std::max(row.x.rank(), row.y.rank());
            Dims shape = Dims::filled(rank, 1);
            const auto extent = [&](const Dims& dims, int axis) {
                const int own = axis - (rank - dims.rank());
                return own < 0 ? std::int64_t{1} : dims[own];
            };
            for (int axis = 0; axis < rank; ++axis)
                shape[axis] = std::max(extent(row.x, axis), extent(row.y, axis));
            const auto value_at =
                [&](const std::vector<double>& values, const Dims& dims, std::int64_t element) {
                    std::int64_t place_of = 0;
                    std::int64_t weight = 1;
                    for (int axis = rank - 1; axis >= 0; --axis) {
                        const std::int64_t index = element % shape[axis];
                        element /= shape[axis];
                        if (extent(dims, axis) == 1) continue;
                        place_of += index * weight;
                        weight *= extent(dims, axis);
                    }
                    return values[static_cast<std::size_t>(place_of)];
                };
            std::vector<double> expected;
            for (std::int64_t k = 0; k < count_of(shape); ++k) {
                const double y = value_at(y_values, row.y, k);
                expected.push_back(value_at(x_values, row.x, k) + y * y);
            }
            const Placed x = place<double>(device, x_values, row.x, c_order(row.x, 8));
            const Placed y = place<double>(device, y_values, row.y, c_order(row.y, 8));
            const Array z = probe_kernel()(x.array, y.array);
            CHECK(z.shape() == shape);
            CHECK(elements<double>(z) == expected);
        }
    }
}

TEST_CASE("an array of stride 0 reads like its one element") {
    for (const Device device : present_devices()) {
        const Array one = from_vector<float>({3}, {device});
        const Array x = one.broadcast_to({4, 6});
        CHECK(elements<float>(probe_kernel()(x, x)) == std::vector<float>(24, 12));
        const Array row = from_vector<float>({1, 2, 3}, {device}).broadcast_to({2, 3});
        CHECK(elements<float>(probe_kernel()(row, one)) ==
              std::vector<float>{10, 11, 12, 10, 11, 12});
    }
}

TEST_CASE("an array without elements gives one, and nothing runs") {
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{0}, Dims{0, 4}, Dims{3, 0, 2}}) {
            const Array x = empty(shape, float32, {device});
            const Array z = probe_kernel()(x, x);
            CHECK(z.shape() == shape);
            CHECK(z.size() == 0);
            CHECK(z.device() == device);
        }
        const Array row = from_vector<float>({7}, {device});
        CHECK(probe_kernel()(row, empty({3, 0}, float32, {device})).shape() == Dims{3, 0});
        // A kernel without elements need not compile, because it computes nothing.
        CHECK(ElementwiseKernel(
                  "T x", "T y", "y = undefined_name", "idle")(empty({0}, int8, {device}))
                  .size() == 0);
    }
}

TEST_CASE("every rank up to 16 works") {
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add_ranks");
    for (const Device device : present_devices()) {
        for (int rank = 0; rank <= max_rank; ++rank) {
            INFO(to_text(device) << ", rank " << rank);
            const Dims shape = Dims::filled(rank, 2);
            const auto values = small_values<std::int32_t>(count_of(shape), 3);
            // The even axes are outermost in memory, so no two axes merge.
            std::vector<int> order;
            for (int axis = 0; axis < rank; axis += 2) order.push_back(axis);
            for (int axis = 1; axis < rank; axis += 2) order.push_back(axis);
            const Placed x = place<std::int32_t>(device, values, shape, c_order(shape, 4));
            const Placed y =
                place<std::int32_t>(device, values, shape, dense_strides(shape, order, 4));
            std::vector<std::int32_t> expected;
            for (const std::int32_t value : values) expected.push_back(2 * value);
            const Array z = add(x.array, y.array);
            CHECK(z.rank() == rank);
            CHECK(elements<std::int32_t>(z) == expected);
        }
    }
}

TEST_CASE("new outputs follow the inputs' order of axes") {
    const ElementwiseKernel widen("T x", "float64 z", "z = x", "widen_order");
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add_order");
    for (const Device device : present_devices()) {
        struct Row {
            Dims strides, expected;  // strides for float32, and for float64
        };
        const Dims shape{2, 3, 4};
        const Row rows[] = {
            {{48, 16, 4}, {96, 32, 8}},    // C order
            {{4, 8, 24}, {8, 16, 48}},     // F order
            {{4, 32, 8}, {8, 64, 16}},     // axes 1 2 0
            {{16, 32, 4}, {32, 64, 8}},    // axes 1 0 2
            {{96, 32, 8}, {96, 32, 8}},    // sliced: becomes dense
            {{-48, 16, -4}, {96, 32, 8}},  // backward: becomes forward
            {{0, 16, 4}, {96, 32, 8}},     // broadcast: an axis of stride 0 keeps its place
        };
        for (const Row& row : rows) {
            INFO(to_text(device) << ", strides " << to_text(row.strides));
            const Placed x = place<float>(device, std::vector<float>(24), shape, row.strides);
            CHECK(widen(x.array).strides() == row.expected);
        }
        const Array f = place<float>(device, std::vector<float>(24), shape, {4, 8, 24}).array;
        const Array scalar_like = from_vector<float>({1}, {device});
        CHECK(add(f, scalar_like).strides() == Dims{4, 8, 24});
        CHECK(add(scalar_like, f).strides() == Dims{4, 8, 24});
        CHECK(add(f, 2).strides() == Dims{4, 8, 24});
        const Array column = from_vector<float>({1, 2, 3}, {3, 1}, {device});
        const Array line = from_vector<float>({1, 2}, {1, 2}, {device});
        CHECK(add(column, line).strides() == Dims{8, 4});
    }
}
