// SPDX-License-Identifier: MIT
//
// Raw kernels on a GPU: parameters of all types and each attribute of a launch. Without a GPU each test
// reports that it was skipped.
#include "support/raw_gpu.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "cuda/driver/driver_library.hpp"
#include "support/captured_graph.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

bool has_clusters() {
    return backend(Device::cuda(0)).target().arch.substr(0, 4) != "sm_8";
}

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
    if (raw_gpu() == nullptr) return;
    const auto kernel = raw_module().kernel("fill");
    CHECK(kinds_of(*kernel) == "piaiif");
    const ZeroedBlock y(1000 * sizeof(float));
    void* data = y.get();
    launch_raw("fill",
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
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    std::vector<std::string> symbols = raw_module().kernel_symbols();
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
    std::vector<std::string> variables = raw_module().variable_symbols();
    std::sort(variables.begin(), variables.end());
    CHECK(variables == std::vector<std::string>{"counter", "table", "total"});
    CHECK(raw_module().kernel("nothing") == nullptr);
    CHECK_FALSE(raw_module().variable("nothing").has_value());
    // No expression names these variables, so the compiler may have made them local.
    const auto table = raw_module().variable("table");
    REQUIRE(table.has_value());
    CHECK(table->bytes == 16);
    std::vector<float> values(4);
    device->copy(values.data(), table->pointer, 16, CopyDirection::device_to_host, nullptr);
    CHECK(values == std::vector<float>{1, 2, 3, 4});
    const auto counter = raw_module().variable("counter");
    REQUIRE(counter.has_value());
    CHECK(counter->bytes == 4);
    const auto total = raw_module().variable("total");
    REQUIRE(total.has_value());
    CHECK(total->bytes == 4);
}

TEST_CASE("gpu: the PTX alone loads, with the same parameters and variables", "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    Image image = compile_raw(raw_source);
    const ImageSection ptx = *image.find(ImageKind::ptx);
    image.sections = {ptx};
    const auto loaded = device->raw().load_module(image, "raw.ptx");
    const auto with_cubin = raw_module().kernel("fill");
    const auto with_ptx = loaded->kernel("fill");
    REQUIRE(with_ptx != nullptr);
    const auto table_of = [](const LoadedKernel& kernel) {
        return std::vector<KernelParameter>(kernel.parameters().begin(), kernel.parameters().end());
    };
    CHECK(table_of(*with_ptx) == table_of(*with_cubin));
    CHECK(loaded->variable("counter").has_value());
    CHECK(loaded->kernel_symbols().size() == raw_module().kernel_symbols().size());
}

TEST_CASE("gpu: code for another GPU and damaged PTX say what is wrong", "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
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
        return loaded->kernel("k");  // the driver may read the code only here
    };
    CHECK(KGEN_MESSAGE_OF(DeviceError, load(image)) ==
          "module 'x' on cuda:0: its code is for " + other + ", but the GPU is " + own);
    Image text;
    const std::string broken = ".version 8.0\n.target sm_80\n.address_size 64\nnonsense;\n";
    const auto* first = reinterpret_cast<const std::byte*>(broken.data());
    text.sections.push_back({ImageKind::ptx, {first, first + broken.size()}});
    const std::string message = KGEN_MESSAGE_OF(DeviceError, load(text));
    INFO(message);
    CHECK(message.find("module 'x' on cuda:0: cuLibraryGetModule failed: CUDA_ERROR_INVALID_PTX") ==
          0);
    CHECK(message.find("\nptxas ") != std::string::npos);
    CHECK_NOTHROW(device->synchronize());
}

TEST_CASE("gpu: extents reach the kernel, and the limits are those of the driver",
          "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    const ZeroedBlock y(6 * sizeof(unsigned));
    void* data = y.get();
    launch_raw("extents", {.grid = {3, 4, 5}, .block = {6, 7, 2}}, data);
    CHECK(y.read<unsigned>(6) == std::vector<unsigned>{3, 4, 5, 6, 7, 2});
    // The largest extents that kgen accepts are also accepted by the driver.
    launch_raw("extents", {.grid = {1, 65535}, .block = {1024}}, data);
    launch_raw("extents", {.grid = {1, 1, 65535}, .block = {16, 1, 64}}, data);
    launch_raw("extents", {.grid = {2147483647}, .block = {1}}, data);
    CHECK_NOTHROW(device->synchronize());
    CHECK(y.read<unsigned>(6) == std::vector<unsigned>{2147483647, 1, 1, 1, 1, 1});
    CHECK(KGEN_MESSAGE_OF(DeviceError, launch_raw("bounded", {.block = {256}}, data)) ==
          "kernel 'bounded': 256 threads in a block (256, 1, 1), at most 128 by its "
          "__launch_bounds__");
}

TEST_CASE("gpu: all the shared memory there is can be used", "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    const auto kernel = raw_module().kernel("dynamic");
    const KernelAttributes before = device->raw().attributes(*kernel);
    CHECK(before.shared_bytes == 16);
    CHECK(before.binary_version / 10 == std::stoi(device->target().arch.substr(3)) / 10);
    int most = 0;
    REQUIRE(DriverLibrary::get().api().device_get_attribute(
                &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0) == CUDA_SUCCESS);
    const ZeroedBlock y(sizeof(int));
    void* data = y.get();
    for (const int bytes : {1024, 49152 - 16, 49152, 65536, most - 16}) {
        INFO(bytes);
        launch_raw("dynamic", {.block = {256}, .shared_bytes = bytes}, data, bytes / 4);
        CHECK(y.read<int>(1) == std::vector<int>{bytes / 4 - 1});
    }
    CHECK(device->raw().attributes(*kernel).max_dynamic_shared_bytes == most - 16);
    CHECK(
        KGEN_MESSAGE_OF(DeviceError, launch_raw("dynamic", {.shared_bytes = most - 15}, data, 1)) ==
        "kernel 'dynamic': " + std::to_string(most - 15) +
            " bytes of shared memory and 16 static bytes, cuda:0 has at most " +
            std::to_string(most));
    device->raw().set(*kernel, KernelSetting::shared_carveout, 100, "dynamic");
    CHECK(device->raw().attributes(*kernel).shared_carveout == 100);
}

TEST_CASE("gpu: clusters of each size run, and their kernels know them", "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    if (!has_clusters()) {
        WARN("skipped: this test needs sm_90");
        return;
    }
    const auto kernel = raw_module().kernel("clusters");
    const ZeroedBlock y(32 * sizeof(unsigned));
    void* data = y.get();
    for (const unsigned size : {1u, 2u, 4u, 8u, 16u}) {
        INFO(size);
        const LaunchConfig config = {.grid = {32}, .block = {64}, .cluster = {size}};
        if (device->raw().max_clusters(*kernel, config) == 0) {
            WARN("clusters of " << size << " do not fit");
            CHECK_THROWS_AS(launch_raw("clusters", config, data), DeviceError);
            continue;
        }
        launch_raw("clusters", config, data);
        std::vector<unsigned> expected(32);
        for (unsigned k = 0; k < 32; ++k) expected[k] = k % size * 100 + size;
        CHECK(y.read<unsigned>(32) == expected);
    }
    launch_raw("paired", {.grid = {4}, .block = {32}}, data);
    CHECK(y.read<unsigned>(4) == std::vector<unsigned>{2, 2, 2, 2});
    launch_raw("paired", {.grid = {4}, .block = {32}, .cluster = {2}}, data);
    CHECK(device->raw().max_clusters(*raw_module().kernel("paired"), {.block = {32}}) > 0);
    CHECK(KGEN_MESSAGE_OF(DeviceError, launch_raw("paired", {.grid = {4}, .cluster = {4}}, data)) ==
          "kernel 'paired': cluster (4, 1, 1): the kernel was compiled for (2, 1, 1) "
          "(__cluster_dims__)");
    CHECK_NOTHROW(device->synchronize());
}

TEST_CASE("gpu: a cooperative grid that just fits runs, one block more is refused",
          "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    const auto kernel = raw_module().kernel("together");
    const int blocks = device->raw().max_blocks_per_multiprocessor(*kernel, 256, 0) *
                       device->limits().processor_count;
    const auto bytes = static_cast<std::size_t>(blocks + 1) * sizeof(unsigned);
    const ZeroedBlock arrived(sizeof(unsigned));
    const ZeroedBlock y(bytes);
    void* counter = arrived.get();
    void* data = y.get();
    launch_raw("together", {.grid = {blocks}, .block = {256}, .cooperative = true}, counter, data);
    const std::vector<unsigned> values = y.read<unsigned>(static_cast<std::size_t>(blocks));
    CHECK(std::accumulate(values.begin(), values.end(), 0u) == static_cast<unsigned>(blocks));
    CHECK(KGEN_MESSAGE_OF(DeviceError,
                          launch_raw("together",
                                     {.grid = {blocks + 1}, .block = {256}, .cooperative = true},
                                     counter,
                                     data)) ==
          "kernel 'together': " + std::to_string(blocks + 1) + " blocks (" +
              std::to_string(blocks + 1) + ", 1, 1) of 256 threads in a cooperative grid, cuda:0 " +
              "holds at most " + std::to_string(blocks) + " of them at once");
}

TEST_CASE("gpu: priorities and programmatic dependent launches keep the order",
          "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    if (!has_clusters()) {
        WARN("skipped: this test needs sm_90");
        return;
    }
    const ZeroedBlock y(sizeof(int));
    void* data = y.get();
    device->synchronize();
    const Stream stream = Stream::create(Device::cuda(0));
    for (int round = 0; round < 20; ++round) {
        launch_raw("first", {.stream = stream, .priority = 3}, data);
        launch_raw(
            "second", {.stream = stream, .priority = -100, .programmatic_dependent = true}, data);
        stream.synchronize();
        CHECK(y.read<int>(1) == std::vector<int>{12});
    }
}

TEST_CASE("gpu: raw launches can be captured, their modules loaded meanwhile", "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    const Image image = compile_raw("extern \"C\" __global__ void add(int* y) { *y += 3; }");
    const ZeroedBlock y(sizeof(int));
    void* data = y.get();
    device->synchronize();
    const Stream stream = Stream::create(Device::cuda(0));
    CapturedGraph graph(stream.handle(), [&] {
        const auto kernel = device->raw().load_module(image, "add.cu")->kernel("add");
        device->raw().launch(*kernel, {}, &data, sizeof data, stream.handle(), "add");
    });
    for (int k = 0; k < 5; ++k) graph.launch(stream.handle());
    stream.synchronize();
    CHECK(y.read<int>(1) == std::vector<int>{15});
}

TEST_CASE("gpu: what a raw launch costs", "[cuda][raw][gpu]") {
    const Backend* device = raw_gpu();
    if (device == nullptr) return;
    // The times are printed but not checked, because machines differ. The driver's own launch is measured in
    // the same rounds.
    const auto kernel = raw_module().kernel("store");
    const ZeroedBlock y(1024 * sizeof(int));
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
