// SPDX-License-Identifier: MIT
//
// Tests of which GPUs can access the memory pool of a GPU, on the fake CUDA driver.
#include "cuda/cuda_backend.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;

namespace {

// Allocates on a GPU for the first time.
void use_first(int ordinal) {
    const DriverLibrary driver{FakeCuda::path()};
    const CudaBackend backend(driver, ordinal);
    void* block = backend.allocate(256, nullptr);
    backend.free(block, 256, nullptr);
    void* other = backend.allocate(5000, nullptr);
    backend.free(other, 5000, nullptr);
}

}  // namespace

TEST_CASE("a pool is opened once, before its first allocation, to the GPUs that can access it",
          "[cuda][peer]") {
    const ScopedVariable devices("FAKE_CUDA_DEVICES", "4");
    const FakeCuda fake;
    {
        const ScopedVariable peers("FAKE_CUDA_PEERS", "10 30 12 21");
        use_first(0);
        CHECK(std::string(fake.record().pool_log) ==
              "create 0; open 0 to 1 3; allocate 0; allocate 0; ");
    }
    const FakeCuda fake_again;
    const ScopedVariable access("KGEN_PEER_ACCESS", "auto");
    use_first(2);
    CHECK(std::string(fake.record().pool_log) ==
          "create 2; open 2 to 0 1 3; allocate 2; allocate 2; ");
    CHECK(fake.calls("cuMemPoolSetAccess") == 1);
    CHECK(fake.calls("cuDeviceCanAccessPeer") == 3);
    CHECK(fake.record().capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);  // restored
}

TEST_CASE("no pool is opened if no GPU can access it, or with KGEN_PEER_ACCESS=0", "[cuda][peer]") {
    const ScopedVariable devices("FAKE_CUDA_DEVICES", "2");
    {
        const FakeCuda fake;
        const ScopedVariable peers("FAKE_CUDA_PEERS", "01");
        use_first(0);
        CHECK(std::string(fake.record().pool_log) == "create 0; allocate 0; allocate 0; ");
    }
    const FakeCuda fake;
    const ScopedVariable access("KGEN_PEER_ACCESS", "0");
    use_first(0);
    CHECK(std::string(fake.record().pool_log) == "create 0; allocate 0; allocate 0; ");
    CHECK(fake.calls("cuDeviceCanAccessPeer") == 0);
}

TEST_CASE("one GPU needs no call for peers", "[cuda][peer]") {
    const FakeCuda fake;
    use_first(0);
    CHECK(fake.calls("cuDeviceGet") == 1);
    CHECK(fake.calls("cuDeviceCanAccessPeer") == 0);
    CHECK(fake.calls("cuMemPoolSetAccess") == 0);
}

TEST_CASE("KGEN_PEER_ACCESS is auto or 0", "[cuda][peer]") {
    const FakeCuda fake;
    for (const char* value : {"1", "off", "AUTO"}) {
        const ScopedVariable access("KGEN_PEER_ACCESS", value);
        CHECK(KGEN_MESSAGE_OF(DeviceError, use_first(0)) ==
              std::string("KGEN_PEER_ACCESS is '") + value + "'; expected auto or 0");
    }
    CHECK(fake.calls("cuMemPoolCreate") == 0);
}

TEST_CASE("a pool that cannot be opened to one GPU is opened to the others", "[cuda][peer]") {
    const ScopedVariable devices("FAKE_CUDA_DEVICES", "4");
    {
        const ScopedVariable closed("FAKE_CUDA_CLOSED_POOLS", "12");
        const FakeCuda fake;
        use_first(1);
        CHECK(std::string(fake.record().pool_log) ==
              "create 1; open 1 to 0; open 1 to 3; allocate 1; allocate 1; ");
        CHECK(fake.calls("cuMemPoolSetAccess") == 4);
    }
    const ScopedVariable failure("FAKE_CUDA_FAIL", "cuDeviceCanAccessPeer:1");
    const FakeCuda fake;
    use_first(1);
    CHECK(std::string(fake.record().pool_log) == "create 1; allocate 1; allocate 1; ");
}
