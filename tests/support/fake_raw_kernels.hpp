// SPDX-License-Identifier: MIT
//
// Raw kernels on the fake driver (support/fake_cuda.hpp): a library given as text, and the
// launches of its kernels.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"

namespace kgen::test {

inline constexpr const char* library_text = R"(fake library
kernel axpy 0:4 8:8 16:8 24:8
kernel empty
kernel large threads=640 registers=96
kernel bound threads=256 registers=24
kernel sharing shared=1024
kernel clustered cluster=2,1,1
kernel open must_be_given_cluster=1
global counter 4
managed total 8
)";

inline constexpr const char* ptx_text = R"(
.target sm_90
.global .align 4 .u32 counter;
.visible .entry axpy(.param .f32 a, .param .u64 b, .param .u64 c, .param .u64 d)
{
	ld.param.u64 %rd1, [b];
	cvta.to.global.u64 %rd2, %rd1;
	ret;
}
)";

inline std::vector<std::byte> bytes_of(const char* text) {
    const auto* first = reinterpret_cast<const std::byte*>(text);
    return {first, first + std::strlen(text) + 1};
}

inline Image raw_image(const char* arch = "sm_90") {
    Image image;
    image.target = {DeviceKind::cuda, arch};
    image.sections.push_back({ImageKind::cubin, bytes_of(library_text)});
    image.sections.push_back({ImageKind::ptx, bytes_of(ptx_text)});
    return image;
}

struct RawFixture {
    FakeCuda fake;
    DriverLibrary driver{FakeCuda::path()};
    CudaBackend backend{driver, 0};
    const RawBackend& raw = backend.raw();
    std::shared_ptr<const LoadedModule> module = raw.load_module(raw_image(), "filters.cu");

    std::shared_ptr<const LoadedKernel> kernel(const char* name) const {
        return module->kernel(name);
    }
    // Launches a kernel that has no parameters.
    void launch(const char* name, const LaunchConfig& config) const {
        raw.launch(*kernel(name), config, nullptr, 0, nullptr, name);
    }
    std::string refusal(const char* name, const LaunchConfig& config) const {
        const int before = launches();
        const std::string message = KGEN_MESSAGE_OF(DeviceError, launch(name, config));
        CHECK(launches() == before);
        return message;
    }
    int launches() const { return fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx"); }
    const FakeCudaLaunch& seen() const { return fake.record().launch; }
};

inline bool is(const unsigned (&extents)[3], unsigned x, unsigned y, unsigned z) {
    return extents[0] == x && extents[1] == y && extents[2] == z;
}

}  // namespace kgen::test
