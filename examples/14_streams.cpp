// SPDX-License-Identifier: MIT
//
// Streams are queues of work: what is in one runs in order, what is in two may run at the same time. Events are points in
// them: to wait for, and to measure between. On the host each call is complete on return, so that queues are always empty.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    const ElementwiseKernel wave(
        "T x, T phase", "T y", "y = sin(x + phase) * sin(x + phase)", "wave");
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    const Array x = arange(1 << 20, float64);

    // New streams do not wait for the default one, where x is made.
    const Stream left = Stream::create();
    const Stream right = Stream::create();
    left.wait(current_stream());
    right.wait(current_stream());

    Event begin;
    Event end;
    begin.record(left);
    // on() sends one call to a stream; its result belongs to the stream.
    const Array sines = wave(x, 0, on(left));
    // StreamScope sends all calls of a block.
    Array cosines;
    {
        const StreamScope scope(right);
        cosines = wave(x, 1.5707963267948966, out(empty(x.shape(), float64)));
    }
    // Both are needed now: left waits for what right was given so far. No thread of the program waits.
    left.wait(right);
    const Array ones = add(sines, cosines, on(left));
    end.record(left);
    left.call_on_host([] { fmt::print("all work before this is done\n"); });

    left.synchronize();
    fmt::print("done: {}, in no negative time: {}\n", end.is_done(), end.elapsed_ms(begin) >= 0);
    fmt::print(stderr, "on {}: {:.3f} ms\n", to_text(x.device()), end.elapsed_ms(begin));

    const ReductionKernel furthest(
        "T x", "T y", "fabs(x - 1)", "max(a, b)", "y = a", "0", "furthest");
    fmt::print("sin^2 + cos^2 is 1: {}\n", furthest(ones).item<double>() < 1e-9);

    // Memory is freed in the order of its stream: an array that another stream still uses may be dropped at once.
    Array result = empty(x.shape(), float64);
    {
        const Array temporary = wave(x, 1, on(left));
        right.wait(left);
        add(temporary, temporary, out(result), on(right));
    }
    right.synchronize();
    fmt::print("{:.4f}\n", result[0].item<double>());
}

// Output:
// all work before this is done
// done: true, in no negative time: true
// sin^2 + cos^2 is 1: true
// 1.4161
