// SPDX-License-Identifier: MIT
//
// Statements on streams and in captures of a GPU: they behave as if each operator had run at once.
#include <kgen/kgen.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

bool has_gpu() {
    if (device_count(DeviceKind::cuda) > 0) return true;
    WARN("skipped: this test needs a GPU");
    return false;
}

}  // namespace

TEST_CASE("gpu: a statement runs on the stream that is current, or that on() names",
          "[expression][gpu]") {
    if (!has_gpu()) return;
    const Stream stream = Stream::create();
    const Array x = arange(1 << 12, float32);
    Array z = zeros({1 << 12}, float32);
    const Array twice = x * 2;
    stream.wait(current_stream());
    for (int k = 0; k < 20; ++k) compute(z + twice, out(z), on(stream));
    {
        const StreamScope scope(stream);
        z -= x;
        z.assign(z - max(z) + 1);  // two kernels
    }
    stream.synchronize();
    CHECK(z.to_vector<float>().back() == 1);
    CHECK(z.to_vector<float>().front() == 1 - 39 * 4095);
}

TEST_CASE("gpu: captured statements are replayed with what the arrays then hold",
          "[expression][gpu]") {
    if (!has_gpu()) return;
    const Stream stream = Stream::create();
    const Array x = arange(1000, float32);
    Array y = zeros({1000}, float32);
    Array total = zeros({}, float32);
    const auto step = [&] {
        y += x;
        const Array centred = y - mean(y, keepdims);  // memory of the graph
        total.assign(sum(centred * centred));
    };
    step();  // compiles the kernels
    synchronize();
    const Graph graph = capture(stream, step);
    for (int k = 0; k < 3; ++k) graph.launch(stream);
    stream.synchronize();
    // y is 4 x: the sum of squares is 16 (n^3 - n) / 12.
    CHECK(total.item<float>() == Approx(16.0 * (1e9 - 1e3) / 12));
    CHECK(array_equal(y, Array(x * 4)));
}
