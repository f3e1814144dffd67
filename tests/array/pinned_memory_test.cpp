// SPDX-License-Identifier: MIT
//
// Pinned host memory, asynchronous copies, and the statistics of memory pools.
#include <kgen/kgen.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::vector<std::pair<std::string, std::string>> with_fake() {
    return {{"KGEN_CUDA_PATH", FakeCuda::path()}};
}

std::string account(Device device) {
    const MemoryPoolStatistics all = memory_pool_statistics(device);
    return fmt::format("used {} kept {} reserved {} most {} limit {}\n",
                       all.used_bytes,
                       all.kept_bytes,
                       all.reserved_bytes,
                       all.peak_reserved_bytes,
                       all.limit_bytes);
}

}  // namespace

TEST_CASE("fresh: pinned memory", "[.fresh]") {
    const FakeCuda fake;
    const Device gpu = Device::cuda(0);
    Array staged = empty_pinned({2, 3}, float32);
    report(fmt::format(
        "{} {} pinned {}\n", to_text(staged.device()), to_text(staged.shape()), is_pinned(staged)));
    const Array plain = zeros({2, 3}, float32, {.device = Device::host()});
    report(fmt::format("plain pinned {}\n", is_pinned(plain)));
    staged.assign(arange(6, float32, {.device = Device::host()}).reshape({2, 3}));
    const Array there = empty({2, 3}, float32, {.device = gpu});
    const int waits = fake.calls("cuStreamSynchronize");
    copy_async(there, staged);
    const Array back = empty_pinned({2, 3}, float32);
    copy_async(back, there, Stream::create(gpu));
    report(fmt::format("{} waits\n", fake.calls("cuStreamSynchronize") - waits));
    report(to_text(back) + "\n");
    DLManagedTensorVersioned* tensor = to_dlpack(staged);
    report(fmt::format("same {}\n", from_dlpack(tensor).data() == staged.data()));
    // The next array reuses the block of this one.
    const void* memory = staged.data();
    staged = {};
    report(account(Device::host()));
    staged = empty_pinned({900}, float32);
    report(fmt::format("again {}\n", staged.data() == memory));
    staged = {};
    trim_memory_pool(0, Device::host());
    report(account(Device::host()));
    set_memory_pool_limit(8192, Device::host());
    report(KGEN_MESSAGE_OF(DeviceError, empty_pinned({5000}, uint8)) + "\n");
    fake.record().is_out_of_memory = true;
    set_memory_pool_limit(0, Device::host());
    report(KGEN_MESSAGE_OF(DeviceError, empty_pinned({5000}, uint8)) + "\n");
}

TEST_CASE("copies with pinned memory are not waited for and its blocks are used again", "[cuda]") {
    const FreshResult result = run_fresh("fresh: pinned memory", with_fake());
    CHECK(result.text ==
          "host (2, 3) pinned true\nplain pinned false\n0 waits\n[[0. 1. 2.]\n [3. 4. 5.]]\nsame "
          "true\n"
          "used 4096 kept 4096 reserved 8192 most 8192 limit 0\nagain true\n"
          "used 4096 kept 0 reserved 4096 most 8192 limit 0\n"
          "host: cannot pin 5000 bytes: 4096 are in use, and set_memory_pool_limit allows 8192\n"
          "host: out of memory: cannot pin 8192 bytes; the system limits pinned memory\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("fresh: when pinned memory is used again", "[.fresh]") {
    const FakeCuda fake;
    const Device gpu = Device::cuda(0);
    const Array there = empty({1024}, float32, {.device = gpu});
    const Stream own = Stream::create(gpu);
    const Stream other = Stream::create(gpu);
    auto records = [&fake, before = 0]() mutable {
        const int all = fake.calls("cuEventRecord");
        return all - std::exchange(before, all);
    };
    records();
    Array staged = empty_pinned({1024}, float32);
    for (int k = 0; k < 10; ++k) copy_async(there, staged, k % 2 == 0 ? own : other);
    report(fmt::format("{} events for 10 copies in two streams\n", records()));
    staged = {};
    report(fmt::format("{} when the memory goes\n", records()));
    // A foreign stream may be destroyed before the memory is freed, so each of its copies
    // records an event at once.
    staged = empty_pinned({1024}, float32);
    const Stream foreign = Stream::view(other.handle(), gpu);
    for (int k = 0; k < 3; ++k) copy_async(there, staged, foreign);
    report(fmt::format("{} for 3 copies in a foreign stream\n", records()));
    staged = {};
    report(fmt::format("{} when the memory goes\n", records()));
}

TEST_CASE("an event a stream, when it goes, says when pinned memory may be used again", "[cuda]") {
    const FreshResult result = run_fresh("fresh: when pinned memory is used again", with_fake());
    CHECK(result.text ==
          "0 events for 10 copies in two streams\n2 when the memory goes\n"
          "3 for 3 copies in a foreign stream\n0 when the memory goes\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("fresh: pinned memory in a graph", "[.fresh]") {
    const FakeCuda fake;
    const Device gpu = Device::cuda(0);
    const Stream stream = Stream::create(gpu);
    const Array there = zeros({1024}, float32, {.device = gpu});
    Array staged = empty_pinned({1024}, float32);
    const void* memory = staged.data();
    const auto is_used_again = [&memory] {
        const bool same = empty_pinned({1024}, float32).data() == memory;
        trim_memory_pool(0, Device::host());
        return same;
    };
    {
        const Graph graph = capture(stream, [&] { copy_async(there, staged); });
        staged = {};
        report(fmt::format("used again beside the graph: {}\n", is_used_again()));
        graph.launch(stream);
        stream.synchronize();
        report(fmt::format("and after a launch: {}\n", is_used_again()));
    }
    report(fmt::format("and without the graph: {}\n", is_used_again()));
    // A graph that is first launched within a capture and then directly.
    staged = empty_pinned({1024}, float32);
    int events = 0;
    {
        const Graph inner = capture(stream, [&] { copy_async(there, staged); });
        const Graph outer = capture(stream, [&] { inner.launch(stream); });
        staged = {};
        inner.launch(stream);
        events = fake.calls("cuEventRecord");
    }
    report(fmt::format("{} event of the launch by itself\n", fake.calls("cuEventRecord") - events));
    // The array is dropped during a capture of its stream. The captured work does not use it.
    staged = empty_pinned({1024}, float32);
    memory = staged.data();
    copy_async(there, staged, stream);
    CHECK_THROWS_AS(capture(stream, [&] { staged = {}; }), DeviceError);  // the capture is empty
    report(fmt::format("dropped in a capture: {}\n", is_used_again()));
}

TEST_CASE("a graph keeps the pinned memory that its copies use", "[cuda][graph]") {
    const FreshResult result = run_fresh("fresh: pinned memory in a graph", with_fake());
    CHECK(result.text ==
          "used again beside the graph: false\nand after a launch: false\n"
          "and without the graph: true\n1 event of the launch by itself\ndropped in a capture: "
          "true\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("fresh: a GPU's pool", "[.fresh]") {
    const FakeCuda fake;
    const Device gpu = Device::cuda(0);
    report(account(gpu));
    {
        const Array x = empty({1000}, uint8, {.device = gpu});
        const Array y = empty({3000}, uint8, {.device = gpu});
        report(account(gpu));
    }
    report(account(gpu));  // the pool keeps both blocks
    trim_memory_pool(0, gpu);
    report(account(gpu));
    set_memory_pool_limit(4096, gpu);
    { const Array x = empty({3000}, uint8, {.device = gpu}); }
    const Array z = empty({4000}, uint8, {.device = gpu});  // kept blocks are released first
    report(account(gpu));
    report(KGEN_MESSAGE_OF(DeviceError, empty({1}, uint8, {.device = gpu})) + "\n");
    set_memory_pool_limit(0, gpu);
    report(fmt::format("{} element\n", empty({1}, uint8, {.device = gpu}).size()));
}

TEST_CASE("a GPU's pool tells what it holds and keeps to its limit", "[cuda]") {
    const FreshResult result = run_fresh("fresh: a GPU's pool", with_fake());
    CHECK(result.text ==
          "used 0 kept 0 reserved 0 most 0 limit 0\n"
          "used 4096 kept 0 reserved 4096 most 4096 limit 0\n"
          "used 0 kept 4096 reserved 4096 most 4096 limit 0\n"
          "used 0 kept 0 reserved 0 most 4096 limit 0\n"
          "used 4096 kept 0 reserved 4096 most 4096 limit 4096\n"
          "cuda:0: out of memory: cannot allocate 1 bytes (0.0 GiB); 4096 bytes are in use, and "
          "set_memory_pool_limit allows 4096\n"
          "1 element\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("fresh: asynchronous copies that are refused", "[.fresh]") {
    const FakeCuda fake;
    const Device gpu = Device::cuda(0);
    const Array there = empty({4}, float32, {.device = gpu});
    const Array pinned = empty_pinned({4}, float32);
    const Array plain = zeros({4}, float32, {.device = Device::host()});
    report(KGEN_MESSAGE_OF(DeviceError, copy_async(there, plain)) + "\n");
    report(KGEN_MESSAGE_OF(DeviceError, copy_async(plain, there)) + "\n");
    report(KGEN_MESSAGE_OF(DeviceError, copy_async(there, pinned, Stream::legacy(Device::host()))) +
           "\n");
}

TEST_CASE("asynchronous copies need one shape and dtype and dense pinned memory", "[cuda]") {
    const FreshResult result =
        run_fresh("fresh: asynchronous copies that are refused", with_fake());
    CHECK(result.text ==
          "copy_async: the source is host memory that is not pinned; allocate it with "
          "empty_pinned(), or use assign(), which waits\n"
          "copy_async: the destination is host memory that is not pinned; allocate it with "
          "empty_pinned(), or use assign(), which waits\n"
          "copy_async: the destination is on cuda:0, but the copy runs on host\n");
    const DeviceScope host(Device::host());
    const Array x = arange(4, float32);
    const Array y = zeros({4}, float32);
    copy_async(y, x);
    CHECK(to_text(y) == "[0. 1. 2. 3.]");
    CHECK(KGEN_MESSAGE_OF(TypeError, copy_async(y, x.astype(int32))) ==
          "copy_async: the destination is float32, but the source is int32; use assign(), which "
          "converts");
    CHECK(KGEN_MESSAGE_OF(ShapeError, copy_async(y, x.slice({{0, 3}}))) ==
          "copy_async: the destination has shape (4,), but the source has (3,); use assign(), "
          "which broadcasts");
    const Array wide = zeros({8}, float32);
    CHECK(KGEN_MESSAGE_OF(ShapeError, copy_async(wide.slice({{0, 8, 2}}), x)) ==
          "copy_async: the destination is not C-contiguous; pass a copy(), or use assign(), which "
          "waits");
    CHECK(KGEN_MESSAGE_OF(ShapeError, copy_async(y.as_read_only(), x)) ==
          "copy_async: the destination is read-only; pass a copy()");
    CHECK(KGEN_MESSAGE_OF(ShapeError, copy_async(y, Array())) ==
          "copy_async: the array has no memory, because it was default-constructed");
}

TEST_CASE("gpu: pinned memory carries arrays to a GPU and back in stream order", "[cuda][gpu]") {
    if (!has_gpu()) {
        WARN("skipped: this test needs a GPU");
        return;
    }
    const Device gpu = Device::cuda(0);
    constexpr std::int64_t count = 1 << 20;
    const Array in = empty_pinned({count}, float32);
    const Array out_again = empty_pinned({count}, float32);
    CHECK(is_pinned(in));
    in.assign(arange(count, float32, {.device = Device::host()}));
    const ElementwiseKernel twice("T x", "T y", "y = 2 * x", "twice");
    const Stream stream = Stream::create(gpu);
    {
        const StreamScope scope(stream);
        const Array there = empty({count}, float32, {.device = gpu});
        copy_async(there, in);
        copy_async(out_again, twice(there));
    }
    stream.synchronize();
    const auto* values = static_cast<const float*>(out_again.data());
    bool is_right = true;
    for (std::int64_t k = 0; k < count; ++k)
        is_right = is_right && values[k] == 2 * static_cast<float>(k);
    CHECK(is_right);
    // If pinned memory is dropped while a graph copies from it, its contents stay unchanged
    // until the copy is done.
    Array staged = empty_pinned({count}, float32);
    staged.assign(in);
    const Array there = zeros({count}, float32, {.device = gpu});
    synchronize(gpu);
    {
        const Graph graph = capture(stream, [&] { copy_async(there, staged); });
        staged = {};
        graph.launch(stream);
    }
    const Array overwritten = empty_pinned({count}, float32);
    overwritten.assign(-1);
    stream.synchronize();
    CHECK(there.to_vector<float>().back() == static_cast<float>(count - 1));
    // Plain host memory and the GPU can be copied to each other directly.
    const Array plain = zeros({count}, float32, {.device = Device::host()});
    plain.assign(there);
    CHECK(array_equal(plain, there.to(Device::host())));
    const MemoryPoolStatistics all = memory_pool_statistics(gpu);
    CHECK(all.reserved_bytes >= all.used_bytes + all.kept_bytes);
    CHECK(all.peak_reserved_bytes >= all.reserved_bytes);
    trim_memory_pool(0, gpu);
    CHECK(memory_pool_statistics(gpu).kept_bytes == 0);
}
