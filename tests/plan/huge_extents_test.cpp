// SPDX-License-Identifier: MIT
//
// If one extent is 0, the array is accepted even if the product of the others overflows.
#include <algorithm>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr std::int64_t two_40 = std::int64_t{1} << 40;

class Shapes {
public:
    explicit Shapes(unsigned seed) : random_(seed) {}

    // Returns a shape in which at least one extent is 0.
    Dims next() {
        static constexpr std::int64_t extents[] = {1, 2, 3, 1 << 20, two_40, std::int64_t{1} << 62};
        Dims shape = Dims::filled(pick(1, 6), 0);
        for (std::int64_t& extent : shape) extent = extents[pick(0, 5)];
        shape[pick(0, shape.rank() - 1)] = 0;
        return shape;
    }
    // Returns strides that libraries give to arrays without elements: C order, which may overflow, or others.
    Dims strides_of(const Dims& shape) {
        if (pick(0, 4) == 0) return Dims::filled(shape.rank(), std::int64_t{1} << pick(2, 62));
        Dims strides = Dims::filled(shape.rank(), 0);
        std::uint64_t stride = 4;
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            strides[axis] = static_cast<std::int64_t>(stride) * (pick(0, 9) == 0 ? -1 : 1);
            stride *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape[axis], 1));
            if (stride > std::uint64_t{1} << 62) stride = 0;
        }
        return strides;
    }
    int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

private:
    std::mt19937 random_;
};

Array array_of(const Dims& shape, const Dims& strides, Device device) {
    void* const none = nullptr;
    return Array::view(none, float32, shape, {.device = device, .strides = strides});
}

// Planning for a GPU needs no GPU.
const TargetOptions targets[] = {{.device = Device::cuda(0), .arch = "sm_90"},
                                 {.device = Device::host(), .arch = {}}};

}  // namespace

TEST_CASE("extents of any size stand beside one of 0", "[plan][random]") {
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "huge_add");
    const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "huge_sum");
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    Shapes shapes(seed);
    constexpr int calls = 4;  // each call compiles kernels
    for (int trial = 0; trial < rounds(200); ++trial) {
        const Dims shape = shapes.next();
        const Dims strides = shapes.strides_of(shape);
        INFO("shape " << to_text(shape) << ", strides " << to_text(strides));
        CallOptions options{.axes = std::vector<int>()};
        Dims kept;
        for (int axis = 0; axis < shape.rank(); ++axis) {
            if (shape[axis] > 3 || shapes.pick(0, 1) == 0)
                options.axes->push_back(axis);
            else
                kept.push_back(shape[axis]);
        }
        const Argument spec = ArraySpec{.dtype = float32, .shape = shape, .strides = strides};
        for (const TargetOptions& target : targets) {
            CHECK_FALSE(add.explain({{spec, spec}}, {}, target).plan.empty());
            CHECK_FALSE(sum.explain({{spec}}, options, target).plan.empty());
        }
        if (trial >= calls) continue;
        for (const Device device : present_devices()) {
            const Array x = array_of(shape, strides, device);
            CHECK(add(x, x).shape() == shape);
            const Array folded = sum(x, axis(*options.axes));
            CHECK(folded.shape() == kept);
            CHECK(array_equal(folded.to(Device::host()),
                              zeros(kept, float32, {.device = Device::host()})));
        }
    }
}
