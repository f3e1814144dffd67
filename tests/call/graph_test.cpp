// SPDX-License-Identifier: MIT
//
// Graphs on every device that is present. Captured work runs at each launch and not before. The
// graph keeps the memory that it needs, even if all handles are gone.
#include <functional>
#include <kgen/kgen.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::indexing;
using test::present_devices;

namespace {

using Floats = std::vector<float>;

const ElementwiseKernel& twice() {
    static const ElementwiseKernel kernel("T x", "T y", "y = x + x", "graph_twice");
    return kernel;
}

const ElementwiseKernel& add() {
    static const ElementwiseKernel kernel("T x, T y", "T z", "z = x + y", "graph_add");
    return kernel;
}

const ReductionKernel& sum() {
    static const ReductionKernel kernel("T x", "T y", "x", "a + b", "y = a", "0", "graph_sum");
    return kernel;
}

// A device with a stream of its own and functions that create arrays outside of captures.
struct Place {
    explicit Place(Device where) : device(where), stream(Stream::create(where)) {}

    Array array(const Floats& values) const { return from_vector(values, {.device = device}); }
    Array zeros_like(std::int64_t count) const { return zeros({count}, float32, {device}); }
    // Returns the elements of the array after all work of the stream and of the current stream is done.
    Floats values(const Array& x) const {
        stream.synchronize();
        current_stream(device).synchronize();
        return x.to_vector<float>();
    }
    Floats launch(const Graph& graph, const Array& result) const {
        current_stream(device).synchronize();  // the inputs are made on the current stream
        graph.launch(stream);
        return values(result);
    }
    std::string waits() const {
        return to_text(device) +
               ": cannot wait for a stream that is being captured, because its work runs only when "
               "the graph is launched: read results (item(), to_vector()), copy from the host and "
               "synchronize before the capture or after the launch";
    }

    Device device;
    Stream stream;
};

// Overwrites memory that was freed on the stream, if its pool reuses it.
void disturb(const Place& place, std::int64_t count) {
    const StreamScope scope(place.stream);
    std::vector<Array> arrays;
    for (int k = 0; k < 20; ++k) arrays.push_back(full({count}, -1, float32, {place.device}));
    place.stream.synchronize();
}

}  // namespace

TEST_CASE("captured work runs at each launch and not before, and sees its inputs as they are then",
          "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = place.array({1, 2, 3});
        const Array y = place.zeros_like(3);
        const Graph graph = capture(place.stream, [&] {
            const Array four = twice()(twice()(x));
            add()(four, 1, out(y));
        });
        CHECK(place.values(y) == Floats{0, 0, 0});
        CHECK(graph.device() == device);
        CHECK(graph.node_count() == 3);
        CHECK((graph.handle() != nullptr) == (device.kind() == DeviceKind::cuda));
        CHECK(place.launch(graph, y) == Floats{5, 9, 13});
        x.assign(place.array({10, 20, 30}));
        CHECK(place.launch(graph, y) == Floats{41, 81, 121});
        CHECK(place.launch(graph, y) == Floats{41, 81, 121});
    }
}

TEST_CASE("a graph keeps the arrays that it uses, also those that came and went in its work",
          "[graph]") {
    constexpr std::int64_t count = 3000000;  // large enough to be kept by the pools
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array result = place.zeros_like(1);
        std::optional<Graph> graph;
        {
            const Array x = full({count}, 2, float32, {device});
            current_stream(device).synchronize();
            graph = capture(place.stream, [&] {
                const Array four = twice()(x);
                const Array eight = twice()(four);
                sum()(add()(eight, four), out(result), axis(0), keepdims);
            });
        }
        for (int round = 0; round < 3; ++round) {
            disturb(place, count);
            CHECK(place.launch(*graph, result) == Floats{12 * count});
        }
        const Graph copy = *graph;
        graph.reset();
        CHECK(place.launch(copy, result) == Floats{12 * count});
    }
}

TEST_CASE("an array that is made in a capture has its elements after the launch", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = place.array({1, 2});
        Array made;
        {
            const Graph graph = capture(place.stream, [&] { made = twice()(x); });
            CHECK(place.launch(graph, made) == Floats{2, 4});
        }
        // The array is an ordinary one after the graph is destroyed.
        const StreamScope scope(place.stream);
        CHECK(twice()(made).to_vector<float>() == Floats{4, 8});
    }
}

TEST_CASE("reductions that are captured have scratch memory of their own", "[graph][reduction]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = full({7, 90001}, 1, float32, {device});
        const Array tall = full({90001, 7}, 1, float32, {device});
        const Array all = place.zeros_like(1);
        const Array rows = place.zeros_like(7);
        const Array columns = place.zeros_like(7);
        current_stream(device).synchronize();
        const Graph graph = capture(place.stream, [&] {
            sum()(x, out(all.reshape({})));
            sum()(x, axis(1), out(rows));
            sum()(tall, axis(0), out(columns));
        });
        for (int round = 0; round < 3; ++round) {
            graph.launch(place.stream);
            // This call runs beside the graph's reductions, on the same thread and stream.
            const Array eager = sum()(tall, on(place.stream));
            graph.launch(place.stream);
            CHECK(place.values(eager.reshape({1})) == Floats{630007});
            CHECK(place.values(all) == Floats{630007});
            CHECK(place.values(rows) == Floats(7, 90001));
            CHECK(place.values(columns) == Floats(7, 90001));
        }
    }
}

TEST_CASE("a bound launch can be captured, and its graph outlives it", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = full({7, 90001}, 1, float32, {device});
        const Array total = place.zeros_like(1);
        current_stream(device).synchronize();
        std::optional<BoundLaunch> bound =
            sum().bind(twice()(x), out(total.reshape({})), on(place.stream));
        const Graph graph = capture(place.stream, [&] {
            bound->launch();
            bound->launch();
        });
        CHECK(graph.node_count() == 2);
        bound.reset();
        disturb(place, 7 * 90001);
        CHECK(place.launch(graph, total) == Floats{1260014});
        CHECK(place.launch(graph, total) == Floats{1260014});
    }
}

TEST_CASE("copies, fills and conversions are captured", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = arange(6, float32, {device}).reshape({2, 3});
        const Array copied = place.zeros_like(6);
        const Array turned = zeros({3, 2}, float32, {device});
        const Array converted = zeros({2, 3}, float64, {device});
        const Array filled = place.zeros_like(4);
        const Array counted = place.zeros_like(4);
        const Array cleared = full({4}, 7, float32, {device});
        const Array spaced = place.zeros_like(4);
        const Array stacked = zeros({3, 2}, float32, {device});
        const Graph graph = capture(place.stream, [&] {
            copied.reshape({2, 3}).assign(x);
            turned.assign(x.transpose());
            converted.assign(x.copy(Order::f));
            filled.assign(full({4}, 3, float32, {device}));
            filled.set(-1, 5);
            counted.assign(arange(4, float32, {device}));
            cleared.assign(zeros({4}, float32, {device}));
            spaced.assign(linspace(0, 6, 4, float32, {.device = device}));
            stacked.assign(stack({x[0], x[1]}, 1));
        });
        CHECK(place.values(copied) == Floats(6, 0));
        CHECK(place.values(filled) == Floats(4, 0));
        CHECK(place.values(cleared) == Floats(4, 7));
        for (const float factor : {1.0F, 2.0F}) {
            x.assign(place.array({0, factor, 2, 3, 4, 5}).reshape({2, 3}));
            CHECK(place.launch(graph, copied) == Floats{0, factor, 2, 3, 4, 5});
            CHECK(place.values(turned) == Floats{0, 3, factor, 4, 2, 5});
            CHECK(converted.to_vector<double>() == std::vector<double>{0, factor, 2, 3, 4, 5});
            CHECK(place.values(filled) == Floats{3, 3, 3, 5});
            CHECK(place.values(counted) == Floats{0, 1, 2, 3});
            CHECK(place.values(cleared) == Floats(4, 0));
            CHECK(place.values(spaced) == Floats{0, 2, 4, 6});
            CHECK(place.values(stacked) == Floats{0, 3, factor, 4, 2, 5});
        }
    }
}

TEST_CASE("launches of raw kernels are captured, bound ones too", "[graph][raw]") {
    const char* code = R"(
template <typename T> __global__ void turn(T* x, int n) {
    extern __shared__ float kept[];
    kept[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = kept[n - 1 - threadIdx.x];
}
__global__ void scale(float* x, float factor, int n) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) x[k] *= factor;
}
)";
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        Array x = place.array({1, 2, 3, 4});
        const Array result = place.zeros_like(4);
        std::optional<Graph> graph;
        {
            const RawModule module(code, {.names = {"turn<float>"}});
            const RawKernel turn = module.kernel("turn<float>");
            const RawKernel scale = module.kernel("scale");
            const LaunchConfig shared = {.block = {4}, .shared_bytes = 16};
            const BoundLaunch bound =
                scale.bind({.grid = {2}, .block = {2}, .stream = place.stream}, x, 10, 4);
            current_stream(device).synchronize();
            graph = capture(place.stream, [&] {
                turn.launch(shared, x, 4);
                bound.launch();
                result.assign(x);
            });
            CHECK(place.values(x) == Floats{1, 2, 3, 4});
            x = Array();
        }
        disturb(place, 4);
        CHECK(graph->node_count() == 3);
        CHECK(place.launch(*graph, result) == Floats{40, 30, 20, 10});
        CHECK(place.launch(*graph, result) == Floats{100, 200, 300, 400});
    }
}

TEST_CASE("a host function in a graph is called at each launch and destroyed once", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        auto calls = std::make_shared<std::vector<int>>();
        {
            const Graph graph = capture(place.stream, [&] {
                place.stream.call_on_host([calls] { calls->push_back(1); });
                place.stream.call_on_host([calls] { calls->push_back(2); });
            });
            CHECK(calls->empty());
            CHECK(calls.use_count() == 3);
            for (int round = 0; round < 3; ++round) graph.launch(place.stream);
            place.stream.synchronize();
            CHECK(*calls == std::vector<int>{1, 2, 1, 2, 1, 2});
            CHECK(calls.use_count() == 3);
        }
        // On CUDA the driver reports the graph's end on a thread of its own. A later call of
        // kgen then destroys the functions.
        for (int wait = 0; wait < 1000 && calls.use_count() > 1; ++wait) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            place.stream.synchronize();
        }
        CHECK(calls.use_count() == 1);
    }
}

TEST_CASE("a kernel that is not compiled yet is compiled in the capture", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = place.array({1, 2, 3});
        const Array y = place.zeros_like(3);
        const ElementwiseKernel first(
            "T x", "T y", "y = 7 * x - " + std::to_string(device.ordinal()), "graph_first_use");
        const Graph graph = capture(place.stream, [&] { first(x, out(y)); });
        CHECK(place.launch(graph, y) == Floats{7, 14, 21});
    }
}

TEST_CASE("a graph that is launched in a capture becomes a part of the other", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = place.array({1, 2, 3});
        std::optional<Graph> outer;
        {
            const Graph inner = capture(place.stream, [&] { x.assign(twice()(x)); });
            outer = capture(place.stream, [&] {
                inner.launch();
                inner.launch(place.stream);
            });
        }
        disturb(place, 3);
        CHECK(place.launch(*outer, x) == Floats{4, 8, 12});
        CHECK(place.launch(*outer, x) == Floats{16, 32, 48});
    }
}

TEST_CASE("streams that wait for the captured one are captured with it", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Stream side = Stream::create(device);
        const Array x = place.array({1, 2, 3});
        const Array y = place.zeros_like(3);
        const Array z = place.zeros_like(3);
        current_stream(device).synchronize();
        const Graph graph = capture(place.stream, [&] {
            side.wait(place.stream);
            twice()(x, out(y), on(side));
            twice()(x, out(z));
            place.stream.wait(side);
            add()(y, z, out(z));
        });
        CHECK(place.values(y) == Floats{0, 0, 0});
        CHECK(place.launch(graph, z) == Floats{4, 8, 12});
        twice()(x, out(y), on(side));  // this stream is no longer captured
        side.synchronize();
        CHECK(place.values(y) == Floats{2, 4, 6});
    }
}

TEST_CASE("a stream is captured while another is", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place outside(device);
        const Place inside(device);
        const Array x = outside.array({1, 2, 3});
        const Array y = outside.zeros_like(3);
        const Array z = outside.zeros_like(3);
        std::optional<Graph> inner;
        const Graph outer = capture(outside.stream, [&] {
            twice()(x, out(y));
            inner = capture(inside.stream, [&] {
                twice()(x, out(z));
                twice()(y, out(y), on(outside.stream));  // part of the outer capture
            });
        });
        CHECK(inner->node_count() == 1);
        CHECK(outer.node_count() == 2);
        CHECK(outside.launch(outer, y) == Floats{4, 8, 12});
        CHECK(outside.values(z) == Floats{0, 0, 0});
        CHECK(inside.launch(*inner, z) == Floats{2, 4, 6});
    }
}

TEST_CASE("what the work throws ends the capture and leaves the stream as it was", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = place.array({1, 2, 3});
        const Array y = place.zeros_like(3);
        const Stream before = current_stream(device);
        CHECK_THROWS_AS(capture(place.stream,
                                [&] {
                                    twice()(x, out(y));
                                    throw std::runtime_error("enough");
                                }),
                        std::runtime_error);
        CHECK(current_stream(device) == before);
        CHECK(place.values(y) == Floats{0, 0, 0});
        twice()(x, out(y), on(place.stream));
        CHECK(place.values(y) == Floats{2, 4, 6});
        const Graph graph = capture(place.stream, [&] { twice()(y, out(y)); });
        CHECK(place.launch(graph, y) == Floats{4, 8, 12});
    }
}

TEST_CASE("what needs a result at once is refused in a capture, which stays valid", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = place.array({1, 2, 3});
        const Array y = place.zeros_like(3);
        const std::vector<std::pair<const char*, std::function<void()>>> rows = {
            {"item", [&] { static_cast<void>(y[0].item<float>()); }},
            {"to_vector", [&] { static_cast<void>(y.to_vector<float>()); }},
            {"to_vector of a view",
             [&] {
                 x.reshape({3, 1}).transpose().to_vector<float>();
             }},
            {"to_text", [&] { static_cast<void>(to_text(y)); }},
            {"from_vector", [&] { place.array({1}); }},
            {"synchronize", [&] { place.stream.synchronize(); }},
            {"device", [&] { synchronize(device); }},
            {"is_idle", [&] { static_cast<void>(place.stream.is_idle()); }},
        };
        const Graph graph = capture(place.stream, [&] {
            for (const auto& row : rows) {
                INFO(row.first);
                CHECK(KGEN_MESSAGE_OF(DeviceError, row.second()) == place.waits());
            }
            twice()(x, out(y));
            for (const auto& [name, wait] : rows) CHECK_THROWS_AS(wait(), DeviceError);
        });
        CHECK(graph.node_count() == 1);
        CHECK(place.launch(graph, y) == Floats{2, 4, 6});
        CHECK(KGEN_MESSAGE_OF(DeviceError, capture(place.stream, [&] {
                                  static_cast<void>(y[0].item<float>());
                              })) == place.waits());
    }
}

TEST_CASE("an event that was recorded in a capture has no time and cannot be awaited", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const std::string message =
            to_text(device) +
            ": an event that was last recorded in a capture has no time, and the host cannot wait "
            "for it: record it again after the launch";
        Event first(device);
        Event event(device);
        first.record(place.stream);
        const Array x = place.array({1});
        const Graph graph = capture(place.stream, [&] {
            event.record();
            CHECK(KGEN_MESSAGE_OF(DeviceError, event.synchronize()) == message);
            CHECK(KGEN_MESSAGE_OF(DeviceError, event.is_done()) == message);
            x.assign(twice()(x));
        });
        CHECK(KGEN_MESSAGE_OF(DeviceError, event.synchronize()) == message);
        CHECK(place.launch(graph, x) == Floats{2});
        event.record(place.stream);
        event.synchronize();
        CHECK(event.elapsed_ms(first) >= 0);
    }
}

TEST_CASE("captures that cannot be are refused", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const std::string name = to_text(device);
        CHECK(KGEN_MESSAGE_OF(DeviceError, capture(Stream::legacy(device), [] {})) ==
              name +
                  ": the legacy default stream cannot be captured: capture a stream of "
                  "Stream::create()");
        CHECK(KGEN_MESSAGE_OF(DeviceError, capture(place.stream, nullptr)) ==
              "capture: the function to capture is empty; pass one that can be called");
        const Array x = place.array({1});
        const Graph graph = capture(place.stream, [&] {
            CHECK(KGEN_MESSAGE_OF(DeviceError, capture(place.stream, [] {})) ==
                  name +
                      ": the stream is already being captured: end that capture first, or capture "
                      "another stream");
            x.assign(twice()(x));
        });
        CHECK(place.launch(graph, x) == Floats{2});
        const Device other = device.kind() == DeviceKind::host ? Device::cuda(0) : Device::host();
        CHECK(KGEN_MESSAGE_OF(DeviceError, graph.launch(Stream::legacy(other))) ==
              "the graph is on " + name + ", but the stream is on " + to_text(other));
    }
}

TEST_CASE("a capture that took nothing down is an error", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const std::string expected = to_text(device) +
                                     ": the graph is empty: nothing was queued in the captured "
                                     "stream; calls without elements launch nothing";
        CHECK(KGEN_MESSAGE_OF(DeviceError, capture(place.stream, [] {})) == expected);
        const Array none = place.zeros_like(0);
        CHECK(KGEN_MESSAGE_OF(DeviceError, capture(place.stream, [&] { twice()(none); })) ==
              expected);
        const Array x = place.array({1});
        CHECK(place.launch(capture(place.stream, [&] { twice()(x, out(x)); }), x) == Floats{2});
    }
}

TEST_CASE("work for a stream that the capture does not own is refused in it, and nothing runs",
          "[graph]") {
    const char* text = "extern \"C\" __global__ void outside(float* x) { x[threadIdx.x] = 9; }";
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Stream other = Stream::create(device);
        const Array x = place.array({1, 2});
        const Array y = place.array({0, 0});
        const RawKernel raw(text, "outside");
        const BoundLaunch bound = twice().bind(x, out(y));
        const BoundLaunch bound_sum = sum().bind(x, out(y[s(0, 1)]), keepdims, on(other));
        const BoundLaunch bound_raw = raw.bind({.grid = {1}, .block = {2}, .stream = other}, y);
        const Graph graph = capture(other, [&] { twice()(x, out(y)); });
        current_stream(device).synchronize();
        bool was_called = false;
        const std::vector<std::function<void()>> calls = {
            [&] { bound(); },
            [&] { bound_sum(); },
            [&] { bound_raw(); },
            [&] { twice()(x, out(y), on(other)); },
            [&] { sum()(x, out(y[s(0, 1)]), keepdims, on(other)); },
            [&] { raw.launch({.grid = {1}, .block = {2}, .stream = other}, y); },
            [&] { graph.launch(other); },
            [&] { graph.launch(Stream::legacy(device)); },
            [&] { other.call_on_host([&] { was_called = true; }); },
            [&] {
                const StreamScope scope(other);
                y.assign(x);
            },
            [&] {
                const StreamScope scope(other);
                y[0] = 3;
            },
            [&] {
                const StreamScope scope(other);
                y[s({}, {}, -1)] = x;
            },
            [&] {
                const StreamScope scope(other);
                place.array({1, 2});
            },
        };
        const std::string expected =
            to_text(device) +
            ": cannot use a stream that is not being captured on a thread that captures another: "
            "the work would run at once and be missing in the graph; call or bind the kernel with "
            "on(stream) of the captured stream, or let the other stream wait for the captured one "
            "first";
        for (std::size_t k = 0; k < calls.size(); ++k) {
            CAPTURE(k);
            // The capture continues and contains the other work.
            std::string message;
            const Array z = place.zeros_like(2);
            const Graph rest = capture(place.stream, [&] {
                message = KGEN_MESSAGE_OF(DeviceError, calls[k]());
                add()(x, 1, out(z));
            });
            CHECK(message == expected);
            CHECK(rest.node_count() == 1);
            other.synchronize();
            CHECK(place.values(y) == Floats{0, 0});
            CHECK(place.launch(rest, z) == Floats{2, 3});
        }
        CHECK(!was_called);
        // Work on a stream that waits for the captured stream becomes a part of the graph.
        const Graph joined = capture(place.stream, [&] {
            other.wait(place.stream);
            bound_raw();
            place.stream.wait(other);
        });
        CHECK(place.values(y) == Floats{0, 0});
        CHECK(place.launch(joined, y) == Floats{9, 9});
    }
}

TEST_CASE("an array may be dropped in a capture that does not use it", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Place place(device);
        const Array x = place.array({1});
        std::vector<Array> unused(3);
        unused[0] = place.array({1, 2, 3});
        twice()(unused[0], on(place.stream));  // its home stream, the legacy one, must wait
        {
            const StreamScope scope(place.stream);
            unused[1] = place.array({1, 2, 3});
        }
        unused[2] = place.array({4});
        const Graph graph = capture(place.stream, [&] {
            unused.clear();
            x.assign(twice()(x));
        });
        CHECK(place.launch(graph, x) == Floats{2});
    }
}

TEST_CASE("an exception of a captured call is thrown by the launch on the host", "[graph]") {
    const Place place(Device::host());
    const ElementwiseKernel divide("int32 x, int32 y", "int32 z", "z = x / y", "graph_divide");
    const Array x = full({4}, 6, int32, {place.device});
    const Array y = full({4}, 3, int32, {place.device});
    const Array z = zeros({4}, int32, {place.device});
    const Graph graph = capture(place.stream, [&] { divide(x, y, out(z)); });
    graph.launch();
    CHECK(z[3].item<int>() == 2);
    y.assign(zeros({4}, int32, {place.device}));
    CHECK(
        KGEN_MESSAGE_OF(Error, graph.launch()) ==
        "kernel 'graph_divide': integer division by zero: 6 / 0 at graph_divide (operation)(1:7)");
    y.assign(full({4}, 1, int32, {place.device}));
    graph.launch();
    CHECK(z[3].item<int>() == 6);
}
