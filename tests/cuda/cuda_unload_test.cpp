// SPDX-License-Identifier: MIT
//
// Tests of when code is unloaded, on the fake CUDA driver (support/fake_cuda.hpp). Unloading waits for the
// GPU, so only calls that wait anyway do it. Code that a graph may launch stays loaded.
#include <kgen/graph.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "device/capture_record.hpp"
#include "support/fake_raw_kernels.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

struct Fixture : RawFixture {
    StreamHandle stream = backend.create_stream({});

    static Image image() {
        Image image = raw_image();
        image.symbol = "axpy";
        return image;
    }
    std::shared_ptr<const LoadedKernel> load() const { return backend.load(image()); }
    void launch(const LoadedKernel& kernel, StreamHandle where) const {
        const float parameter = 2;
        backend.launch(kernel, {}, &parameter, sizeof parameter, where, "axpy");
    }
    int unloads() const { return fake.calls("cuLibraryUnload"); }
    // Waits, which unloads dropped libraries, and returns the number of unloads.
    int unloads_after_wait() const {
        backend.synchronize();
        return unloads();
    }
};

}  // namespace

TEST_CASE("code is unloaded by a call that waits, once nobody holds its kernel", "[cuda]") {
    const Fixture f;
    auto kernel = f.load();
    auto copy = kernel;
    f.launch(*kernel, nullptr);
    f.launch(*kernel, f.stream);
    kernel.reset();
    CHECK(f.unloads_after_wait() == 0);
    copy.reset();
    CHECK(f.unloads() == 0);  // its launches may still run, and this call must not wait
    f.backend.synchronize_stream(f.stream);
    CHECK(f.unloads() == 0);
    CHECK(f.unloads_after_wait() == 1);
    CHECK(f.unloads_after_wait() == 1);
}

TEST_CASE("code that was dropped is unloaded before other code is loaded", "[cuda]") {
    const Fixture f;
    for (int k = 0; k < 100; ++k) f.load();
    CHECK(f.unloads() == 99);
    f.raw.load_module(raw_image(), "filters.cu");
    CHECK(f.unloads() == 100);
    f.raw.load_module(raw_image(), "filters.cu");
    CHECK(f.unloads() == 101);
    CHECK(f.fake.record().capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);  // restored
}

TEST_CASE("a module's code stays while one of its kernels is held", "[cuda]") {
    Fixture f;
    std::shared_ptr<const LoadedModule> module = f.raw.load_module(raw_image(), "filters.cu");
    auto kernel = module->kernel("axpy");
    module.reset();
    CHECK(f.unloads_after_wait() == 0);
    kernel.reset();
    CHECK(f.unloads_after_wait() == 1);
}

TEST_CASE("nothing is unloaded while kgen captures, and a graph holds its kernels",
          "[cuda][graph]") {
    const Fixture f;
    f.load();  // unloads the dropped library
    {
        CaptureRecord record(f.backend.device());
        f.backend.graphs().begin_capture(f.stream);
        auto kernel = f.load();
        f.launch(*kernel, f.stream);
        kernel.reset();
        f.load();
        CHECK(f.unloads() == 0);
        const auto graph = f.backend.graphs().end_capture(f.stream);
        record.stop();
        CHECK(f.unloads_after_wait() == 2);
        // The graph takes over the objects of the record.
        CHECK(record.objects().size() == 1);
    }
    CHECK(f.unloads_after_wait() == 3);
}

TEST_CASE("code that another library's capture has stays", "[cuda][graph]") {
    const Fixture f;
    auto kernel = f.load();
    f.fake.record().is_capturing = true;
    f.launch(*kernel, f.stream);
    f.fake.record().is_capturing = false;
    kernel.reset();
    CHECK(f.unloads_after_wait() == 0);
}

TEST_CASE("launches in a stream ask for captures a bounded number of times, others never",
          "[cuda]") {
    const Fixture f;
    auto kernel = f.load();
    const int before = f.fake.calls("cuStreamIsCapturing");
    for (int k = 0; k < 1000; ++k) f.launch(*kernel, nullptr);
    CHECK(f.fake.calls("cuStreamIsCapturing") == before);
    for (int k = 0; k < 1000; ++k) f.launch(*kernel, f.stream);
    CHECK(f.fake.calls("cuStreamIsCapturing") <= before + 256);
    // kgen has stopped asking for captures, so a graph may contain the kernel.
    kernel.reset();
    CHECK(f.unloads_after_wait() == 0);
}

TEST_CASE("memory of code that was dropped is there for arrays", "[cuda]") {
    const Fixture f;
    f.load();
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuMemAllocFromPoolAsync:2:2");
        f.backend.free(f.backend.allocate(1024, f.stream), 1024, f.stream);
    }
    CHECK(f.unloads() == 1);
}
