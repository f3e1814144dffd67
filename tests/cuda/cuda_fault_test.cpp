// SPDX-License-Identifier: MIT
//
// Tests of the error messages for a lost GPU, on the fake CUDA driver (support/fake_cuda.hpp).
// raw_gpu_test.cpp causes real faults on a GPU in child processes.
#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;

namespace {

struct Fixture {
    FakeCuda fake;
    DriverLibrary driver{FakeCuda::path()};
    CudaBackend backend{driver, 0};

    static Image image(const char* code, const char* symbol) {
        Image image;
        image.target = {DeviceKind::cuda, "sm_90"};
        image.symbol = symbol;
        const auto* first = reinterpret_cast<const std::byte*>(code);
        image.sections.push_back({ImageKind::cubin, {first, first + std::strlen(code) + 1}});
        return image;
    }
    void launch_generated(const char* name, std::int64_t grid) const {
        const std::array<unsigned char, 16> parameters = {};
        backend.launch(*backend.load(image("cubin bytes", name)),
                       {.grid = grid, .block = 64},
                       parameters.data(),
                       parameters.size(),
                       nullptr,
                       name);
    }
    void launch_raw(const char* name, const LaunchConfig& config) const {
        const auto module =
            backend.raw().load_module(image("fake library\nkernel _Z1kv\n", ""), "k.cu");
        backend.raw().launch(*module->kernel("_Z1kv"), config, nullptr, 0, nullptr, name);
    }
    std::string lose(const char* fail = "cuStreamSynchronize:700") const {
        const ScopedVariable failing("FAKE_CUDA_FAIL", fail);
        return KGEN_MESSAGE_OF(DeviceError, backend.synchronize_stream(nullptr));
    }
};

constexpr const char* illegal_address =
    "cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
    "encountered)";
constexpr const char* start_again =
    "\n"
    "cuda:0 can no longer be used by this process: start the process again; set KGEN_SYNC=1 to "
    "find the launch "
    "that fails";

}  // namespace

TEST_CASE("a fault names the last launches, the latest first", "[cuda][fault]") {
    Fixture f;
    f.launch_generated("axpy", 3);
    f.launch_raw("blur<float, 4>", {.grid = {4, 2}, .block = {16, 16}});
    f.launch_raw("blur<float, 4>", {.grid = {4, 2}, .block = {16, 16}});
    f.launch_raw("blur<float, 4>", {.grid = {2147483647, 65535, 65535}, .block = {1, 1024, 1}});
    CHECK(
        f.lose() ==
        std::string("cuda:0: ") + illegal_address +
            "\nan earlier launch failed; the last ones: 'blur<float, 4>' with grid (2147483647, "
            "65535, 65535) and block (1, 1024, 1), 'blur<float, 4>' with grid (4, 2, 1) and block "
            "(16, 16, 1) (2 times), 'axpy' with grid (3, 1, 1) and block (64, 1, 1)" +
            start_again);
}

TEST_CASE("a fault names eight launches and no more", "[cuda][fault]") {
    Fixture f;
    for (int k = 1; k <= 20; ++k) f.launch_generated("axpy", k);
    std::string expected =
        std::string("cuda:0: ") + illegal_address + "\nan earlier launch failed; the last ones: ";
    for (int k = 20; k > 12; --k) {
        if (k < 20) expected += ", ";
        expected += "'axpy' with grid (" + std::to_string(k) + ", 1, 1) and block (64, 1, 1)";
    }
    CHECK(f.lose() == expected + start_again);
}

TEST_CASE("what is noted without a grid is named alone", "[cuda][fault]") {
    DeviceFault fault;
    const std::string* graph = fault.intern("graph");
    for (int k = 0; k < 30; ++k) fault.note_launch(graph);
    CHECK(KGEN_MESSAGE_OF(DeviceError, fault.lose("it failed", "cuX", 700, "cuda:0")) ==
          std::string("it failed\nan earlier launch failed; the last ones: 'graph' (8 times)") +
              start_again);
}

TEST_CASE("a fault before any launch names none", "[cuda][fault]") {
    Fixture f;
    CHECK(f.lose() ==
          std::string("cuda:0: ") + illegal_address +
              "\ncuda:0 can no longer be used by this process: start the process again");
}

TEST_CASE("an assertion that failed costs the context", "[cuda][fault]") {
    Fixture f;
    f.launch_generated("axpy", 3);
    CHECK(
        f.lose("cuStreamSynchronize:710") ==
        "cuda:0: cuStreamSynchronize failed: CUDA_ERROR_ASSERT "
        "(device-side assert triggered)\n"
        "an earlier launch failed; the last ones: 'axpy' with grid (3, 1, 1) and block (64, 1, 1)\n"
        "cuda:0 can no longer be used by this process, because an assertion failed in a kernel: "
        "start the process again; set KGEN_SYNC=1 "
        "to find the launch that fails");
}

TEST_CASE("after each sticky error all calls fail at once with it", "[cuda][fault]") {
    for (const char* code : {"214",
                             "220",
                             "226",
                             "700",
                             "702",
                             "710",
                             "714",
                             "715",
                             "716",
                             "717",
                             "718",
                             "719",
                             "721",
                             "810"}) {
        INFO(code);
        Fixture f;
        const auto module =
            f.backend.raw().load_module(f.image("fake library\nkernel k\n", ""), "k.cu");
        const auto kernel = module->kernel("k");
        const StreamHandle stream = f.backend.create_stream({});
        const std::string first = f.lose((std::string("cuStreamSynchronize:") + code).c_str());
        const int calls = f.fake.calls();
        const RawBackend& raw = f.backend.raw();
        CHECK(KGEN_MESSAGE_OF(DeviceError, raw.launch(*kernel, {}, nullptr, 0, nullptr, "k")) ==
              first);
        CHECK(KGEN_MESSAGE_OF(DeviceError, raw.attributes(*kernel)) == first);
        CHECK(KGEN_MESSAGE_OF(DeviceError, raw.max_blocks_per_multiprocessor(*kernel, 32, 0)) ==
              first);
        CHECK(KGEN_MESSAGE_OF(DeviceError, module->kernel("other")) == first);
        CHECK(KGEN_MESSAGE_OF(DeviceError, module->variable("v")) == first);
        CHECK(KGEN_MESSAGE_OF(DeviceError, module->kernel_symbols()) == first);
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.backend.synchronize()) == first);
        f.backend.destroy_stream(stream);  // does nothing
        CHECK(f.fake.calls() == calls);
    }
}

TEST_CASE(
    "a context that others reset or destroy is lost at the first call that the driver refuses",
    "[cuda][fault]") {
    const std::string gone =
        "\n"
        "its context was reset or destroyed by other code in this process (cudaDeviceReset, "
        "cuDevicePrimaryCtxReset), and with it all arrays, streams and loaded kernels\n"
        "cuda:0 can no longer be used by this process: start the process again";
    for (const unsigned long long id : {2, 0}) {  // 2: a new context; 0: none
        Fixture f;
        f.launch_generated("axpy", 1);
        void* block = f.backend.allocate(1000, nullptr);
        f.fake.record().context_id = id;
        {
            const ScopedVariable stale("FAKE_CUDA_FAIL", "cuLaunchKernel:400");
            CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch_generated("axpy", 1)) ==
                  "kernel 'axpy' on cuda:0, grid 1, block 64, 0 bytes of shared memory: "
                  "cuLaunchKernel failed: error 400" +
                      gone);
        }
        const int calls = f.fake.calls();
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.backend.synchronize()) ==
              "kernel 'axpy' on cuda:0, grid 1, block 64, 0 bytes of shared memory: cuLaunchKernel "
              "failed: error 400" +
                  gone);
        f.backend.free(block, 1000, nullptr);
        CHECK(f.fake.calls() == calls);  // the old handles are not passed to the driver
    }
}

TEST_CASE("a failure in the context that kgen has always had does not lose it", "[cuda][fault]") {
    for (const char* missing : {"", "cuCtxGetId"}) {
        const ScopedVariable without("FAKE_CUDA_MISSING", missing);
        Fixture f;
        {
            const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:400");
            CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch_generated("axpy", 1)) ==
                  "kernel 'axpy' on cuda:0, grid 1, block 64, 0 bytes of shared memory: "
                  "cuLaunchKernel failed: error 400");
        }
        CHECK_NOTHROW(f.launch_generated("axpy", 1));
    }
}

TEST_CASE("errors that a GPU survives leave it usable", "[cuda][fault]") {
    Fixture f;
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:701");
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch_raw("k", {.grid = {2}, .block = {64}})) ==
              "kernel 'k' on cuda:0, grid (2, 1, 1), block (64, 1, 1), 0 bytes of shared memory: "
              "cuLaunchKernel failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (too many resources "
              "requested for launch)");
    }
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernelEx:2");
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch_raw("k", {.cooperative = true})) ==
              "kernel 'k' on cuda:0, grid (1, 1, 1), block (1, 1, 1), 0 bytes of shared memory: "
              "cuLaunchKernelEx failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
    }
    CHECK_NOTHROW(f.launch_raw("k", {}));
    CHECK_NOTHROW(f.backend.synchronize());
}

TEST_CASE("a launch that meets an earlier one's fault is not noted as launched", "[cuda][fault]") {
    Fixture f;
    f.launch_generated("axpy", 3);
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:700");
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch_raw("k", {})) ==
          "kernel 'k' on cuda:0, grid (1, 1, 1), block (1, 1, 1), 0 bytes of shared memory: "
          "cuLaunchKernel failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
          "encountered)\nan earlier launch failed; the last ones: 'axpy' with grid (3, 1, 1) and "
          "block (64, 1, 1)" +
              std::string(start_again));
}

TEST_CASE("under KGEN_SYNC=1 the launch that fails is named", "[cuda][fault]") {
    const ScopedVariable sync("KGEN_SYNC", "1");
    Fixture f;
    f.launch_generated("axpy", 3);
    CHECK(f.fake.calls("cuStreamSynchronize") == 1);
    f.launch_raw("k", {});
    CHECK(f.fake.calls("cuStreamSynchronize") == 2);
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuStreamSynchronize:1");
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch_raw("k", {})) ==
              "kernel 'k' on cuda:0, grid (1, 1, 1), block (1, 1, 1): cuStreamSynchronize failed: "
              "CUDA_ERROR_INVALID_VALUE (invalid argument)");
    }
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuStreamSynchronize:700");
    const std::string first =
        std::string("kernel 'k' on cuda:0, grid (4, 2, 1), block (16, 16, 1): ") + illegal_address +
        "\ncuda:0 can no longer be used by this process: start the process again";
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch_raw("k", {.grid = {4, 2}, .block = {16, 16}})) ==
          first);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch_generated("axpy", 3)) == first);
}

TEST_CASE("under KGEN_SYNC=1 a capture is not waited for", "[cuda][fault]") {
    const ScopedVariable sync("KGEN_SYNC", "1");
    Fixture f;
    f.fake.record().is_capturing = true;
    f.launch_raw("k", {});
    f.fake.record().is_capturing = false;
    const ScopedVariable another("FAKE_CUDA_FAIL", "cuStreamIsCapturing:906");  // the legacy stream
    f.launch_raw("k", {});
    CHECK(f.fake.calls("cuStreamSynchronize") == 0);
}

TEST_CASE("KGEN_SYNC other than 1 waits for no launch", "[cuda][fault]") {
    for (const char* value : {"0", "2", "yes", "01", " 1", "true"}) {
        INFO(value);
        const ScopedVariable sync("KGEN_SYNC", value);
        Fixture f;
        f.launch_raw("k", {});
        CHECK(f.fake.calls("cuStreamSynchronize") == 0);
    }
}

TEST_CASE("launches of several threads are noted whole", "[cuda][fault]") {
    DeviceFault fault;
    const std::array<const std::string*, 2> names = {fault.intern("a"), fault.intern("b")};
    std::vector<std::thread> threads;
    for (std::uint16_t index = 0; index < 2; ++index) {
        threads.emplace_back([&, index] {
            const LaunchExtents extents = {index + 1u, 1, 1};
            for (int k = 0; k < 20000; ++k) fault.note_launch(names[index], extents, extents);
        });
    }
    for (std::thread& thread : threads) thread.join();
    const std::string message =
        KGEN_MESSAGE_OF(DeviceError, fault.lose("it failed", "cuX", 700, "cuda:0"));
    CHECK(message.find("'a' with grid (2") == std::string::npos);
    CHECK(message.find("'b' with grid (1") == std::string::npos);
    CHECK(message.find("grid (1, 1, 1) and block (2") == std::string::npos);
    CHECK(message.find("grid (2, 1, 1) and block (1") == std::string::npos);
}
