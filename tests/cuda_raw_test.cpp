// SPDX-License-Identifier: MIT
//
// CudaRaw against a driver that only counts (support/fake_cuda.hpp); raw_gpu_test.cpp runs it on a
// GPU.
#include "cuda/cuda_raw.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"

using namespace kgen;

namespace {

constexpr const char* library = R"(fake library
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

constexpr const char* ptx = R"(
.target sm_90
.global .align 4 .u32 counter;
.visible .entry axpy(.param .f32 a, .param .u64 b, .param .u64 c, .param .u64 d)
{
	ld.param.u64 %rd1, [b];
	cvta.to.global.u64 %rd2, %rd1;
	ret;
}
)";

std::vector<std::byte> bytes_of(const char* text) {
    const auto* first = reinterpret_cast<const std::byte*>(text);
    return {first, first + std::strlen(text) + 1};
}

Image image(const char* arch = "sm_90") {
    Image image;
    image.target = {DeviceKind::cuda, arch};
    image.sections.push_back({ImageKind::cubin, bytes_of(library)});
    image.sections.push_back({ImageKind::ptx, bytes_of(ptx)});
    return image;
}

struct Fixture {
    FakeCuda fake;
    DriverLibrary driver{FakeCuda::path()};
    CudaBackend backend{driver, 0};
    const RawBackend& raw = backend.raw();
    std::shared_ptr<const LoadedModule> module = raw.load_module(image(), "filters.cu");

    std::shared_ptr<const LoadedKernel> kernel(const char* name) const {
        return module->kernel(name);
    }
    // Without parameters.
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

bool is(const unsigned (&extents)[3], unsigned x, unsigned y, unsigned z) {
    return extents[0] == x && extents[1] == y && extents[2] == z;
}

std::string load_failure(const Image& image, const char* name = "x.cubin") {
    FakeCuda fake;
    const DriverLibrary driver(FakeCuda::path());
    const CudaBackend backend(driver, 0);
    return KGEN_MESSAGE_OF(DeviceError, backend.raw().load_module(image, name));
}

}  // namespace

// --- Modules ------------------------------------------------------------------------------------

TEST_CASE("a module's kernels are loaded one by one, when they are asked for", "[cuda][raw]") {
    Fixture f;
    CHECK(f.fake.calls("cuLibraryLoadData") == 1);
    CHECK(f.fake.calls("cuFuncLoad") == 0);
    const auto axpy = f.kernel("axpy");
    CHECK(f.kernel("axpy") == axpy);
    CHECK(f.fake.calls("cuFuncLoad") == 1);
    CHECK(axpy->native_function() != nullptr);
    CHECK(f.kernel("nothing") == nullptr);
    CHECK(f.kernel("counter") == nullptr);
    CHECK(f.fake.record().capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);  // set back
}

TEST_CASE("a module tells all its kernels", "[cuda][raw]") {
    Fixture f;
    CHECK(f.module->kernel_symbols() ==
          std::vector<std::string>{
              "axpy", "bound", "clustered", "empty", "large", "open", "sharing"});
    CHECK(f.fake.calls("cuFuncLoad") == 0);
}

TEST_CASE("a driver that cannot list kernels leaves those that the compiler named", "[cuda][raw]") {
    for (const char* missing :
         {"cuLibraryGetKernelCount", "cuLibraryEnumerateKernels", "cuKernelGetName"}) {
        const ScopedVariable without("FAKE_CUDA_MISSING", missing);
        Fixture f;
        Image named = image();
        named.lowered_names = {{"large", "large"}, {"&counter", "counter"}, {"axpy", "axpy"}};
        const auto module = f.raw.load_module(named, "filters.cu");
        CHECK(module->kernel_symbols() == std::vector<std::string>{"large", "axpy"});
    }
}

TEST_CASE("parameters are where the driver says, of the kinds that the PTX says", "[cuda][raw]") {
    Fixture f;
    const auto axpy = f.kernel("axpy");
    const std::vector<KernelParameter> expected = {{0, 4, ParameterKind::floating},
                                                   {8, 8, ParameterKind::pointer},
                                                   {16, 8, ParameterKind::integer},
                                                   {24, 8, ParameterKind::integer}};
    const auto found = axpy->parameters();
    CHECK(std::vector<KernelParameter>(found.begin(), found.end()) == expected);
    CHECK(f.kernel("empty")->parameters().empty());
}

TEST_CASE("without PTX, or with another kernel's, the kinds are unknown", "[cuda][raw]") {
    Fixture f;
    Image bare = image();
    bare.sections.pop_back();
    Image other = bare;
    other.sections.push_back({ImageKind::ptx, bytes_of(".entry axpy(.param .f32 a) { ret; }")});
    for (const Image& each : {bare, other}) {
        const auto kernel = f.raw.load_module(each, "x.cubin")->kernel("axpy");
        CHECK(kernel->parameters().size() == 4);
        for (const KernelParameter& parameter : kernel->parameters())
            CHECK(parameter.kind == ParameterKind::unknown);
    }
}

TEST_CASE("variables are found in global, constant and managed memory", "[cuda][raw]") {
    Fixture f;
    const auto counter = f.module->variable("counter");
    REQUIRE(counter.has_value());
    CHECK(counter->bytes == 4);
    CHECK(counter->pointer != nullptr);
    CHECK(f.module->variable("total")->bytes == 8);
    CHECK_FALSE(f.module->variable("axpy").has_value());
    CHECK(f.module->variable_symbols() == std::vector<std::string>{"counter"});
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLibraryGetGlobal:1");
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.module->variable("counter")) ==
          "module 'filters.cu' on cuda:0: cuLibraryGetGlobal failed: CUDA_ERROR_INVALID_VALUE "
          "(invalid argument)");
}

TEST_CASE("a driver without managed variables has the others", "[cuda][raw]") {
    const ScopedVariable without("FAKE_CUDA_MISSING", "cuLibraryGetManaged");
    Fixture f;
    CHECK(f.module->variable("counter").has_value());
    CHECK_FALSE(f.module->variable("total").has_value());
}

TEST_CASE("the cubin is loaded first, then a fatbin, then PTX with its NUL", "[cuda][raw]") {
    Fixture f;
    Image all;
    all.sections = {{ImageKind::ptx, bytes_of("ptx text")},
                    {ImageKind::fatbin, bytes_of("fatbin bytes")},
                    {ImageKind::cubin, bytes_of("cubin bytes")}};
    for (const char* expected : {"cubin bytes", "fatbin bytes", "ptx text"}) {
        f.raw.load_module(all, "x");
        CHECK(std::string(f.fake.record().loaded_text) == expected);
        all.sections.pop_back();
        if (!all.sections.empty() && all.sections.back().kind == ImageKind::ptx)
            all.sections.back().bytes.pop_back();  // a file ends without one
    }
    CHECK(load_failure(all) ==
          "module 'x.cubin' on cuda:0: cuLibraryLoadData failed: error 200\nthe image has neither "
          "a cubin nor PTX");
}

TEST_CASE("code that the GPU cannot run says for what it is", "[cuda][raw]") {
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLibraryLoadData:209");
        CHECK(load_failure(image("sm_80")) ==
              "module 'x.cubin' on cuda:0: its code is for sm_80, the GPU is sm_90");
        CHECK(load_failure(image("")) ==
              "module 'x.cubin' on cuda:0: it has no code for sm_90, which the GPU is");
        CHECK(load_failure(image("sm_90")) ==
              "module 'x.cubin' on cuda:0: it has no code for sm_90, which the GPU is");
    }
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLibraryLoadData:222");
        CHECK(load_failure(image(), "x.ptx") ==
              "module 'x.ptx' on cuda:0: its PTX is newer than the driver, which is for CUDA 13.0: "
              "install a newer driver, or compile with an older toolkit");
    }
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLibraryLoadData:218");
        Image text;
        text.sections.push_back({ImageKind::ptx, bytes_of("ptx text")});
        CHECK(load_failure(text, "x.ptx") ==
              "module 'x.ptx' on cuda:0: cuLibraryLoadData failed: CUDA_ERROR_INVALID_PTX\nptxas: "
              "line 1: it is wrong");
    }
    // With lazy loading the driver may see it only now.
    Fixture f;
    const auto module = f.raw.load_module(image("sm_80"), "x.cubin");
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuFuncLoad:209");
    try {
        module->kernel("axpy");
        FAIL("loaded");
    } catch (const DeviceError& error) {
        CHECK(std::string(error.what()) ==
              "module 'x.cubin' on cuda:0: its code is for sm_80, the GPU is sm_90");
        CHECK(error.code() == CUDA_ERROR_NO_BINARY_FOR_GPU);
        CHECK(error.call() == "cuFuncLoad");
    }
}

// --- Launches -----------------------------------------------------------------------------------

TEST_CASE("a plain launch passes its extents and one block of parameters", "[cuda][raw]") {
    Fixture f;
    const auto axpy = f.kernel("axpy");
    const std::array<unsigned char, 32> parameters = {7, 8, 9};
    f.raw.launch(*axpy,
                 {.grid = {70000, 3, 2}, .block = {32, 4, 2}, .shared_bytes = 64},
                 parameters.data(),
                 parameters.size(),
                 nullptr,
                 "axpy");
    CHECK(f.fake.calls("cuLaunchKernel") == 1);
    CHECK(is(f.seen().grid, 70000, 3, 2));
    CHECK(is(f.seen().block, 32, 4, 2));
    CHECK(f.fake.record().shared_bytes == 64);
    CHECK(f.fake.record().parameters_bytes == 32);
    CHECK(f.fake.record().parameters[2] == 9);
    CHECK(std::string(f.fake.record().kernel) == "axpy");
    CHECK(f.fake.calls("cuFuncSetAttribute") == 0);
    CHECK(KGEN_MESSAGE_OF(
              DeviceError,
              f.raw.launch(*axpy, {}, parameters.data(), parameters.size() - 4, nullptr, "axpy")) ==
          "kernel 'axpy': 28 bytes of parameters, its code expects 32");
}

TEST_CASE("a kernel without parameters is given none", "[cuda][raw]") {
    Fixture f;
    f.launch("empty", {.grid = {2}, .block = {64}});
    CHECK(f.fake.record().parameters_bytes == 0);
    CHECK(is(f.seen().grid, 2, 1, 1));
}

TEST_CASE("an empty grid launches nothing, but its block is looked at", "[cuda][raw]") {
    Fixture f;
    for (const LaunchDims& grid : {LaunchDims(0), LaunchDims(5, 0), LaunchDims(5, 5, 0)})
        f.launch("empty", {.grid = grid, .block = {64}, .cluster = {2}, .cooperative = true});
    CHECK(f.launches() == 0);
    CHECK(f.refusal("empty", {.grid = {0}, .block = {2048}}) ==
          "kernel 'empty': block (2048, 1, 1): 2048 threads along x, cuda:0 has at most 1024");
}

TEST_CASE("extents that a GPU does not have are refused with both numbers", "[cuda][raw]") {
    Fixture f;
    struct Row {
        LaunchDims grid;
        LaunchDims block;
        const char* message;
    };
    const Row rows[] = {
        {{-1}, {1}, "kernel 'empty': grid (-1, 1, 1): an extent is negative"},
        {{0, -1}, {1}, "kernel 'empty': grid (0, -1, 1): an extent is negative"},
        {{1}, {1, -3}, "kernel 'empty': block (1, -3, 1): an extent is negative"},
        {{1}, {0}, "kernel 'empty': block (0, 1, 1): an extent is 0, expected at least 1"},
        {{2147483648u},
         {1},
         "kernel 'empty': grid (2147483648, 1, 1): 2147483648 blocks along x, cuda:0 has at most "
         "2147483647"},
        {{1, 65536},
         {1},
         "kernel 'empty': grid (1, 65536, 1): 65536 blocks along y, cuda:0 has at most 65535"},
        {{1, 1, 70000},
         {1},
         "kernel 'empty': grid (1, 1, 70000): 70000 blocks along z, cuda:0 has at most 65535"},
        {{1},
         {1, 2000},
         "kernel 'empty': block (1, 2000, 1): 2000 threads along y, cuda:0 has at most 1024"},
        {{1},
         {1, 1, 65},
         "kernel 'empty': block (1, 1, 65): 65 threads along z, cuda:0 has at most 64"},
        {{1},
         {64, 32},
         "kernel 'empty': 2048 threads in a block (64, 32, 1), cuda:0 has at most 1024"},
    };
    for (const Row& row : rows)
        CHECK(f.refusal("empty", {.grid = row.grid, .block = row.block}) == row.message);
    f.launch("empty", {.grid = {2147483647, 65535, 65535}, .block = {16, 1, 64}});
    CHECK(is(f.seen().grid, 2147483647, 65535, 65535));
}

TEST_CASE("a kernel's registers and launch bounds limit its threads", "[cuda][raw]") {
    Fixture f;
    CHECK(f.refusal("large", {.block = {32, 32}}) ==
          "kernel 'large': 1024 threads in a block (32, 32, 1), at most 640 with its 96 registers");
    CHECK(f.refusal("bound", {.block = {512}}) ==
          "kernel 'bound': 512 threads in a block (512, 1, 1), at most 256 by its "
          "__launch_bounds__");
    f.launch("large", {.block = {640}});
    CHECK(f.launches() == 1);
}

TEST_CASE("shared memory is limited with what the kernel has of its own", "[cuda][raw]") {
    Fixture f;
    CHECK(f.refusal("empty", {.shared_bytes = 232449}) ==
          "kernel 'empty': 232449 bytes of shared memory, cuda:0 has at most 232448");
    CHECK(f.refusal("sharing", {.shared_bytes = 232448}) ==
          "kernel 'sharing': 232448 bytes of shared memory and 1024 of its own, cuda:0 has at most "
          "232448");
    CHECK(f.refusal("empty", {.shared_bytes = -1}) ==
          "kernel 'empty': -1 bytes of shared memory: expected 0 or more");
    f.launch("sharing", {.shared_bytes = 232448 - 1024});
    CHECK(f.fake.record().shared_bytes == 232448 - 1024);
}

TEST_CASE("shared memory beyond what a kernel may have at first is allowed once", "[cuda][raw]") {
    Fixture f;
    f.launch("sharing", {.shared_bytes = 48 * 1024 - 1024});
    CHECK(f.fake.calls("cuFuncSetAttribute") == 0);
    f.launch("sharing", {.shared_bytes = 48 * 1024 - 1000});  // with its own more than 48 KiB
    CHECK(f.fake.calls("cuFuncSetAttribute") == 1);
    f.launch("sharing", {.shared_bytes = 100000});
    f.launch("sharing", {.shared_bytes = 90000});
    CHECK(f.fake.calls("cuFuncSetAttribute") == 2);
    CHECK(f.raw.attributes(*f.kernel("sharing")).max_dynamic_shared_bytes == 100000);
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuFuncSetAttribute:1");
    CHECK(f.refusal("empty", {.grid = {2}, .block = {32}, .shared_bytes = 50000}) ==
          "kernel 'empty' on cuda:0, grid (2, 1, 1), block (32, 1, 1), 50000 bytes of shared "
          "memory: cuFuncSetAttribute failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_CASE("each attribute of a launch reaches the driver", "[cuda][raw]") {
    Fixture f;
    f.launch("empty", {.grid = {8, 4}, .block = {64}, .cluster = {2, 4}});
    CHECK(is(f.seen().cluster, 2, 4, 1));
    CHECK_FALSE(f.seen().is_cooperative);
    f.launch("empty", {.grid = {8}, .block = {64}, .cooperative = true});
    CHECK(f.seen().is_cooperative);
    CHECK(is(f.seen().cluster, 0, 0, 0));
    f.launch("empty", {.programmatic_dependent = true});
    CHECK(f.seen().is_programmatic);
    CHECK_FALSE(f.seen().has_priority);
    f.launch("empty", {.priority = -3});
    CHECK(f.seen().has_priority);
    CHECK(f.seen().priority == -3);
    f.launch("empty",
             {.grid = {4},
              .cluster = {2},
              .cooperative = true,
              .priority = 0,
              .programmatic_dependent = true});
    CHECK(f.seen().is_cooperative);
    CHECK(f.seen().is_programmatic);
    CHECK(f.seen().has_priority);
    CHECK(is(f.seen().cluster, 2, 1, 1));
    CHECK(f.fake.calls("cuLaunchKernel") == 0);
    CHECK(f.fake.calls("cuLaunchKernelEx") == 5);
}

TEST_CASE("a priority that is out of range counts as the nearest end", "[cuda][raw]") {
    Fixture f;
    f.launch("empty", {.priority = 7});
    CHECK(f.seen().priority == 0);
    f.launch("empty", {.priority = -100});
    CHECK(f.seen().priority == -5);
}

// --- Clusters and cooperative grids -------------------------------------------------------------

TEST_CASE("clusters that cannot be are refused", "[cuda][raw]") {
    Fixture f;
    CHECK(f.refusal("empty", {.grid = {5}, .cluster = {2}}) ==
          "kernel 'empty': cluster (2, 1, 1) does not divide the grid (5, 1, 1)");
    CHECK(f.refusal("empty", {.grid = {4, 3}, .cluster = {1, 2}}) ==
          "kernel 'empty': cluster (1, 2, 1) does not divide the grid (4, 3, 1)");
    CHECK(f.refusal("empty", {.cluster = {0}}) ==
          "kernel 'empty': cluster (0, 1, 1): an extent is 0, expected at least 1");
    CHECK(f.refusal("empty", {.cluster = {1, 1, -2}}) ==
          "kernel 'empty': cluster (1, 1, -2): an extent is negative");
    CHECK(f.refusal("empty", {.grid = {32}, .cluster = {8, 4}}) ==
          "kernel 'empty': cluster (8, 4, 1): 32 blocks, at most 16");
    CHECK(f.fake.calls("cuOccupancyMaxActiveClusters") == 0);
}

TEST_CASE("clusters of more than 8 blocks are allowed by themselves, and must fit", "[cuda][raw]") {
    Fixture f;
    f.fake.record().largest_cluster = 16;
    f.launch("empty", {.grid = {16}, .cluster = {16}});
    f.launch("empty", {.grid = {32}, .cluster = {16}});
    CHECK(is(f.seen().cluster, 16, 1, 1));
    CHECK(f.fake.calls("cuFuncSetAttribute") == 1);
    CHECK(f.fake.calls("cuOccupancyMaxActiveClusters") == 1);
    f.fake.record().largest_cluster = 8;
    CHECK(
        f.refusal("large", {.grid = {16}, .block = {512}, .shared_bytes = 1000, .cluster = {16}}) ==
        "kernel 'large': cluster (16, 1, 1): 16 blocks of 512 threads and 1000 bytes of shared "
        "memory do not fit into a cluster of cuda:0, at most 8");
    // Asked once, and refused again.
    CHECK(f.refusal("large",
                    {.grid = {16}, .block = {512}, .shared_bytes = 1000, .cluster = {16}}) != "");
    CHECK(f.fake.calls("cuOccupancyMaxActiveClusters") == 2);
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuOccupancyMaxPotentialClusterSize:1");
    CHECK(
        f.refusal("large", {.grid = {16}, .block = {512}, .shared_bytes = 1000, .cluster = {16}}) ==
        "kernel 'large': cluster (16, 1, 1): 16 blocks of 512 threads and 1000 bytes of shared "
        "memory do not fit into a cluster of cuda:0");
}

TEST_CASE("a kernel that was compiled for a cluster keeps it", "[cuda][raw]") {
    Fixture f;
    f.launch("clustered", {.grid = {4}});
    CHECK(is(f.seen().cluster, 0, 0, 0));  // the driver knows it
    f.launch("clustered", {.grid = {4}, .cluster = {2}});
    CHECK(f.launches() == 2);
    CHECK(f.refusal("clustered", {.grid = {4}, .cluster = {4}}) ==
          "kernel 'clustered': cluster (4, 1, 1): the kernel was compiled for (2, 1, 1) "
          "(__cluster_dims__)");
    CHECK(f.refusal("clustered", {.grid = {3}}) ==
          "kernel 'clustered': cluster (2, 1, 1) does not divide the grid (3, 1, 1)");
}

TEST_CASE("a kernel that is compiled for any cluster is always told one", "[cuda][raw]") {
    Fixture f;
    f.launch("open", {.grid = {3}});
    CHECK(is(f.seen().cluster, 1, 1, 1));
}

TEST_CASE("what an older GPU has not is refused", "[cuda][raw]") {
    const ScopedVariable older("FAKE_CUDA_CAPABILITY", "80");
    Fixture f;
    CHECK(f.refusal("empty", {.grid = {2}, .cluster = {2}}) ==
          "kernel 'empty': cluster (2, 1, 1): clusters need sm_90 or newer, cuda:0 is sm_80");
    CHECK(f.refusal("empty", {.programmatic_dependent = true}) ==
          "kernel 'empty': a programmatic dependent launch needs sm_90 or newer, cuda:0 is sm_80");
    f.launch("empty", {.cooperative = true});
    CHECK(f.launches() == 1);
    const ScopedVariable none("FAKE_CUDA_COOPERATIVE", "0");
    Fixture other;
    CHECK(other.refusal("empty", {.cooperative = true}) ==
          "kernel 'empty': cuda:0 has no cooperative launches");
}

TEST_CASE("a cooperative grid holds no more blocks than run at once", "[cuda][raw]") {
    Fixture f;
    f.launch("empty", {.grid = {1056}, .block = {16, 16}, .cooperative = true});
    CHECK(f.refusal("empty", {.grid = {529, 2}, .block = {256}, .cooperative = true}) ==
          "kernel 'empty': 1058 blocks (529, 2, 1) of 256 threads in a cooperative grid, cuda:0 "
          "holds at most 1056 of them at once");
    // In clusters fewer fit: 66 of 2 blocks.
    CHECK(
        f.refusal("empty", {.grid = {134}, .block = {256}, .cluster = {2}, .cooperative = true}) ==
        "kernel 'empty': 134 blocks (134, 1, 1) of 256 threads in a cooperative grid, cuda:0 "
        "holds at most 132 of them at once");
}

TEST_CASE("what fits is asked once, until a setting of the kernel changes", "[cuda][raw]") {
    Fixture f;
    const LaunchConfig config = {.grid = {8}, .block = {256}, .cooperative = true};
    const auto asked = [&] { return f.fake.calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"); };
    for (int k = 0; k < 5; ++k) f.launch("empty", config);
    CHECK(asked() == 1);
    f.launch("empty", {.grid = {8}, .block = {128}, .cooperative = true});
    f.launch("large", config);
    CHECK(asked() == 3);
    f.raw.set(*f.kernel("empty"), KernelSetting::shared_carveout, 50, "empty");
    f.launch("empty", config);
    f.launch("empty", config);
    CHECK(asked() == 4);
}

TEST_CASE("more kinds of launches than are remembered still work", "[cuda][raw]") {
    Fixture f;
    for (int round = 0; round < 2; ++round) {
        for (int threads = 1; threads <= 100; ++threads)
            f.launch("empty", {.grid = {8}, .block = {threads}, .cooperative = true});
    }
    CHECK(f.launches() == 200);
    CHECK(f.fake.calls("cuOccupancyMaxActiveBlocksPerMultiprocessor") < 200);
}

// --- Cost and threads ---------------------------------------------------------------------------

TEST_CASE("a launch allocates nothing, and asks the driver for nothing but the launch",
          "[cuda][raw]") {
    Fixture f;
    const auto kernel = f.kernel("empty");
    const std::string name = "empty";
    const LaunchConfig plain = {.grid = {2, 2}, .block = {64}, .shared_bytes = 1000};
    const LaunchConfig special = {
        .grid = {4}, .block = {64}, .cluster = {2}, .cooperative = true, .priority = -1};
    for (const LaunchConfig& config : {plain, special}) {
        const auto launch = [&] { f.raw.launch(*kernel, config, nullptr, 0, nullptr, name); };
        launch();
        const int calls = f.fake.calls();
        launch();
        CHECK(f.fake.calls() - calls == 2);  // cuCtxGetCurrent and the launch
        CHECK(test::allocations_of(launch) == 0);
    }
}

TEST_CASE("threads launch one kernel at once", "[cuda][raw]") {
    Fixture f;
    const auto kernel = f.kernel("empty");
    std::atomic<int> refused = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
        threads.emplace_back([&, index] {
            for (int round = 0; round < 200; ++round) {
                const LaunchConfig config = {.grid = {8},
                                             .block = {32 + (round + index) % 40},
                                             .shared_bytes = 40000 + 500 * (round % 50),
                                             .cooperative = true};
                try {
                    f.raw.launch(*kernel, config, nullptr, 0, nullptr, "empty");
                } catch (const DeviceError&) {
                    ++refused;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(refused == 0);
    CHECK(f.launches() == 800);
}

// --- Attributes and occupancy -------------------------------------------------------------------

TEST_CASE("attributes are as the driver says, settings change them", "[cuda][raw]") {
    Fixture f;
    const auto large = f.kernel("large");
    KernelAttributes told = f.raw.attributes(*large);
    CHECK(told.max_threads_per_block == 640);
    CHECK(told.registers == 96);
    CHECK(told.ptx_version == 90);
    CHECK(told.binary_version == 90);
    CHECK(told.max_dynamic_shared_bytes == 49152);
    CHECK(told.shared_carveout == -1);
    f.raw.set(*large, KernelSetting::max_dynamic_shared_bytes, 100000, "large");
    f.raw.set(*large, KernelSetting::shared_carveout, 75, "large");
    told = f.raw.attributes(*large);
    CHECK(told.max_dynamic_shared_bytes == 100000);
    CHECK(told.shared_carveout == 75);
    CHECK(f.raw.attributes(*f.kernel("sharing")).shared_bytes == 1024);
    // A launch raises what was set too low.
    f.raw.set(*large, KernelSetting::max_dynamic_shared_bytes, 0, "large");
    f.launch("large", {.shared_bytes = 2000});
    CHECK(f.raw.attributes(*large).max_dynamic_shared_bytes == 2000);
}

TEST_CASE("settings that cannot be are refused", "[cuda][raw]") {
    Fixture f;
    const auto set = [&](KernelSetting setting, int value) {
        return KGEN_MESSAGE_OF(DeviceError,
                               f.raw.set(*f.kernel("sharing"), setting, value, "sharing"));
    };
    CHECK(set(KernelSetting::max_dynamic_shared_bytes, 232448) ==
          "kernel 'sharing': 232448 bytes of shared memory and 1024 of its own, cuda:0 has at most "
          "232448");
    CHECK(set(KernelSetting::shared_carveout, 101) ==
          "kernel 'sharing': 101 percent of the L1 as shared memory: expected 0 to 100, or -1 for "
          "the driver's choice");
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuFuncSetAttribute:1");
    CHECK(
        set(KernelSetting::shared_carveout, 50) ==
        "kernel 'sharing' on cuda:0: cuFuncSetAttribute failed: CUDA_ERROR_INVALID_VALUE (invalid "
        "argument)");
}

TEST_CASE("occupancy is as the driver says, 0 for blocks that cannot be", "[cuda][raw]") {
    Fixture f;
    const auto large = f.kernel("large");
    CHECK(f.raw.max_blocks_per_processor(*large, 256, 0) == 8);
    CHECK(f.raw.max_blocks_per_processor(*large, 1024, 0) == 0);
    CHECK(f.raw.max_blocks_per_processor(*large, 32, 300000) == 0);
    CHECK(f.fake.calls("cuFuncSetAttribute") == 0);
    CHECK(f.raw.max_blocks_per_processor(*large, 32, 200000) == 64);
    CHECK(f.fake.calls("cuFuncSetAttribute") == 1);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.raw.max_blocks_per_processor(*large, 0, 0)) ==
          "kernel 'large': 0 threads in a block with 0 bytes of shared memory: expected at least 1 "
          "thread and 0 bytes");
    const SuggestedLaunch suggested = f.raw.suggested_launch(*large, 0, 0);
    CHECK(suggested.block == 768);
    CHECK(suggested.grid == 264);
    CHECK(f.raw.suggested_launch(*large, 0, 256).block == 256);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.raw.suggested_launch(*large, 0, -1)) ==
          "kernel 'large': at most -1 threads in a block: expected 0 or more");
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.raw.suggested_launch(*large, 300000, 0)) ==
          "kernel 'large': 300000 bytes of shared memory, cuda:0 has at most 232448");
}

TEST_CASE("clusters are counted for the whole GPU, whatever the grid", "[cuda][raw]") {
    Fixture f;
    const auto empty = f.kernel("empty");
    CHECK(f.raw.max_clusters(*empty, {.grid = {3}, .block = {128}, .cluster = {4}}) == 33);
    CHECK(f.raw.max_clusters(*empty, {.block = {128}, .cluster = {16}}) == 0);
    CHECK(f.raw.max_clusters(*empty, {.block = {128}}) == 132);
    CHECK(f.raw.max_clusters(*f.kernel("clustered"), {.block = {128}}) == 66);
    CHECK(KGEN_MESSAGE_OF(DeviceError,
                          f.raw.max_clusters(*empty, {.block = {2048}, .cluster = {2}})) ==
          "kernel 'empty': block (2048, 1, 1): 2048 threads along x, cuda:0 has at most 1024");
}
