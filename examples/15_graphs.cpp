// SPDX-License-Identifier: MIT
//
// A chain of small kernels takes longer to launch than to run. A graph captures it once and replays it as a
// whole. The graph keeps everything alive that it uses, including arrays that were allocated during the
// capture.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    // One step of heat that flows along a rod. The ends keep their temperature.
    const ElementwiseKernel step(
        "raw float32 u",
        "float32 v",
        "v = i == 0 || i == n - 1 ? u[i] : (u[i - 1] + 2 * u[i] + u[i + 1]) / 4",
        "heat_step");
    const ReductionKernel warmest("T x", "T y", "x", "max(a, b)", "y = a", "", "warmest");
    const Array u = zeros({8}, float32);
    u[3].assign(full({}, 64, float32));
    const Array peak = zeros({}, float32);

    const Stream stream = Stream::create();
    current_stream().synchronize();  // the new stream does not wait for the default one
    const Graph graph = capture(stream, [&] {
        for (int k = 0; k < 2; ++k) {
            Array v = empty({8}, float32);  // this memory belongs to the graph
            step(u, out(v));
            u.assign(v);
        }
        warmest(u, out(peak));
    });
    fmt::print("nothing has run: {}\n", u);

    for (int k = 0; k < 3; ++k) {
        graph.launch(stream);
        stream.synchronize();
        fmt::print("{:>2} steps: {}, at most {}\n", 2 * k + 2, u, peak);
    }

    try {
        capture(stream, [&] { fmt::print("{}\n", peak); });  // printing waits for the stream
    } catch (const DeviceError& error) {
        fmt::print("refused: {}\n",
                   std::string(error.what()).find("being captured") != std::string::npos);
    }
}

// Output:
// nothing has run: [ 0.  0.  0. 64.  0.  0.  0.  0.]
//  2 steps: [ 0.  4. 16. 24. 16.  4.  0.  0.], at most 24.0
//  4 steps: [ 0.    6.75 14.   17.5  14.    7.    2.    0.  ], at most 17.5
//  6 steps: [ 0.        6.703125 12.1875   14.421875 12.375     7.71875   3.25
//   0.      ], at most 14.421875
// refused: true
