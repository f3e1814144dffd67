// SPDX-License-Identifier: MIT
//
// Tests that kgen reads the size of an accumulator from the compiled code. The code comes from the real
// NVRTC. The fake CUDA driver (support/fake_cuda.hpp) reads it, and a GPU if there is one.
#include <kgen/error.hpp>

#include "cuda/cuda_backend.hpp"
#include "device/registry.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"

using namespace kgen;

namespace {

constexpr const char* best_source = R"(
struct Best { double value; long long index; bool found; };
extern "C" __global__ void best(float* x) { x[0] = 1; }
extern "C" __global__ void accumulator(Best) {}
)";

// Returns an image without sections, after a warning, if there is no NVRTC.
Image compile(const std::string& accumulator_symbol, const Target& target) {
    try {
        compiler(DeviceKind::cuda).producer();
    } catch (const DeviceError&) {
        WARN("skipped: this test needs NVRTC");
        return {};
    }
    return compiler(DeviceKind::cuda)
        .compile({.kernel = "best",
                  .source = best_source,
                  .symbol = "best",
                  .target = target,
                  .accumulator_symbol = accumulator_symbol});
}

}  // namespace

TEST_CASE("an image's code tells the size of the accumulator that the image names", "[cuda]") {
    const Target target = {DeviceKind::cuda, "sm_90"};
    const Image image = compile("accumulator", target);
    if (image.sections.empty()) return;
    CHECK(image.accumulator_symbol == "accumulator");
    const FakeCuda fake;
    fake.record().parameter_size = 0;  // read from the code
    const DriverLibrary driver(FakeCuda::path());
    const CudaBackend backend(driver, 0);
    const auto kernel = backend.load(image);
    CHECK(kernel->accumulator_bytes() == 24);
    const void* parameter = nullptr;
    CHECK_NOTHROW(backend.launch(
        *kernel, {.grid = 1, .block = 1}, &parameter, sizeof parameter, nullptr, "best"));
    CHECK(backend.load(compile({}, target))->accumulator_bytes() == 0);
}

TEST_CASE("an accumulator that the code does not have is an error that names it", "[cuda]") {
    const FakeCuda fake;
    const DriverLibrary driver(FakeCuda::path());
    const CudaBackend backend(driver, 0);
    Image image;
    image.target = {DeviceKind::cuda, "sm_90"};
    image.symbol = "best";
    image.accumulator_symbol = "absent";
    image.sections.push_back({ImageKind::ptx, {std::byte{'p'}, std::byte{0}}});
    CHECK(KGEN_MESSAGE_OF(DeviceError, backend.load(image)) ==
          "cuda:0: loading 'best' for sm_90: its accumulator 'absent': cuLibraryGetKernel failed: "
          "error 500");
    CHECK(fake.calls("cuLibraryUnload") == 1);
    image.accumulator_symbol = "accumulator";
    fake.record().accumulator_size = 0;
    CHECK(KGEN_MESSAGE_OF(DeviceError, backend.load(image)) ==
          "cuda:0: loading 'best' for sm_90: its accumulator 'accumulator': cuKernelGetParamInfo "
          "failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_CASE("gpu: the driver tells the size of an accumulator", "[cuda][gpu]") {
    if (device_count(DeviceKind::cuda) == 0) {
        WARN("skipped: this test needs a GPU");
        return;
    }
    Image image = compile("accumulator", default_target(DeviceKind::cuda));
    if (image.sections.empty()) return;
    CHECK(backend(Device::cuda(0)).load(image)->accumulator_bytes() == 24);
    image.sections.erase(image.sections.begin());  // PTX
    CHECK(backend(Device::cuda(0)).load(image)->accumulator_bytes() == 24);
    image.accumulator_symbol = "absent";
    CHECK_THROWS_AS(backend(Device::cuda(0)).load(image), DeviceError);
}
