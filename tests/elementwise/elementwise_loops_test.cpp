// SPDX-License-Identifier: MIT
//
// Every kind of loop at the sizes where its code path changes: rows, tiles of transposed
// inputs, vectors at misaligned addresses. The reference is one loop over 64-bit indices.
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <random>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using Random = std::mt19937_64;

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// The memory layout of an array, apart from its dtype.
struct Form {
    std::vector<int> order;          // axes in memory, outermost first
    std::vector<std::int64_t> gaps;  // for each axis: elements of space after its end
    std::vector<bool> backwards;     // for each axis
    std::vector<bool> stretched;     // for each axis: extent 1 in the array
    std::int64_t shift = 0;          // offset of the array in its block, in elements

    explicit Form(const Dims& loop)
        : gaps(loop.size(), 0), backwards(loop.size(), false), stretched(loop.size(), false) {
        order = axis_order(loop.rank());
    }
    Dims shape(const Dims& loop) const {
        Dims shape = loop;
        for (int axis = 0; axis < loop.rank(); ++axis) {
            if (stretched[static_cast<std::size_t>(axis)]) shape[axis] = 1;
        }
        return shape;
    }
    Dims strides(const Dims& loop, std::int64_t item) const {
        const Dims own = shape(loop);
        Dims strides = Dims::filled(loop.rank(), 0);
        std::int64_t stride = item;
        for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
            const auto at = static_cast<std::size_t>(*axis);
            strides[*axis] = backwards[at] ? -stride : stride;
            stride *= own[*axis] + gaps[at];
        }
        return strides;
    }
};

struct Call {
    Dims loop;
    Form x;
    Form y;
    Form z;
    std::optional<int> block_size = {};
    explicit Call(const Dims& of) : loop(of), x(of), y(of), z(of) {}
};

std::string describe(const Call& call) {
    std::string text = "loop " + to_text(call.loop);
    for (const Form* form : {&call.x, &call.y, &call.z}) {
        text += "; " + to_text(form->shape(call.loop)) + " by " +
                to_text(form->strides(call.loop, 1)) + " + " + std::to_string(form->shift);
    }
    return text + (call.block_size ? ", blocks of " + std::to_string(*call.block_size) : "");
}

template <typename T>
Placed place_form(Device device, const Form& form, const Dims& loop, int seed) {
    constexpr auto item = static_cast<std::int64_t>(sizeof(T));
    const Dims shape = form.shape(loop);
    std::vector<T> values(static_cast<std::size_t>(count_of(shape)));
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = static_cast<T>((k * 37 + static_cast<std::size_t>(seed) + k / 13) % 29);
    return place<T>(device, values, shape, form.strides(loop, item), form.shift * item);
}

// Checks z = 3 x + y, plus i % 5 if `counted`.
template <typename T, typename U, typename V>
bool is_right(Device device, const Call& call, bool counted) {
    static const ElementwiseKernel plain(
        "T x, U y", "V z", "z = (V)((long long)x * 3 + (long long)y)", "loops");
    static const ElementwiseKernel indexed(
        "T x, U y", "V z", "z = (V)((long long)x * 3 + (long long)y + i % 5)", "loops_counted");
    const Placed x = place_form<T>(device, call.x, call.loop, 3);
    const Placed y = place_form<U>(device, call.y, call.loop, 11);
    const Placed z = place_form<V>(device, call.z, call.loop, 0);
    (counted ? indexed : plain)
        .call(std::vector<Argument>{x.array, y.array},
              {.outputs = {z.array}, .block_size = call.block_size});
    const std::vector<T> x_values = x.values<T>();
    const std::vector<U> y_values = y.values<U>();
    const std::vector<V> found = z.values<V>();
    // Returns the C-order index in x or y of each element of the loop.
    const auto places = [&](const Form& form) {
        const Dims shape = form.shape(call.loop);
        Dims strides = Dims::filled(shape.rank(), 0);
        std::int64_t stride = 1;
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            if (shape[axis] > 1) strides[axis] = stride;
            stride *= shape[axis];
        }
        return offsets_of(call.loop, strides);
    };
    const std::vector<std::int64_t> x_at = places(call.x);
    const std::vector<std::int64_t> y_at = places(call.y);
    for (std::size_t k = 0; k < found.size(); ++k) {
        const auto expected =
            static_cast<std::int64_t>(x_values[static_cast<std::size_t>(x_at[k])]) * 3 +
            static_cast<std::int64_t>(y_values[static_cast<std::size_t>(y_at[k])]) +
            (counted ? static_cast<std::int64_t>(k % 5) : 0);
        if (found[k] != static_cast<V>(expected)) return false;
    }
    return z.is_clean_around();
}

using Check = bool (*)(Device, const Call&, bool);
const std::vector<Check>& checks() {
    static const std::vector<Check> list = {
        is_right<std::uint8_t, std::uint8_t, std::uint8_t>,
        is_right<std::int16_t, std::int16_t, std::int16_t>,
        is_right<float, float, float>,
        is_right<double, double, double>,
        is_right<std::uint8_t, float, double>,
        is_right<float, std::uint8_t, std::int16_t>,
        is_right<double, std::int16_t, float>,
    };
    return list;
}

// Runs each call with the next `rounds` combinations of dtypes.
void check_all(const std::vector<Call>& calls, std::size_t rounds) {
    for (const Device device : present_devices()) {
        std::size_t next = 0;
        int wrong = 0;
        for (const Call& call : calls) {
            for (std::size_t round = 0; round < rounds && wrong < 5; ++round, ++next) {
                const bool counted = next % 4 == 3;
                if (checks()[next % checks().size()](device, call, counted)) continue;
                ++wrong;
                FAIL_CHECK(to_text(device) << ", dtypes " << next % checks().size()
                                           << (counted ? ", counted: " : ": ") << describe(call));
            }
        }
        CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("transposed inputs are right around every size of a tile") {
    const std::vector<std::int64_t> sizes = {
        2, 3, 5, 8, 15, 16, 17, 32, 33, 64, 65, 127, 128, 129, 256, 257};
    std::vector<Call> calls;
    for (const std::int64_t a : sizes) {
        for (const std::int64_t b : sizes) {
            // The loop has a few more than the 4096 elements that tiles need. A large matrix is
            // the only one, small ones are repeated.
            const std::int64_t matrices = a * b > 6000 ? 1 : 4200 / (a * b) + 1;
            Call call({matrices, b, a});
            call.x.order = {0, 2, 1};
            call.y.stretched[static_cast<std::size_t>((a + b) % 3)] = true;
            calls.push_back(call);
        }
    }
    check_all(calls, 1);
}

TEST_CASE("tiles are right for every dtype, both inputs transposed, and any block") {
    std::vector<Call> calls;
    for (const auto& [a, b] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {128, 64}, {96, 80}, {72, 130}, {61, 83}, {1000, 6}, {24, 300}}) {
        for (const int block : {0, 1, 33, 96, 1024}) {
            Call call({b, a});
            call.x.order = {1, 0};
            if (block % 2 == 0) call.y.order = {1, 0};
            if (block == 96) call.x.backwards[0] = true;
            if (block == 1024) call.z.gaps[1] = 8;
            if (block != 0) call.block_size = block;
            calls.push_back(call);
        }
    }
    check_all(calls, checks().size());
}

TEST_CASE("rows are right around whole vectors, with every way of broadcasting") {
    std::vector<Call> calls;
    for (const std::int64_t rows : {1, 2, 3, 4, 5}) {
        for (const std::int64_t columns : {1, 2, 3, 4, 7, 8, 15, 16, 17, 32, 48, 256, 1023, 1024}) {
            for (int way = 0; way < 6; ++way) {
                Call call({3, rows, columns});
                if (way == 0) call.y.stretched[1] = true;                        // a row
                if (way == 1) call.y.stretched[2] = true;                        // a column
                if (way == 2) call.x.stretched[2] = call.y.stretched[1] = true;  // outer product
                if (way == 3) call.x.gaps[2] = 16;  // rows with padding
                if (way == 4) call.x.backwards[2] = true;
                if (way == 5) call.z.gaps[2] = call.x.gaps[2] = 1;  // rows that are never aligned
                calls.push_back(call);
            }
        }
    }
    check_all(calls, 1);
}

TEST_CASE("misaligned arrays are right at every length around a block's share") {
    Random random(5);
    std::vector<Call> calls;
    for (const std::int64_t vector : {2, 4, 8, 16}) {
        for (const std::int64_t base : {vector, 256 * vector, 512 * vector}) {
            for (const std::int64_t count : {base - 1, base, base + 1, base + vector + 1}) {
                for (const std::int64_t shift : {1, 2, 3, 7, 8, 13, 15}) {
                    Call call({count});
                    call.z.shift = shift;
                    call.x.shift = pick(random, 0, 1) == 0 ? shift : pick(random, 0, 15);
                    call.y.shift = pick(random, 0, 1) == 0 ? shift : pick(random, 0, 15);
                    calls.push_back(call);
                }
            }
        }
    }
    check_all(calls, 1);
}

TEST_CASE("random large layouts of up to six axes are right") {
    Random random(20261121);
    std::vector<Call> calls;
    for (int run = 0; run < rounds(100); ++run) {
        Dims loop;
        const auto rank = static_cast<int>(pick(random, 2, 6));
        std::int64_t count = 1;
        for (int axis = 0; axis < rank; ++axis) {
            const std::int64_t most = std::max<std::int64_t>(20000 / count, 1);
            const std::int64_t extent = std::min(
                most, pick(random, 0, 2) == 0 ? 4 * pick(random, 1, 40) : pick(random, 1, 70));
            loop.push_back(extent);
            count *= extent;
        }
        Call call(loop);
        for (Form* form : {&call.x, &call.y, &call.z}) {
            if (pick(random, 0, 2) != 0)
                std::shuffle(form->order.begin(), form->order.end(), random);
            if (form == &call.z && pick(random, 0, 1) == 0) form->order = axis_order(rank);
            for (std::size_t axis = 0; axis < loop.size(); ++axis) {
                if (pick(random, 0, 7) == 0)
                    form->gaps[axis] = 4 * pick(random, 0, 2) + pick(random, 0, 1);
                if (pick(random, 0, 9) == 0) form->backwards[axis] = true;
                if (form != &call.z && pick(random, 0, 7) == 0) form->stretched[axis] = true;
            }
            if (pick(random, 0, 3) == 0) form->shift = pick(random, 0, 15);
        }
        if (pick(random, 0, 9) == 0) call.block_size = static_cast<int>(pick(random, 1, 1024));
        calls.push_back(call);
    }
    check_all(calls, 1);
}
