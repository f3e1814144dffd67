// SPDX-License-Identifier: MIT
//
// Tests of CudaBackend on the fake CUDA driver (support/fake_cuda.hpp). cuda_gpu_test.cpp tests it on a GPU.
#include "cuda/cuda_backend.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;

namespace {

struct Fixture {
    FakeCuda fake;
    DriverLibrary driver{FakeCuda::path()};
    CudaBackend backend{driver, 0};

    std::shared_ptr<const LoadedKernel> load() const { return backend.load(image()); }
    static Image image() {
        Image image;
        image.target = {DeviceKind::cuda, "sm_90"};
        image.symbol = "axpy";
        image.sections.push_back({ImageKind::ptx, bytes_of("ptx text")});
        image.sections.push_back({ImageKind::cubin, bytes_of("cubin bytes")});
        return image;
    }
    static std::vector<std::byte> bytes_of(const char* text) {
        const auto* first = reinterpret_cast<const std::byte*>(text);
        return {first, first + std::strlen(text) + 1};
    }
    void launch(const LoadedKernel& kernel,
                const LaunchShape& shape,
                std::size_t bytes = 16) const {
        const std::array<unsigned char, 32> parameters = {7, 8, 9};
        backend.launch(kernel, shape, parameters.data(), bytes, nullptr, "axpy");
    }
};

}  // namespace

TEST_CASE("a device is described by its attributes, without making its context", "[cuda]") {
    Fixture f;
    CHECK(f.backend.target() == Target{DeviceKind::cuda, "sm_90"});
    CHECK(f.backend.limits().processor_count == 132);
    CHECK(f.backend.limits().memory_bytes == std::int64_t{80} << 30);
    CHECK(f.backend.limits().max_grid_x == 2147483647);
    CHECK(f.backend.description() == "Fake GPU, sm_90, 80.0 GiB, driver for CUDA 13.0");
    const DeviceInfo info = f.backend.info();
    CHECK((info.name == "Fake GPU" && info.multiprocessors == 132 && info.clock_khz == 1980000));
    CHECK((info.memory_bytes == std::int64_t{80} << 30 && info.capability == std::pair(9, 0)));
    CHECK(f.fake.calls("cuDevicePrimaryCtxRetain") == 0);
}

TEST_CASE("the primary context is retained once and made current while it is needed", "[cuda]") {
    Fixture f;
    f.backend.synchronize();
    f.backend.synchronize();
    CHECK(f.fake.calls("cuDevicePrimaryCtxRetain") == 1);
    CHECK(f.fake.calls("cuCtxSetCurrent") == 1);
    std::thread([&] { f.backend.synchronize(); }).join();
    CHECK(f.fake.calls("cuDevicePrimaryCtxRetain") == 1);
    CHECK(f.fake.calls("cuCtxSetCurrent") == 2);
    // Another library makes its own context current on this thread.
    REQUIRE(f.driver.api().context_set_current(reinterpret_cast<CUcontext>(0x99)) == CUDA_SUCCESS);
    f.backend.synchronize();
    CHECK(f.fake.calls("cuCtxSetCurrent") == 5);
    CHECK(f.fake.current_context() == reinterpret_cast<void*>(0x99));
}

TEST_CASE("loading prefers the cubin and leaves nothing for the first launch", "[cuda]") {
    Fixture f;
    const auto kernel = f.load();
    CHECK(std::string(f.fake.record().loaded_text) == "cubin bytes");
    CHECK(f.fake.calls("cuFuncLoad") == 1);
    CHECK(f.fake.record().capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);  // restored
    CHECK(f.fake.calls("cuThreadExchangeStreamCaptureMode") >= 2);
}

TEST_CASE("PTX is loaded where there is no cubin, with its NUL", "[cuda]") {
    Fixture f;
    Image image = Fixture::image();
    image.sections.pop_back();
    image.sections[0].bytes.pop_back();
    f.backend.load(image);
    CHECK(std::string(f.fake.record().loaded_text) == "ptx text");
}

TEST_CASE("a rejected image is told by its code, and is unloaded", "[cuda]") {
    struct Row {
        const char* fail;
        int code;
        int unloads;
        const char* message;
    };
    const Row rows[] = {
        {"cuLibraryLoadData:209",
         209,
         0,
         "cuda:0: loading 'axpy' for sm_90: cuLibraryLoadData failed: "
         "CUDA_ERROR_NO_BINARY_FOR_GPU"},
        {"cuLibraryLoadData:200",
         200,
         0,
         "cuda:0: loading 'axpy' for sm_90: cuLibraryLoadData failed: error 200"},
        {"cuLibraryGetKernel:500",
         500,
         1,
         "cuda:0: loading 'axpy' for sm_90: cuLibraryGetKernel failed: error 500"},
        {"cuFuncLoad:2",
         2,
         1,
         "cuda:0: loading 'axpy' for sm_90: cuFuncLoad failed: CUDA_ERROR_OUT_OF_MEMORY (out of "
         "memory)"},
    };
    for (const Row& row : rows) {
        Fixture f;
        const ScopedVariable fail("FAKE_CUDA_FAIL", row.fail);
        try {
            f.load();
            FAIL("loaded: " << row.fail);
        } catch (const DeviceError& error) {
            CHECK(std::string(error.what()) == row.message);
            CHECK(error.code() == row.code);
        }
        CHECK(f.fake.calls("cuLibraryUnload") == row.unloads);
    }
}

TEST_CASE("a launch passes its parameters as one block", "[cuda]") {
    Fixture f;
    const auto kernel = f.load();
    f.launch(*kernel, {.grid = 70000, .block = 128, .shared_bytes = 64});
    const FakeCudaRecord& seen = f.fake.record();
    CHECK(seen.grid == 70000);
    CHECK(seen.block == 128);
    CHECK(seen.shared_bytes == 64);
    CHECK(seen.parameters_bytes == 16);
    CHECK(seen.parameters[2] == 9);
    CHECK(f.fake.calls("cuFuncSetAttribute") == 0);
}

TEST_CASE("a launch of no blocks does nothing", "[cuda]") {
    Fixture f;
    f.launch(*f.load(), {.grid = 0, .block = 128});
    CHECK(f.fake.calls("cuLaunchKernel") == 0);
}

TEST_CASE("more than 48 KiB of shared memory is asked for once", "[cuda]") {
    Fixture f;
    const auto kernel = f.load();
    f.launch(*kernel, {.grid = 1, .block = 128, .shared_bytes = 100000});
    f.launch(*kernel, {.grid = 1, .block = 128, .shared_bytes = 90000});
    CHECK(f.fake.calls("cuFuncSetAttribute") == 1);
}

TEST_CASE("a launch that cannot be is refused with the kernel, the grid and the block", "[cuda]") {
    Fixture f;
    const auto kernel = f.load();
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch(*kernel, {.grid = 1, .block = 128}, 24)) ==
          "kernel 'axpy' on cuda:0, grid 1, block 128, 0 bytes of shared memory: got 24 bytes of "
          "parameters, the code expects 16");
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch(*kernel, {.grid = 2147483648, .block = 128})) ==
          "kernel 'axpy' on cuda:0, grid 2147483648, block 128, 0 bytes of shared memory: the grid "
          "is too large: got 2147483648, expected at most 2147483647");
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:1");
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch(*kernel, {.grid = 1, .block = 4096})) ==
          "kernel 'axpy' on cuda:0, grid 1, block 4096, 0 bytes of shared memory: cuLaunchKernel "
          "failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_CASE("freed memory is used again on the same stream without calling the driver", "[cuda]") {
    Fixture f;
    void* first = f.backend.allocate(1000, nullptr);
    CHECK(f.fake.record().last_allocation == 1024);
    f.backend.free(first, 1000, nullptr);
    CHECK(f.backend.allocate(1024, nullptr) == first);
    CHECK(f.fake.calls("cuMemAllocFromPoolAsync") == 1);
    CHECK(f.fake.calls("cuMemFreeAsync") == 0);
    f.backend.free(first, 1024, nullptr);

    const StreamHandle stream = f.backend.create_stream({});
    void* other = f.backend.allocate(1000, stream);
    CHECK(other != first);
    CHECK(f.fake.calls("cuMemAllocFromPoolAsync") == 2);
    f.backend.free(other, 1000, stream);
    f.backend.destroy_stream(stream);
    CHECK(f.fake.calls("cuMemFreeAsync") == 1);
    CHECK(f.fake.calls("cuStreamDestroy") == 1);
}

TEST_CASE("large memory goes back to the driver's pool", "[cuda]") {
    Fixture f;
    void* block = f.backend.allocate(std::size_t{64} << 20, nullptr);
    f.backend.free(block, std::size_t{64} << 20, nullptr);
    CHECK(f.fake.calls("cuMemFreeAsync") == 1);
}

TEST_CASE("where memory is short the kept blocks are given back and the request repeated",
          "[cuda]") {
    Fixture f;
    const std::size_t before = f.fake.record().live_blocks;
    f.backend.free(f.backend.allocate(1000, nullptr), 1000, nullptr);
    f.fake.record().is_out_of_memory = true;
    void* block = f.backend.allocate(5000, nullptr);
    CHECK(block != nullptr);
    CHECK(f.fake.calls("cuMemFreeAsync") == 1);
    CHECK(f.fake.calls("cuMemPoolTrimTo") == 1);
    CHECK(f.fake.record().live_blocks == before + 1);
}

TEST_CASE("memory that is not there is an error with its size and what is free", "[cuda]") {
    Fixture f;
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuMemAllocFromPoolAsync:2");
    CHECK(
        KGEN_MESSAGE_OF(DeviceError, f.backend.allocate(std::size_t{17179869184}, nullptr)) ==
        "cuda:0: out of memory: cannot allocate 17179869184 bytes (16.0 GiB); 2.0 of 80.0 GiB are "
        "free");
    CHECK_NOTHROW(f.backend.synchronize());  // the error is not sticky
}

TEST_CASE("what a captured stream allocates or frees is never given to anyone else", "[cuda]") {
    Fixture f;
    const StreamHandle stream = f.backend.create_stream({});
    void* before = f.backend.allocate(1000, stream);
    f.fake.record().is_capturing = true;
    void* during = f.backend.allocate(1000, stream);
    f.backend.free(before, 1000, stream);
    f.fake.record().is_capturing = false;
    f.backend.free(during, 1000, stream);
    void* after = f.backend.allocate(1000, stream);
    CHECK(after != before);
    CHECK(after != during);
    CHECK(f.fake.calls("cuMemFreeAsync") == 0);
    CHECK(f.fake.record().capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

TEST_CASE("copies and fills move the bytes; those with the host wait", "[cuda]") {
    Fixture f;
    const std::array<int, 4> numbers = {1, 2, 3, 4};
    std::array<int, 4> back = {};
    void* a = f.backend.allocate(sizeof numbers, nullptr);
    void* b = f.backend.allocate(sizeof numbers, nullptr);
    f.backend.copy(a, numbers.data(), sizeof numbers, CopyDirection::host_to_device, nullptr);
    CHECK(f.fake.calls("cuStreamSynchronize") == 1);
    f.backend.copy(b, a, sizeof numbers, CopyDirection::device_to_device, nullptr);
    CHECK(f.fake.calls("cuStreamSynchronize") == 1);
    f.backend.copy(back.data(), b, sizeof back, CopyDirection::device_to_host, nullptr);
    CHECK(f.fake.calls("cuStreamSynchronize") == 2);
    CHECK(back == numbers);
    f.backend.fill_bytes(b, 0, sizeof back, nullptr);
    f.backend.copy(back.data(), b, sizeof back, CopyDirection::device_to_host, nullptr);
    CHECK(back == std::array<int, 4>{});
    f.backend.copy(nullptr, nullptr, 0, CopyDirection::host_to_device, nullptr);
    CHECK(f.fake.calls("cuMemcpyHtoDAsync") == 1);
}

TEST_CASE("streams and events are asked without waiting", "[cuda]") {
    Fixture f;
    const StreamHandle stream = f.backend.create_stream({});
    void* event = f.backend.create_event();
    f.backend.record_event(event, stream);
    f.backend.wait_event(nullptr, event);
    CHECK(f.backend.is_stream_idle(stream));
    CHECK(f.backend.is_event_done(event));
    {
        const ScopedVariable busy("FAKE_CUDA_FAIL", "cuStreamQuery:600");
        CHECK_FALSE(f.backend.is_stream_idle(stream));
    }
    {
        const ScopedVariable busy("FAKE_CUDA_FAIL", "cuEventQuery:600");
        CHECK_FALSE(f.backend.is_event_done(event));
    }
    CHECK(f.backend.elapsed_ms(event, event) == 1.5);
    f.backend.destroy_event(event);
    CHECK(f.fake.calls("cuEventDestroy") == 1);
}

TEST_CASE("a device that is lost says so at once ever after, with the first error", "[cuda]") {
    Fixture f;
    const auto kernel = f.load();
    void* block = f.backend.allocate(100, nullptr);
    f.launch(*kernel, {.grid = 1, .block = 32});
    const std::string message =
        "cuda:0: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access "
        "was encountered)\n"
        "an earlier launch failed; the last ones: 'axpy' with grid (1, 1, 1) and block (32, 1, 1)\n"
        "cuda:0 can no longer be used by this process: start the process again; set KGEN_SYNC=1 to "
        "find the "
        "launch that fails";
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuStreamSynchronize:700");
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.backend.synchronize_stream(nullptr)) == message);
    }
    const int launches = f.fake.calls("cuLaunchKernel");
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.launch(*kernel, {.grid = 1, .block = 32})) == message);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.backend.allocate(100, nullptr)) == message);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.load()) == message);
    CHECK(f.fake.calls("cuLaunchKernel") == launches);
    f.backend.free(block, 100, nullptr);  // does nothing
    CHECK(f.fake.calls("cuMemFreeAsync") == 0);
}

TEST_CASE("an error that the device survives is forgotten", "[cuda]") {
    Fixture f;
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuStreamSynchronize:1");
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.backend.synchronize_stream(nullptr)) ==
              "cuda:0: cuStreamSynchronize failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    }
    CHECK_NOTHROW(f.backend.synchronize_stream(nullptr));
}

TEST_CASE("threads allocate and free at once, and no block is given to two of them", "[cuda]") {
    Fixture f;
    std::atomic<int> clashes = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
        threads.emplace_back([&, index] {
            for (int round = 0; round < 500; ++round) {
                const std::size_t bytes = 256u << (round % 3);
                auto* block = static_cast<int*>(f.backend.allocate(bytes, nullptr));
                *block = index * 1000 + round;
                std::this_thread::yield();
                if (*block != index * 1000 + round) ++clashes;
                f.backend.free(block, bytes, nullptr);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(clashes == 0);
    CHECK(f.fake.calls("cuMemAllocFromPoolAsync") <= 12);
}

TEST_CASE("a driver started before a fork says so in the child", "[cuda]") {
    Fixture f;
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("FAKE_CUDA_FAIL", "cuStreamSynchronize:3", 1);
        const std::string message =
            KGEN_MESSAGE_OF(DeviceError, f.backend.synchronize_stream(nullptr));
        ::_exit(
            message ==
                    "cuda:0: cuStreamSynchronize failed: CUDA_ERROR_NOT_INITIALIZED "
                    "(initialization error); the CUDA driver was started before this process was "
                    "forked: fork before the first use of a GPU, or run another program (exec) in "
                    "the child"
                ? 0
                : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}
