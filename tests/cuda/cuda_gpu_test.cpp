// SPDX-License-Identifier: MIT
//
// Tests of CudaBackend and NVRTC on a GPU. Without a GPU each test reports that it was skipped.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <kgen/stream.hpp>
#include <numeric>
#include <thread>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "device/registry.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"

using namespace kgen;

namespace {

// Returns nullptr, after a warning, if there is no GPU.
const Backend* gpu() {
    if (device_count(DeviceKind::cuda) > 0) return &backend(Device::cuda(0));
    WARN("skipped: this test needs a GPU");
    return nullptr;
}

bool has_nvrtc() {
    try {
        compiler(DeviceKind::cuda).producer();
        return true;
    } catch (const DeviceError&) {
        WARN("skipped: this test needs NVRTC");
        return false;
    }
}

// y[k] = a * x[k] + y[k], after waiting for `cycles` clock cycles.
constexpr const char* axpy_source = R"(
struct Parameters { float* x; float* y; long long n; float a; int cycles; };
extern "C" __global__ void axpy(Parameters p) {
    const long long start = clock64();
    while (clock64() - start < p.cycles) {}
    const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < p.n) p.y[k] = p.a * p.x[k] + p.y[k];
}
)";

struct Parameters {
    void* x;
    void* y;
    long long n;
    float a;
    int cycles;
};

Image compile(const std::string& source, const std::string& symbol) {
    return compiler(DeviceKind::cuda)
        .compile({symbol, source, symbol, {}, default_target(DeviceKind::cuda)});
}

// Device memory, freed on the stream that it was allocated on.
class Block {
public:
    Block(const Backend& owner, std::size_t bytes, StreamHandle stream = nullptr)
        : owner_(owner), bytes_(bytes), stream_(stream), pointer_(owner.allocate(bytes, stream)) {}
    ~Block() { owner_.free(pointer_, bytes_, stream_); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    void* get() const { return pointer_; }

    template <typename T>
    void put(const std::vector<T>& values) const {
        owner_.copy(pointer_,
                    values.data(),
                    values.size() * sizeof(T),
                    CopyDirection::host_to_device,
                    stream_);
    }
    template <typename T>
    std::vector<T> read(std::size_t count) const {
        std::vector<T> values(count);
        owner_.copy(
            values.data(), pointer_, count * sizeof(T), CopyDirection::device_to_host, stream_);
        return values;
    }

private:
    const Backend& owner_;
    std::size_t bytes_;
    StreamHandle stream_;
    void* pointer_;
};

std::vector<float> counted(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

}  // namespace

TEST_CASE("gpu: the device is described", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    CHECK(device->target().arch.substr(0, 3) == "sm_");
    CHECK(device->limits().processor_count > 0);
    CHECK(device->limits().memory_bytes > (std::int64_t{1} << 30));
    CHECK(device->limits().max_threads_per_block >= 1024);
    CHECK(default_target(DeviceKind::cuda) == device->target());
    WARN("GPU: " << device->description());
}

TEST_CASE("gpu: bytes survive the way to the device and back", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{10'000'019}}) {
        const std::vector<float> values = counted(count);
        const Block a(*device, count * sizeof(float));
        const Block b(*device, count * sizeof(float));
        CHECK(reinterpret_cast<std::uintptr_t>(a.get()) % 256 == 0);
        a.put(values);
        device->copy(
            b.get(), a.get(), count * sizeof(float), CopyDirection::device_to_device, nullptr);
        CHECK(b.read<float>(count) == values);
        device->fill_bytes(b.get(), 0x7f, count * sizeof(float), nullptr);
        CHECK(b.read<std::uint32_t>(count) == std::vector<std::uint32_t>(count, 0x7f7f7f7fu));
    }
}

TEST_CASE("gpu: a compiled kernel runs and gives the right numbers", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr || !has_nvrtc()) return;
    const auto kernel = device->load(compile(axpy_source, "axpy"));
    constexpr std::size_t count = 100'003;
    const Block x(*device, count * sizeof(float));
    const Block y(*device, count * sizeof(float));
    x.put(counted(count));
    y.put(std::vector<float>(count, 1.0f));
    const Parameters parameters = {x.get(), y.get(), count, 2.0f, 0};
    device->launch(*kernel,
                   {.grid = (count + 127) / 128, .block = 128},
                   &parameters,
                   sizeof parameters,
                   nullptr,
                   "axpy");
    const std::vector<float> result = y.read<float>(count);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < count; ++k) {
        if (result[k] != 2.0f * static_cast<float>(k) + 1.0f) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("gpu: the PTX of an image loads where its cubin is left out", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr || !has_nvrtc()) return;
    Image image = compile(axpy_source, "axpy");
    REQUIRE(image.sections.size() == 2);
    image.sections.erase(image.sections.begin());
    const auto kernel = device->load(image);
    const Block y(*device, 4);
    y.put(std::vector<float>{3.0f});
    const Parameters parameters = {y.get(), y.get(), 1, 2.0f, 0};
    device->launch(
        *kernel, {.grid = 1, .block = 32}, &parameters, sizeof parameters, nullptr, "axpy");
    CHECK(y.read<float>(1) == std::vector<float>{9.0f});
}

TEST_CASE("gpu: rejected images and symbols are told by their codes", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr || !has_nvrtc()) return;
    const auto code_of = [&](const Image& image) {
        try {
            device->load(image);
        } catch (const DeviceError& error) {
            return error.code();
        }
        return 0;
    };
    Image image = compile(axpy_source, "axpy");
    CHECK(code_of(image) == 0);
    Image renamed = image;
    renamed.symbol = "absent";
    CHECK(code_of(renamed) == CUDA_ERROR_NOT_FOUND);
    Image damaged = image;
    damaged.sections[0].bytes.assign(64, std::byte{0x5a});
    damaged.sections[0].bytes.back() = std::byte{0};  // a NUL, which would end a text
    const int damaged_code = code_of(damaged);
    INFO(damaged_code);
    CHECK((damaged_code == CUDA_ERROR_INVALID_IMAGE || damaged_code == CUDA_ERROR_INVALID_SOURCE ||
           damaged_code == CUDA_ERROR_INVALID_PTX));
    CompileJob other = {"axpy", axpy_source, "axpy", {}, device->target()};
    other.target.arch = device->target().arch.substr(0, 4) == "sm_9" ? "sm_80" : "sm_90";
    CHECK(code_of(compiler(DeviceKind::cuda).compile(other)) == CUDA_ERROR_NO_BINARY_FOR_GPU);
    CHECK_NOTHROW(device->synchronize());
}

TEST_CASE("gpu: streams keep their order, and events order them among each other", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr || !has_nvrtc()) return;
    const auto kernel = device->load(compile(axpy_source, "axpy"));
    const Stream slow = Stream::create(Device::cuda(0));
    const Stream quick = Stream::create(Device::cuda(0));
    const Block y(*device, 4, slow.handle());
    y.put(std::vector<float>{1.0f});
    const Parameters first = {y.get(), y.get(), 1, 1.0f, 50'000'000};  // 1 -> 2, late
    const Parameters second = {y.get(), y.get(), 1, 2.0f, 0};          // 2 -> 6, waits for it
    const LaunchShape one = {.grid = 1, .block = 1};

    Event before(Device::cuda(0));
    Event after(Device::cuda(0));
    before.record(slow);
    device->launch(*kernel, one, &first, sizeof first, slow.handle(), "axpy");
    after.record(slow);
    CHECK_FALSE(slow.is_idle());
    CHECK_FALSE(after.is_done());
    CHECK(quick.is_idle());
    quick.wait(after);
    device->launch(*kernel, one, &second, sizeof second, quick.handle(), "axpy");
    quick.synchronize();
    CHECK(after.is_done());
    CHECK(y.read<float>(1) == std::vector<float>{6.0f});
    CHECK(after.elapsed_ms(before) > 1.0);
}

TEST_CASE("gpu: memory that is freed while in use is reused in stream order alone", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr || !has_nvrtc()) return;
    const auto kernel = device->load(compile(axpy_source, "axpy"));
    const Stream stream = Stream::create(Device::cuda(0));
    const Block y(*device, 4, stream.handle());
    y.put(std::vector<float>{1.0f});
    void* x = device->allocate(4, stream.handle());
    const float value = 5.0f;
    device->copy(x, &value, 4, CopyDirection::host_to_device, stream.handle());
    const Parameters late = {x, y.get(), 1, 1.0f, 20'000'000};  // y = 5 + 1, reads x late
    device->launch(*kernel, {.grid = 1, .block = 1}, &late, sizeof late, stream.handle(), "axpy");
    device->free(x, 4, stream.handle());
    void* again = device->allocate(4, stream.handle());
    CHECK(again == x);
    device->fill_bytes(
        again, 0, 4, stream.handle());  // after the kernel, in the order of the stream
    CHECK(y.read<float>(1) == std::vector<float>{6.0f});
    device->free(again, 4, stream.handle());
}

TEST_CASE("gpu: threads launch on their own streams at once", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr || !has_nvrtc()) return;
    const auto kernel = device->load(compile(axpy_source, "axpy"));
    std::array<int, 8> right = {};
    std::vector<std::thread> threads;
    for (std::size_t index = 0; index < right.size(); ++index) {
        threads.emplace_back([&, index] {
            const Stream stream = Stream::create(Device::cuda(0));
            for (int round = 0; round < 50; ++round) {
                const Block y(*device, 4096, stream.handle());
                y.put(std::vector<float>(1024, static_cast<float>(index)));
                const Parameters parameters = {y.get(), y.get(), 1024, 1.0f, 0};
                device->launch(*kernel,
                               {.grid = 8, .block = 128},
                               &parameters,
                               sizeof parameters,
                               stream.handle(),
                               "axpy");
                if (y.read<float>(1024) ==
                    std::vector<float>(1024, 2.0f * static_cast<float>(index))) {
                    ++right[index];
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const int count : right) CHECK(count == 50);
}

TEST_CASE("gpu: more memory than there is, is refused and the device stays usable", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    const auto bytes = static_cast<std::size_t>(device->limits().memory_bytes) * 2;
    try {
        device->free(device->allocate(bytes, nullptr), bytes, nullptr);
        FAIL("allocated twice the memory");
    } catch (const DeviceError& error) {
        CHECK(error.code() == CUDA_ERROR_OUT_OF_MEMORY);
        CHECK(std::string(error.what()).find("cuda:0: out of memory: cannot allocate ") == 0);
    }
    const Block block(*device, 1000);
    CHECK_NOTHROW(device->synchronize());
}

TEST_CASE("gpu: more than 48 KiB of shared memory works", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr || !has_nvrtc()) return;
    const auto kernel = device->load(compile(R"(
extern "C" __global__ void reverse(int* y) {
    extern __shared__ int shared[];
    for (int k = threadIdx.x; k < 16384; k += blockDim.x) shared[k] = k;
    __syncthreads();
    if (threadIdx.x == 0) y[0] = shared[16383];
}
)",
                                             "reverse"));
    const Block y(*device, 4);
    void* parameter = y.get();
    device->launch(*kernel,
                   {.grid = 1, .block = 256, .shared_bytes = 65536},
                   &parameter,
                   sizeof parameter,
                   nullptr,
                   "reverse");
    CHECK(y.read<int>(1) == std::vector<int>{16383});
}

TEST_CASE("gpu: another context that was current is replaced by the primary one", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    const DriverApi& api = DriverLibrary::get().api();
    const Block block(*device, 4);
    std::thread([&] {
        CHECK(api.context_set_current(nullptr) == CUDA_SUCCESS);
        block.put(std::vector<int>{42});
        CUcontext current = nullptr;
        CHECK(api.context_get_current(&current) == CUDA_SUCCESS);
        CHECK(current != nullptr);
    }).join();
    CHECK(block.read<int>(1) == std::vector<int>{42});
}

TEST_CASE("fresh: a kernel writes to an address that is not there", "[.fresh]") {
    const Backend& device = backend(Device::cuda(0));
    const auto kernel = device.load(compile(axpy_source, "axpy"));
    const Block y(device, 4);
    const Parameters wild = {y.get(), reinterpret_cast<void*>(std::uintptr_t{16}), 1, 1.0f, 0};
    device.launch(*kernel, {.grid = 1, .block = 1}, &wild, sizeof wild, nullptr, "wild");
    const std::string first = KGEN_MESSAGE_OF(DeviceError, device.synchronize());
    const std::string later = KGEN_MESSAGE_OF(DeviceError, device.allocate(4, nullptr));
    report(first + (first == later ? "|same" : "|" + later));
}

TEST_CASE("gpu: a wild write is one error that names the kernel, and the process ends cleanly",
          "[cuda][gpu]") {
    if (gpu() == nullptr || !has_nvrtc()) return;
    const FreshResult result =
        run_fresh("fresh: a kernel writes to an address that is not there", {});
    CHECK(
        result.text ==
        "cuda:0: cuCtxSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
        "encountered)\n"
        "an earlier launch failed; the last ones: 'axpy' with grid (1, 1, 1) and block (1, 1, 1)\n"
        "cuda:0 can no longer be used by this process: start the process again; set KGEN_SYNC=1 to "
        "find the "
        "launch that fails|same");
    CHECK(result.exit_status == 0);
}

TEST_CASE("gpu: arrays travel between devices", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    if (device_count(DeviceKind::cuda) < 2) {
        WARN("skipped: this test needs two GPUs");
        return;
    }
    const Backend& other = backend(Device::cuda(1));
    const std::vector<float> values = counted(100'000);
    const Block there(other, values.size() * sizeof(float));
    const Block here(*device, values.size() * sizeof(float));
    there.put(values);
    device->copy_from_peer(
        here.get(), there.get(), values.size() * sizeof(float), other, nullptr, nullptr);
    CHECK(here.read<float>(values.size()) == values);
}

TEST_CASE("gpu: warm allocation and launch cost what they should", "[cuda][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr || !has_nvrtc()) return;
    // The times are printed and not checked, because machines differ.
    const auto kernel = device->load(compile(axpy_source, "axpy"));
    const auto ns_each = [&](int count, auto&& run) {
        const auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < count; ++k) run();
        const std::chrono::duration<double, std::nano> spent =
            std::chrono::steady_clock::now() - start;
        return spent.count() / count;
    };
    const Stream stream = Stream::create(Device::cuda(0));
    for (StreamHandle handle : {StreamHandle(), stream.handle()}) {
        device->free(device->allocate(4096, handle), 4096, handle);
        const double allocation =
            ns_each(10000, [&] { device->free(device->allocate(4096, handle), 4096, handle); });
        const Block y(*device, 4, handle);
        const Parameters parameters = {y.get(), y.get(), 0, 1.0f, 0};
        device->synchronize();
        const double launch = ns_each(400, [&] {
            device->launch(
                *kernel, {.grid = 1, .block = 32}, &parameters, sizeof parameters, handle, "axpy");
        });
        device->synchronize();
        WARN((handle == nullptr ? "legacy" : "created")
             << " stream: allocate and free " << allocation << " ns, launch " << launch << " ns");
        CHECK(allocation > 0);
    }
}
