// SPDX-License-Identifier: MIT
//
// Reductions in graphs that another library captures, replayed between eager calls. Without a GPU the test
// reports that it was skipped.
#include <kgen/kgen.hpp>
#include <vector>

#include "support/captured_graph.hpp"
#include "support/catch.hpp"

using namespace kgen;
using test::CapturedGraph;

namespace {

bool has_gpu() {
    if (device_count(DeviceKind::cuda) > 0) return true;
    WARN("skipped: this test needs a GPU");
    return false;
}

// Returns whole numbers whose sums are exact in float32 in any order.
Array whole_numbers(const Dims& shape, std::int64_t factor) {
    ElementwiseKernel numbers("int64 factor", "float32 y", "y = (i * factor) % 5", "whole_numbers");
    Array result = empty(shape, float32, {Device::cuda(0)});
    numbers(factor, out(result));
    return result;
}

std::vector<float> sums(const Dims& shape, std::int64_t factor, int axis) {
    const std::int64_t rows = shape[0];
    const std::int64_t columns = shape[1];
    std::vector<float> result(static_cast<std::size_t>(axis == 0 ? columns : rows), 0);
    for (std::int64_t k = 0; k < rows * columns; ++k)
        result[static_cast<std::size_t>(axis == 0 ? k % columns : k / columns)] +=
            static_cast<float>(k * factor % 5);
    return result;
}

}  // namespace

TEST_CASE("gpu: captured reductions are replayed beside eager ones", "[cuda][gpu][reduction]") {
    if (!has_gpu()) return;
    const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "captured_sum");
    // The reductions are cut into pieces, whose partials meet in scratch memory.
    const Dims shape = {7, 90001};
    const Array x = whole_numbers(shape, 3);
    const Array other = whole_numbers(shape, 2);
    const Array rows = empty({7}, float32, {Device::cuda(0)});
    const Array columns = empty({90001}, float32, {Device::cuda(0)});
    const Array tall = whole_numbers({90001, 7}, 4);
    const Array narrow = empty({7}, float32, {Device::cuda(0)});
    const Array eager = empty({7}, float32, {Device::cuda(0)});
    synchronize(Device::cuda(0));
    const Stream stream = Stream::create(Device::cuda(0));
    // These are the first calls of their kind, so they compile and load during the capture.
    const CapturedGraph graph(stream.handle(), [&] {
        sum(x, axis(1), out(rows), on(stream));
        sum(x, axis(0), out(columns), on(stream));
        sum(tall, axis(0), out(narrow), on(stream));
        sum(x, axis(1), out(rows), on(stream));
    });
    for (int round = 0; round < 10; ++round) {
        graph.launch(stream.handle());
        sum(other, axis(1), out(eager), on(stream));
        graph.launch(stream.handle());
        stream.synchronize();
        CHECK(rows.to_vector<float>() == sums(shape, 3, 1));
        CHECK(columns.to_vector<float>() == sums(shape, 3, 0));
        CHECK(narrow.to_vector<float>() == sums({90001, 7}, 4, 0));
        CHECK(eager.to_vector<float>() == sums(shape, 2, 1));
    }
}
