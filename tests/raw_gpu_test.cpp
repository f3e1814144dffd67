// SPDX-License-Identifier: MIT
//
// CudaRaw on a GPU: kernels with any parameters, launches with each attribute, and, in processes of
// their own, what becomes of a GPU that is lost. Without a GPU each test says that it was skipped.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "device/registry.hpp"
#include "support/captured_graph.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"

using namespace kgen;

namespace {

// nullptr, said loudly, where there is no GPU or no NVRTC.
const Backend* gpu() {
    if (device_count(DeviceKind::cuda) == 0) {
        WARN("skipped: this test needs a GPU");
        return nullptr;
    }
    try {
        compiler(DeviceKind::cuda).producer();
    } catch (const DeviceError&) {
        WARN("skipped: this test needs NVRTC");
        return nullptr;
    }
    return &backend(Device::cuda(0));
}

bool has_clusters() {
    return backend(Device::cuda(0)).target().arch.substr(0, 4) != "sm_8";
}

constexpr const char* source = R"(
struct Pair { char c; double d; };
__device__ int counter = 5;
__constant__ float table[4] = {1, 2, 3, 4};
__managed__ int total = 7;
extern "C" __global__ void fill(float* y, char c, Pair pair, short s, long long n, float a) {
    const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < n) y[k] = a + c + (float)pair.d + pair.c + s + table[k % 4] + counter + total;
}
extern "C" __global__ void __launch_bounds__(128) bounded(int* y) { *y = 1; }
extern "C" __global__ void dynamic(int* y, int count) {
    extern __shared__ int shared[];
    __shared__ int last[4];
    for (int k = threadIdx.x; k < count; k += blockDim.x) shared[k] = k;
    __syncthreads();
    if (threadIdx.x == 0) {
        last[0] = shared[count - 1];
        y[0] = last[0];
    }
}
extern "C" __global__ void extents(unsigned* y) {
    if (threadIdx.x + threadIdx.y + threadIdx.z != 0 ||
        blockIdx.x + blockIdx.y + blockIdx.z != 0)
        return;
    y[0] = gridDim.x, y[1] = gridDim.y, y[2] = gridDim.z;
    y[3] = blockDim.x, y[4] = blockDim.y, y[5] = blockDim.z;
}
extern "C" __global__ void clusters(unsigned* y) {
    unsigned rank, count;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
    if (threadIdx.x == 0) y[blockIdx.x] = rank * 100 + count;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) paired(unsigned* y) {
    unsigned count;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    if (threadIdx.x == 0) y[blockIdx.x] = count;
}
extern "C" __global__ void together(unsigned* arrived, unsigned* y) {
    if (threadIdx.x != 0) return;
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x) {}
    y[blockIdx.x] = 1;
}
extern "C" __global__ void first(int* y) {
    asm volatile("griddepcontrol.launch_dependents;");
    const long long start = clock64();
    while (clock64() - start < 1000000) {}
    *y = 1;
}
extern "C" __global__ void second(int* y) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    *y = *(volatile int*)y * 10 + 2;
}
extern "C" __global__ void store(int* y) { y[threadIdx.x] = 1; }
extern "C" __global__ void trap() { asm volatile("trap;"); }
extern "C" __global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {}
}
)";

Image compile(const std::string& text, std::vector<std::string> options = {"-I/none"}) {
    Image image = compiler(DeviceKind::cuda)
                      .compile({.kernel = "raw",
                                .source = text,
                                .symbol = "",
                                .options = std::move(options),
                                .target = default_target(DeviceKind::cuda),
                                .kind = SourceKind::raw});
    return image;
}

const LoadedModule& module() {
    static const auto loaded =
        backend(Device::cuda(0)).raw().load_module(compile(source), "raw.cu");
    return *loaded;
}

// Lays the arguments out as the kernel's parameters are, and launches.
template <typename... Arguments>
void launch(const char* name, const LaunchConfig& config, const Arguments&... arguments) {
    const Backend& device = backend(Device::cuda(0));
    const auto kernel = module().kernel(name);
    REQUIRE(kernel != nullptr);
    const auto parameters = kernel->parameters();
    REQUIRE(parameters.size() == sizeof...(arguments));
    std::vector<unsigned char> bytes(
        parameters.empty() ? 0 : parameters.back().offset + parameters.back().bytes);
    std::size_t index = 0;
    [[maybe_unused]] const auto put = [&](const void* argument, std::size_t size) {
        REQUIRE(parameters[index].bytes == size);
        std::memcpy(bytes.data() + parameters[index++].offset, argument, size);
    };
    (put(&arguments, sizeof arguments), ...);
    const StreamHandle stream = config.stream ? config.stream->handle() : nullptr;
    device.raw().launch(*kernel, config, bytes.data(), bytes.size(), stream, name);
}

class Block {
public:
    explicit Block(std::size_t bytes) : bytes_(bytes), pointer_(device_.allocate(bytes, nullptr)) {
        device_.fill_bytes(pointer_, 0, bytes, nullptr);
    }
    ~Block() { device_.free(pointer_, bytes_, nullptr); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    void* get() const { return pointer_; }
    template <typename T>
    std::vector<T> read(std::size_t count) const {
        std::vector<T> values(count);
        device_.copy(values.data(), pointer_, count * sizeof(T), CopyDirection::device_to_host, {});
        return values;
    }

private:
    const Backend& device_ = backend(Device::cuda(0));
    std::size_t bytes_;
    void* pointer_;
};

struct Pair {
    char c;
    double d;
};

std::string kinds_of(const LoadedKernel& kernel) {
    std::string text;
    for (const KernelParameter& each : kernel.parameters())
        text += "?ifpa"[static_cast<int>(each.kind)];
    return text;
}

}  // namespace

TEST_CASE("gpu: parameters of all sizes reach a raw kernel", "[cuda][raw][gpu]") {
    if (gpu() == nullptr) return;
    const auto kernel = module().kernel("fill");
    CHECK(kinds_of(*kernel) == "piaiif");
    const Block y(1000 * sizeof(float));
    void* data = y.get();
    launch("fill",
           {.grid = {8}, .block = {128}},
           data,
           char{1},
           Pair{2, 30.0},
           short{400},
           std::int64_t{1000},
           5000.0f);
    std::vector<float> expected(1000);
    for (std::size_t k = 0; k < expected.size(); ++k)
        expected[k] = 5000.0f + 1 + 30 + 2 + 400 + static_cast<float>(1 + k % 4) + 5 + 7;
    CHECK(y.read<float>(1000) == expected);
}

TEST_CASE("gpu: a module tells its kernels and its variables", "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    std::vector<std::string> symbols = module().kernel_symbols();
    std::sort(symbols.begin(), symbols.end());
    CHECK(symbols == std::vector<std::string>{"bounded",
                                              "clusters",
                                              "dynamic",
                                              "extents",
                                              "fill",
                                              "first",
                                              "paired",
                                              "second",
                                              "spin",
                                              "store",
                                              "together",
                                              "trap"});
    std::vector<std::string> variables = module().variable_symbols();
    std::sort(variables.begin(), variables.end());
    CHECK(variables == std::vector<std::string>{"counter", "table", "total"});
    CHECK(module().kernel("nothing") == nullptr);
    CHECK_FALSE(module().variable("nothing").has_value());
    // Named by no expression: the compiler may have made them local.
    const auto table = module().variable("table");
    REQUIRE(table.has_value());
    CHECK(table->bytes == 16);
    std::vector<float> values(4);
    device->copy(values.data(), table->pointer, 16, CopyDirection::device_to_host, nullptr);
    CHECK(values == std::vector<float>{1, 2, 3, 4});
    const auto counter = module().variable("counter");
    REQUIRE(counter.has_value());
    CHECK(counter->bytes == 4);
    const auto total = module().variable("total");
    REQUIRE(total.has_value());
    CHECK(total->bytes == 4);
}

TEST_CASE("gpu: the PTX alone loads, with the same parameters and variables", "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    Image image = compile(source);
    const ImageSection ptx = *image.find(ImageKind::ptx);
    image.sections = {ptx};
    const auto loaded = device->raw().load_module(image, "raw.ptx");
    const auto with_cubin = module().kernel("fill");
    const auto with_ptx = loaded->kernel("fill");
    REQUIRE(with_ptx != nullptr);
    const auto table_of = [](const LoadedKernel& kernel) {
        return std::vector<KernelParameter>(kernel.parameters().begin(), kernel.parameters().end());
    };
    CHECK(table_of(*with_ptx) == table_of(*with_cubin));
    CHECK(loaded->variable("counter").has_value());
    CHECK(loaded->kernel_symbols().size() == module().kernel_symbols().size());
}

TEST_CASE("gpu: code for another GPU and damaged PTX say what is wrong", "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    const std::string own = device->target().arch;
    const std::string other = own == "sm_80" ? "sm_90" : "sm_80";
    const Image image = compiler(DeviceKind::cuda)
                            .compile({.kernel = "raw",
                                      .source = "extern \"C\" __global__ void k() {}",
                                      .symbol = "",
                                      .options = {"-I/none"},
                                      .target = {DeviceKind::cuda, other},
                                      .kind = SourceKind::raw});
    const auto load = [&](const Image& each) {
        const auto loaded = device->raw().load_module(each, "x");
        return loaded->kernel("k");  // the driver may look at the code only now
    };
    CHECK(KGEN_MESSAGE_OF(DeviceError, load(image)) ==
          "module 'x' on cuda:0: its code is for " + other + ", the GPU is " + own);
    Image text;
    const std::string broken = ".version 8.0\n.target sm_80\n.address_size 64\nnonsense;\n";
    const auto* first = reinterpret_cast<const std::byte*>(broken.data());
    text.sections.push_back({ImageKind::ptx, {first, first + broken.size()}});
    const std::string message = KGEN_MESSAGE_OF(DeviceError, load(text));
    INFO(message);
    CHECK(message.find("module 'x' on cuda:0: cuLibraryLoadData failed: CUDA_ERROR_INVALID_PTX") ==
          0);
    CHECK(message.find("\nptxas ") != std::string::npos);
    CHECK_NOTHROW(device->synchronize());
}

TEST_CASE("gpu: extents reach the kernel, and the limits are those of the driver",
          "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    const Block y(6 * sizeof(unsigned));
    void* data = y.get();
    launch("extents", {.grid = {3, 4, 5}, .block = {6, 7, 2}}, data);
    CHECK(y.read<unsigned>(6) == std::vector<unsigned>{3, 4, 5, 6, 7, 2});
    // The largest that pass kgen's checks pass the driver's too.
    launch("extents", {.grid = {1, 65535}, .block = {1024}}, data);
    launch("extents", {.grid = {1, 1, 65535}, .block = {16, 1, 64}}, data);
    launch("extents", {.grid = {2147483647}, .block = {1}}, data);
    CHECK_NOTHROW(device->synchronize());
    CHECK(y.read<unsigned>(6) == std::vector<unsigned>{2147483647, 1, 1, 1, 1, 1});
    CHECK(KGEN_MESSAGE_OF(DeviceError, launch("bounded", {.block = {256}}, data)) ==
          "kernel 'bounded': 256 threads in a block (256, 1, 1), at most 128 by its "
          "__launch_bounds__");
}

TEST_CASE("gpu: all the shared memory there is can be used", "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    const auto kernel = module().kernel("dynamic");
    const KernelAttributes before = device->raw().attributes(*kernel);
    CHECK(before.shared_bytes == 16);
    CHECK(before.binary_version / 10 == std::stoi(device->target().arch.substr(3)) / 10);
    int most = 0;
    REQUIRE(DriverLibrary::get().api().device_get_attribute(
                &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0) == CUDA_SUCCESS);
    const Block y(sizeof(int));
    void* data = y.get();
    for (const int bytes : {1024, 49152 - 16, 49152, 65536, most - 16}) {
        INFO(bytes);
        launch("dynamic", {.block = {256}, .shared_bytes = bytes}, data, bytes / 4);
        CHECK(y.read<int>(1) == std::vector<int>{bytes / 4 - 1});
    }
    CHECK(device->raw().attributes(*kernel).max_dynamic_shared_bytes == most - 16);
    CHECK(KGEN_MESSAGE_OF(DeviceError, launch("dynamic", {.shared_bytes = most - 15}, data, 1)) ==
          "kernel 'dynamic': " + std::to_string(most - 15) +
              " bytes of shared memory and 16 of its own, cuda:0 has at most " +
              std::to_string(most));
    device->raw().set(*kernel, KernelSetting::shared_carveout, 100, "dynamic");
    CHECK(device->raw().attributes(*kernel).shared_carveout == 100);
}

TEST_CASE("gpu: clusters of each size run, and their kernels know them", "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    if (!has_clusters()) {
        WARN("skipped: this test needs sm_90");
        return;
    }
    const auto kernel = module().kernel("clusters");
    const Block y(32 * sizeof(unsigned));
    void* data = y.get();
    for (const unsigned size : {1u, 2u, 4u, 8u, 16u}) {
        INFO(size);
        const LaunchConfig config = {.grid = {32}, .block = {64}, .cluster = {size}};
        if (device->raw().max_clusters(*kernel, config) == 0) {
            WARN("clusters of " << size << " do not fit");
            CHECK_THROWS_AS(launch("clusters", config, data), DeviceError);
            continue;
        }
        launch("clusters", config, data);
        std::vector<unsigned> expected(32);
        for (unsigned k = 0; k < 32; ++k) expected[k] = k % size * 100 + size;
        CHECK(y.read<unsigned>(32) == expected);
    }
    launch("paired", {.grid = {4}, .block = {32}}, data);
    CHECK(y.read<unsigned>(4) == std::vector<unsigned>{2, 2, 2, 2});
    launch("paired", {.grid = {4}, .block = {32}, .cluster = {2}}, data);
    CHECK(device->raw().max_clusters(*module().kernel("paired"), {.block = {32}}) > 0);
    CHECK(KGEN_MESSAGE_OF(DeviceError, launch("paired", {.grid = {4}, .cluster = {4}}, data)) ==
          "kernel 'paired': cluster (4, 1, 1): the kernel was compiled for (2, 1, 1) "
          "(__cluster_dims__)");
    CHECK_NOTHROW(device->synchronize());
}

TEST_CASE("gpu: a cooperative grid that just fits runs, one block more is refused",
          "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    const auto kernel = module().kernel("together");
    const int blocks =
        device->raw().max_blocks_per_processor(*kernel, 256, 0) * device->limits().processor_count;
    const auto bytes = static_cast<std::size_t>(blocks + 1) * sizeof(unsigned);
    const Block arrived(sizeof(unsigned));
    const Block y(bytes);
    void* counter = arrived.get();
    void* data = y.get();
    launch("together", {.grid = {blocks}, .block = {256}, .cooperative = true}, counter, data);
    const std::vector<unsigned> values = y.read<unsigned>(static_cast<std::size_t>(blocks));
    CHECK(std::accumulate(values.begin(), values.end(), 0u) == static_cast<unsigned>(blocks));
    CHECK(KGEN_MESSAGE_OF(DeviceError,
                          launch("together",
                                 {.grid = {blocks + 1}, .block = {256}, .cooperative = true},
                                 counter,
                                 data)) ==
          "kernel 'together': " + std::to_string(blocks + 1) + " blocks (" +
              std::to_string(blocks + 1) + ", 1, 1) of 256 threads in a cooperative grid, cuda:0 " +
              "holds at most " + std::to_string(blocks) + " of them at once");
}

TEST_CASE("gpu: priorities and programmatic dependent launches keep the order",
          "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    if (!has_clusters()) {
        WARN("skipped: this test needs sm_90");
        return;
    }
    const Block y(sizeof(int));
    void* data = y.get();
    device->synchronize();
    const Stream stream = Stream::create(Device::cuda(0));
    for (int round = 0; round < 20; ++round) {
        launch("first", {.stream = stream, .priority = 3}, data);
        launch(
            "second", {.stream = stream, .priority = -100, .programmatic_dependent = true}, data);
        stream.synchronize();
        CHECK(y.read<int>(1) == std::vector<int>{12});
    }
}

TEST_CASE("gpu: raw launches can be captured, their modules loaded meanwhile", "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    const Image image = compile("extern \"C\" __global__ void add(int* y) { *y += 3; }");
    const Block y(sizeof(int));
    void* data = y.get();
    device->synchronize();
    const Stream stream = Stream::create(Device::cuda(0));
    test::CapturedGraph graph(stream.handle(), [&] {
        const auto kernel = device->raw().load_module(image, "add.cu")->kernel("add");
        device->raw().launch(*kernel, {}, &data, sizeof data, stream.handle(), "add");
    });
    for (int k = 0; k < 5; ++k) graph.launch(stream.handle());
    stream.synchronize();
    CHECK(y.read<int>(1) == std::vector<int>{15});
}

TEST_CASE("gpu: what a raw launch costs", "[cuda][raw][gpu]") {
    const Backend* device = gpu();
    if (device == nullptr) return;
    // Printed, not asserted: machines differ. The driver's own launch is measured in the same rounds.
    const auto kernel = module().kernel("store");
    const Block y(1024 * sizeof(int));
    void* data = y.get();
    const Stream stream = Stream::create(Device::cuda(0));
    const std::string name = "store";
    const LaunchConfig plain = {.block = {32}};
    const LaunchConfig special = {.block = {32}, .cooperative = true, .priority = 0};
    const auto function = static_cast<CUfunction>(kernel->native_function());
    const DriverApi& api = DriverLibrary::get().api();
    const auto by_driver = [&] {
        std::size_t bytes = sizeof data;
        void* block[] = {CU_LAUNCH_PARAM_BUFFER_POINTER,
                         &data,
                         CU_LAUNCH_PARAM_BUFFER_SIZE,
                         &bytes,
                         CU_LAUNCH_PARAM_END};
        api.launch_kernel(function, 1, 1, 1, 32, 1, 1, 0, stream.handle(), nullptr, block);
    };
    const auto by_kgen = [&](const LaunchConfig& config) {
        device->raw().launch(*kernel, config, &data, sizeof data, stream.handle(), name);
    };
    const auto ns_each = [&](auto&& run) {
        double least = 1e9;
        for (int round = 0; round < 50; ++round) {
            device->synchronize();
            const auto start = std::chrono::steady_clock::now();
            for (int k = 0; k < 200; ++k) run();
            const std::chrono::duration<double, std::nano> spent =
                std::chrono::steady_clock::now() - start;
            least = std::min(least, spent.count() / 200);
        }
        return least;
    };
    const double driver_ns = ns_each(by_driver);
    const double plain_ns = ns_each([&] { by_kgen(plain); });
    const double special_ns = ns_each([&] { by_kgen(special); });
    WARN("driver " << driver_ns << " ns, raw launch " << plain_ns << " ns, with attributes "
                   << special_ns << " ns");
    CHECK(driver_ns > 0);
}

// --- A GPU that is lost, in processes of their own ----------------------------------------------

namespace {

// What the device says first, and whether all later calls say the same.
void report_loss() {
    const Backend& device = backend(Device::cuda(0));
    const std::string first = KGEN_MESSAGE_OF(DeviceError, device.synchronize());
    const std::string second = KGEN_MESSAGE_OF(DeviceError, launch("spin", {}, std::int64_t{1}));
    const std::string third = KGEN_MESSAGE_OF(DeviceError, module().variable("counter"));
    report(first + (first == second && first == third ? "|same" : "|" + second + "|" + third));
}

void launch_wild_after_others() {
    launch("spin", {}, std::int64_t{1000});
    launch("store", {.grid = {2, 3}, .block = {16, 2}}, std::uint64_t{16});
}

// The message's first line.
std::string failure(const char* call, const char* described) {
    return std::string(call) + " failed: " + described;
}

constexpr const char* start_again =
    "cuda:0 is lost to this process: start the process again; with KGEN_SYNC=1 the launch that "
    "fails is named|same";

void check_loss(const std::string& test_case,
                const std::vector<std::pair<std::string, std::string>>& environment,
                const std::string& expected) {
    const auto start = std::chrono::steady_clock::now();
    const FreshResult result = run_fresh(test_case, environment);
    CHECK(result.text == expected);
    CHECK(result.exit_status == 0);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

}  // namespace

TEST_CASE("fresh: a raw kernel writes to an address that is not there", "[.fresh]") {
    launch_wild_after_others();
    report_loss();
}

TEST_CASE("gpu: an illegal address names the launches before it", "[cuda][raw][gpu]") {
    if (gpu() == nullptr) return;
    check_loss("fresh: a raw kernel writes to an address that is not there",
               {},
               "cuda:0: " +
                   failure("cuCtxSynchronize",
                           "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                           "encountered)") +
                   "\nan earlier launch failed; the last ones: 'store' with grid (2, 3, 1) and "
                   "block (16, 2, 1), 'spin' with grid (1, 1, 1) and block (1, 1, 1)\n" +
                   start_again);
}

TEST_CASE("fresh: a raw kernel traps", "[.fresh]") {
    launch("trap", {.grid = {4}, .block = {32}});
    report_loss();
}

TEST_CASE("gpu: a trap costs the GPU", "[cuda][raw][gpu]") {
    if (gpu() == nullptr) return;
    const FreshResult result = run_fresh("fresh: a raw kernel traps", {});
    INFO(result.text);
    // CUDA_ERROR_LAUNCH_FAILED (719) of today's drivers; older ones say ILLEGAL_INSTRUCTION.
    CHECK(result.text.find("cuda:0: cuCtxSynchronize failed: CUDA_ERROR_") == 0);
    const std::string rest = std::string(
                                 "\nan earlier launch failed; the last ones: 'trap' with grid (4, "
                                 "1, 1) and block (32, 1, 1)\n") +
                             start_again;
    CHECK(result.text.find(rest) + rest.size() == result.text.size());
    CHECK(result.exit_status == 0);
}

TEST_CASE("fresh: an assertion of a raw kernel fails", "[.fresh]") {
    const Backend& device = backend(Device::cuda(0));
    const auto loaded = device.raw().load_module(
        compile("extern \"C\" __global__ void claim(int n) { assert(n > 3); }"), "claim.cu");
    const int n = 2;
    const auto kernel = loaded->kernel("claim");
    device.raw().launch(*kernel, {}, &n, sizeof n, nullptr, "claim");
    report_loss();
}

TEST_CASE("gpu: a failed assertion says that the context must be built anew", "[cuda][raw][gpu]") {
    if (gpu() == nullptr) return;
    check_loss(
        "fresh: an assertion of a raw kernel fails",
        {},
        "cuda:0: " +
            failure("cuCtxSynchronize", "CUDA_ERROR_ASSERT (device-side assert triggered)") +
            "\nan earlier launch failed; the last ones: 'claim' with grid (1, 1, 1) and block "
            "(1, 1, 1)\ncuda:0 is lost to this process, an assertion failed and its context "
            "must be built anew: start the process again; with KGEN_SYNC=1 the launch that "
            "fails is named|same");
}

TEST_CASE("fresh: a raw kernel fails between others", "[.fresh]") {
    const Block y(1024 * sizeof(int));
    void* data = y.get();
    launch("store", {.block = {32}}, data);
    std::string first;
    try {
        launch_wild_after_others();
        first = "(no fault)";
    } catch (const DeviceError& error) {
        first = error.what();
    }
    const std::string later = KGEN_MESSAGE_OF(DeviceError, launch("store", {}, data));
    report(first + (first == later ? "|same" : "|" + later));
}

TEST_CASE("gpu: under KGEN_SYNC=1 the launch that failed is named", "[cuda][raw][gpu]") {
    if (gpu() == nullptr) return;
    check_loss("fresh: a raw kernel fails between others",
               {{"KGEN_SYNC", "1"}},
               "kernel 'store' on cuda:0, grid (2, 3, 1), block (16, 2, 1): " +
                   failure("cuStreamSynchronize",
                           "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                           "encountered)") +
                   "\ncuda:0 is lost to this process: start the process again|same");
}

TEST_CASE("fresh: a process ends while its lost GPU still has things", "[.fresh]") {
    static const Block block(1 << 20);  // freed by a destructor at exit
    static const Stream stream = Stream::create(Device::cuda(0));
    static const Event event(Device::cuda(0));
    launch("store", {.stream = stream}, std::uint64_t{16});
    for (int k = 0; k < 4; ++k) {
        try {
            launch("spin", {.stream = stream}, std::int64_t{1000});
            stream.synchronize();
        } catch (const DeviceError&) {
        }
    }
    report("ended");
}

TEST_CASE("gpu: a process whose GPU is lost ends at once, and its destructors are quiet",
          "[cuda][raw][gpu]") {
    if (gpu() == nullptr) return;
    check_loss("fresh: a process ends while its lost GPU still has things", {}, "ended");
}

TEST_CASE("fresh: a process ends while a fault is on its way", "[.fresh]") {
    static const Block block(1 << 20);
    static const Stream stream = Stream::create(Device::cuda(0));
    launch("spin", {.stream = stream}, std::int64_t{200'000'000});
    launch("store", {.stream = stream}, std::uint64_t{16});
    report("ended");
}

TEST_CASE("gpu: a process ends while a fault that nobody saw is on its way", "[cuda][raw][gpu]") {
    if (gpu() == nullptr) return;
    check_loss("fresh: a process ends while a fault is on its way", {}, "ended");
}
