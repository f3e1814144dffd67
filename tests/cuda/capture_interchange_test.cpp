// SPDX-License-Identifier: MIT
//
// Tests of memory that other libraries' captures or streams use, of launches that are bound during a capture,
// and of the current context of the caller's thread. They run on the fake CUDA driver
// (support/fake_cuda.hpp).
#include <functional>
#include <kgen/dlpack.hpp>
#include <kgen/kgen.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "support/fresh_driver.hpp"

using namespace kgen;

namespace {

constexpr int modes[] = {0, 1, 2};  // CUstreamCaptureMode: global, of the thread, relaxed

const ElementwiseKernel& next() {
    static const ElementwiseKernel kernel("float32 x", "float32 y", "y = x + 1", "next");
    return kernel;
}

void in_thread(const std::function<void()>& work) {
    std::thread(work).join();
}

}  // namespace

TEST_CASE("pinned memory stays as long as another library's graph copies it", "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const Stream own = Stream::create();
    for (const Stream& stream : {own, Stream::view(own.handle())}) {
        for (const bool to_device : {true, false}) {
            const Array on_device = zeros({1024}, float32);
            const void* memory = nullptr;
            void* graph = nullptr;
            {
                const Array pinned = empty_pinned({1024}, float32);
                memory = pinned.data();
                driver.fake.begin_capture(own.handle(), 2);
                if (to_device) {
                    copy_async(on_device, pinned, stream);
                } else {
                    copy_async(pinned, on_device, stream);
                }
                CHECK(driver.fake.end_capture(own.handle(), &graph) == 0);
            }
            {
                const Array another = empty_pinned({1024}, float32);
                CHECK(another.data() != memory);
            }
            driver.fake.destroy_graph(graph);
            own.synchronize();
            const Array first = empty_pinned({1024}, float32);
            const Array second = empty_pinned({1024}, float32);
            CHECK((first.data() == memory || second.data() == memory));
        }
    }
    report("ok");
}

TEST_CASE("another library's stream may go when its graph and what was made on it are dropped",
          "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel sample(
        "U image, float32 x", "float32 y", "y = x + tex2D<float>(image, 1.5f, 1.5f)", "sample");
    const Array x = ones({64, 64}, float32);
    const Texture kept = Texture::create(x);
    const Stream aside = Stream::create();
    for (const bool beside_kgens : {false, true}) {
        for (const bool drops_within : {true, false}) {
            std::optional<Stream> own = Stream::create();
            std::optional<Array> pinned = empty_pinned({64, 64}, float32);
            std::optional<Array> made;
            std::optional<Texture> image = Texture::create(x);
            void* graph = nullptr;
            const auto take_down = [&] {
                const StreamScope theirs(Stream::view(own->handle()));
                CHECK(driver.fake.begin_capture(own->handle(), 2) == 0);
                made = next()(x);
                copy_async(*pinned, *made);
                copy_async(*made, *pinned);
                image->update(*made);
                made = sample(*image, *made);
                sample(kept, *made);
                if (drops_within) {
                    made.reset();
                    pinned.reset();
                    image.reset();
                }
                CHECK(driver.fake.end_capture(own->handle(), &graph) == 0);
            };
            if (beside_kgens) {
                capture(aside, [&] {
                    next()(x, on(aside));
                    in_thread(take_down);
                });
            } else {
                take_down();
            }
            made.reset();
            pinned.reset();
            image.reset();
            driver.fake.destroy_graph(graph);
            own.reset();  // from here on the fake driver aborts if the stream is used
            aside.synchronize();
        }
    }
    trim_memory_pool();
    report("ok");
}

TEST_CASE("a tensor that is dropped while its stream is captured is given back afterwards",
          "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    for (const int mode : modes) {
        for (const bool threaded : {false, true}) {
            const Stream home = Stream::create();
            const Stream other = Stream::create();
            std::optional<Array> x = ones({1 << 20}, float32);
            const std::weak_ptr<void> memory = x->storage();
            std::optional<Array> tensor =
                from_dlpack(to_dlpack(*x, {.stream = home}), {.stream = home});
            x.reset();
            {
                const StreamScope scope(other);
                next()(*tensor);
            }
            CHECK(driver.fake.begin_capture(home.handle(), mode) == 0);
            const auto drop = [&] { tensor.reset(); };
            if (threaded) {
                in_thread(drop);
            } else {
                drop();
            }
            CHECK_FALSE(memory.expired());
            void* graph = nullptr;
            CHECK(driver.fake.end_capture(home.handle(), &graph) == 0);
            other.synchronize();
            CHECK(memory.expired());
        }
    }
    report("ok");
}

TEST_CASE("a reduction that is bound in a capture is ready before the first replay",
          "[cuda][graph][reduction]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ReductionKernel total("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total");
    const Stream stream = Stream::create();
    const Array x = ones({1 << 22}, float32);
    const Array y = zeros({}, float32);
    std::optional<BoundLaunch> bound;
    for (const bool is_foreign : {false, true}) {
        int fills = 0;
        int launches = 0;
        const auto work = [&] {
            const int before = driver.fake.calls("cuMemsetD8Async");
            bound = total.bind(x, out(y), on(stream));
            fills = driver.fake.calls("cuMemsetD8Async") - before;
            CHECK(driver.fake.record().last_fill_stream != stream.handle());
            (*bound)();
            ++launches;
        };
        if (is_foreign) {
            void* graph = nullptr;
            driver.fake.begin_capture(stream.handle(), 2);
            work();
            CHECK(driver.fake.end_capture(stream.handle(), &graph) == 0);
        } else {
            const Graph graph = capture(stream, work);
            CHECK(graph.node_count() == 1);  // only the launch
        }
        CHECK(fills == 1);
        CHECK(launches == 1);
        (*bound)();
    }
    report("ok");
}

TEST_CASE("a reduction that is bound in a capture on the host is ready before the first replay",
          "[graph][reduction]") {
    const DeviceScope host(Device::host());
    const ReductionKernel total("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total");
    const Stream stream = Stream::create();
    const Array x = ones({1 << 20}, float32);
    const Array y = zeros({}, float32);
    std::optional<BoundLaunch> bound;
    const Graph graph = capture(stream, [&] {
        bound = total.bind(x, out(y), on(stream));
        (*bound)();
    });
    CHECK(graph.node_count() == 1);
    for (int k = 0; k < 3; ++k) {
        (*bound)();
        CHECK(y.item<float>() == 1 << 20);
        y.assign(0);
        graph.launch(stream);
        CHECK(y.item<float>() == 1 << 20);
        y.assign(0);
    }
}

TEST_CASE("the last handle of a forked stream may go in the capture, and loses no memory",
          "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ReductionKernel total("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total");
    const Stream stream = Stream::create();
    int destroyed = driver.fake.calls("cuStreamDestroy");
    trim_memory_pool();
    const std::uint64_t used = memory_pool_statistics().used_bytes;
    for (const bool has_scratch : {false, true}) {
        std::optional<Stream> forked = Stream::create();
        {
            const StreamScope scope(*forked);
            const Array x = ones({1 << 22}, float32);
            if (has_scratch) total(x).item<float>();
        }
        const Graph graph = capture(stream, [&] {
            forked->wait(stream);
            forked->call_on_host([] {});
            stream.wait(*forked);
            forked.reset();
            CHECK(driver.fake.calls("cuStreamDestroy") == ++destroyed);
        });
        CHECK(graph.node_count() == 1);
    }
    synchronize(Device::cuda(0));
    trim_memory_pool();
    CHECK(memory_pool_statistics().kept_bytes == 0);
    CHECK(memory_pool_statistics().used_bytes == used);
    report("ok");
}

TEST_CASE("every call leaves the thread's context as it found it", "[cuda]") {
    if (!in_new_process("2")) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ReductionKernel total("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total");
    auto* const mine = reinterpret_cast<void*>(0x99);
    for (const Device device : {Device::cuda(0), Device::cuda(1)}) {
        const DeviceScope scope(device);
        std::optional<Array> x = ones({64, 64}, float32);
        std::optional<Array> y = zeros({64, 64}, float32);
        const Array on_host = ones({64, 64}, float32, {Device::host()});
        std::optional<Stream> stream = Stream::create();
        std::optional<Event> event = Event(device);
        std::optional<Texture> image = Texture::create(*x);
        std::optional<BoundLaunch> bound = next().bind(*x, out(*y));
        std::optional<Graph> graph = capture(*stream, [&] { next()(*x, out(*y)); });
        std::optional<Array> pinned = empty_pinned({64, 64}, float32);
        const std::vector<std::function<void()>> entries = {
            [&] { next()(*x, out(*y)); },
            [&] { ElementwiseKernel("float32 x", "float32 y", "y = x - 1", "previous")(*x); },
            [&] { total(*x, axis(0)); },
            [&] { zeros({1 << 20}, float32); },
            [&] { y->assign(on_host); },
            [&] { y->to_vector<float>(); },
            [&] { y->assign(*x); },
            [&] { copy_async(*y, *pinned); },
            [&] { (*bound)(); },
            [&] { graph->launch(*stream); },
            [&] { capture(*stream, [&] { next()(*x, out(*y)); }); },
            [&] { event->record(*stream); },
            [&] { stream->wait(*event); },
            [&] { event->synchronize(); },
            [&] { stream->synchronize(); },
            [&] { stream->call_on_host([] {}); },
            [&] { Stream::create({.priority = -1}); },
            [&] { image->update(*x); },
            [&] { memory_pool_statistics(); },
            [&] { trim_memory_pool(); },
            [&] { synchronize(device); },
            [&] { is_pinned(on_host); },
            [&] { x->item<float>(); },  // throws: more than one element
            [&] { graph.reset(); },
            [&] { bound.reset(); },
            [&] { image.reset(); },
            [&] { pinned.reset(); },
            [&] { y.reset(); },
            [&] { x.reset(); },
            [&] { event.reset(); },
            [&] { stream.reset(); },
        };
        for (std::size_t k = 0; k < entries.size(); ++k) {
            INFO("entry " << k << " on " << to_text(device));
            driver.fake.current_context() = mine;
            try {
                entries[k]();
            } catch (const Error&) {  // a call that throws also restores the context
            }
            CHECK(driver.fake.current_context() == mine);
        }
        driver.fake.current_context() = nullptr;
    }
    // A thread without a context keeps the context of the CUDA runtime's default device, but no other.
    in_thread([&] {
        zeros({64}, float32, {Device::cuda(1)});
        CHECK(driver.fake.current_context() == nullptr);
        zeros({64}, float32, {Device::cuda(0)});
        void* const first = driver.fake.current_context();
        CHECK(first != nullptr);
        zeros({64}, float32, {Device::cuda(1)});
        CHECK(driver.fake.current_context() == first);
    });
    report("ok");
}
