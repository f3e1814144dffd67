// SPDX-License-Identifier: MIT
//
// A stream is a queue of work. Work in one stream runs in order, work in two streams may run at the same
// time. An event is a point in a stream. A program or another stream can wait for it, and the time between
// two events can be measured. On the host each call is complete on return.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

namespace {

const ElementwiseKernel line("T x", "T y", "y = 2 * x + 1", "line");

void show_streams_and_events() {
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    const Array x = arange(5, float32);

    // New streams do not wait for the default stream, which computes x.
    const Stream left = Stream::create();
    const Stream right = Stream::create();
    left.wait(current_stream());
    right.wait(current_stream());

    Event begin;
    begin.record(left);
    const Array once = line(x, on(left));  // on() sends one call to a stream
    Array twice;
    {
        const StreamScope scope(right);  // sends all calls of this block to a stream
        twice = line(line(x));
    }
    left.wait(right);  // left waits for the work given to right so far; the program does not wait
    const Array sum = add(once, twice, on(left));
    Event end;
    end.record(left);

    end.synchronize();  // now the program waits
    fmt::print("{}, in no negative time: {}\n", sum, end.elapsed_ms(begin) >= 0);
}

// While one part of the data is computed, the next part is copied to the GPU and the previous result is
// copied back.
void show_overlap() {
    constexpr std::int64_t parts = 8;
    constexpr std::int64_t part = 1 << 18;
    const bool on_gpu = current_device().kind() == DeviceKind::cuda;
    const ArrayOptions on_host{.device = Device::host()};
    // A GPU copies pinned memory without the CPU. Without a GPU, plain memory of the host will do.
    const auto staging = [&] {
        return on_gpu ? empty_pinned({parts, part}, float32)
                      : empty({parts, part}, float32, on_host);
    };
    const Array given = staging();
    const Array results = staging();
    given.assign(arange(parts * part, float32, on_host).reshape({parts, part}));

    struct Lane {
        Stream stream = Stream::create();
        Array input = empty({part}, float32);
        Array output = empty({part}, float32);
    };
    const Lane lanes[2];
    for (const Lane& lane : lanes) lane.stream.wait(current_stream());

    Event begin;
    begin.record();
    for (std::int64_t k = 0; k < parts; ++k) {
        const Lane& lane = lanes[k % 2];  // the stream's order protects the lane's two arrays
        copy_async(lane.input, given[k], lane.stream);
        line(lane.input, out(lane.output), on(lane.stream));
        copy_async(results[k], lane.output, lane.stream);
    }
    for (const Lane& lane : lanes) current_stream().wait(lane.stream);
    Event end;
    end.record();
    end.synchronize();
    fmt::print(stderr,
               "{} parts on {}: {:.3f} ms\n",
               parts,
               to_text(current_device()),
               end.elapsed_ms(begin));
    fmt::print("{} results are right: {}\n", results.size(), array_equal(results, line(given)));
}

}  // namespace

int main() {
    show_streams_and_events();
    show_overlap();
}

// Output:
// [ 4. 10. 16. 22. 28.], in no negative time: true
// 2097152 results are right: true
