// SPDX-License-Identifier: MIT
//
// Code on the host is unloaded exactly when nothing can run it any more. Near the kernel's
// limit of memory mappings, loading fails with an error.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <kgen/kgen.hpp>
#include <optional>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "host/compile/host_compiler.hpp"
#include "host/compile/host_target.hpp"
#include "host/kernel/shared_object.hpp"
#include "kernel/loaded_kernel.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/host_kernels.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;

namespace {

std::size_t count_mappings(const std::string& of = {}) {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) count += line.find(of) != std::string::npos;
    return count;
}

// Returns the number of memory mappings of kernels' code.
std::size_t count_code() {
    return count_mappings("/memfd:kgen");
}

const ArrayOptions on_host{.device = Device::host()};

RawKernel store_kernel(int value) {
    return RawKernel(
        "__device__ int last[4] = {1, 2, 3, 4};\n"
        "__global__ void store(int* out, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = last[3] = " +
            std::to_string(value) + ";\n}\n",
        "store");
}

// Fills the table of kernels with others, because it keeps the latest ones alive.
void forget_latest_kernels() {
    struct Nothing : LoadedKernel {};
    for (int k = 0; k < 64; ++k) {
        const auto request = cache::sha256("nothing " + std::to_string(k));
        process_kernels().get({request, Device::host()},
                              [] { return std::make_shared<const Nothing>(); });
    }
}

}  // namespace

TEST_CASE("a raw kernel's code goes with the last that can run it") {
    const ScopedVariable device("KGEN_DEVICE", "host");
    const Array out_array = zeros({4}, int32, on_host);
    const std::size_t before = count_code();
    std::optional<RawKernel> kernel = store_kernel(7);
    kernel->launch({.block = {4}}, out_array, 4);
    CHECK(out_array.to_vector<int>() == std::vector<int>{7, 7, 7, 7});
    CHECK(count_code() > before);

    // All of these keep the code: a kernel with the same definition, a bound launch, a graph,
    // the memory of a variable.
    std::optional<RawKernel> alike = store_kernel(7);
    alike->prepare(Device::host());
    const std::size_t with_kernel = count_code();
    std::optional<BoundLaunch> bound = alike->bind({.block = {4}}, out_array, 4);
    const Stream stream = Stream::create(Device::host());
    std::optional<Graph> graph =
        capture(stream, [&] { kernel->launch({.block = {4}, .stream = stream}, out_array, 4); });
    std::optional<Array> variable = kernel->module().global("last", Device::host()).array(int32);
    CHECK(count_code() == with_kernel);
    kernel.reset();
    alike.reset();
    CHECK(count_code() == with_kernel);
    const auto runs = [&](const auto& launch) {
        out_array.assign(0);
        launch();
        return out_array.to_vector<int>() == std::vector<int>{7, 7, 7, 7};
    };
    CHECK(runs([&] { bound->launch(); }));
    bound.reset();
    CHECK(runs([&] { graph->launch(stream); }));
    graph.reset();
    CHECK(count_code() == with_kernel);
    CHECK(variable->to_vector<int>() == std::vector<int>{1, 2, 3, 7});
    variable.reset();
    CHECK(count_code() == before);

    // Code that is loaded again starts with the initial values of its variables.
    const RawKernel again = store_kernel(7);
    CHECK(again.module().global("last", Device::host()).array(int32).to_vector<int>() ==
          std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("a generated kernel's code goes with the last that can run it") {
    const Array x = arange(4, float32, on_host);
    const Array z = zeros({4}, float32, on_host);
    forget_latest_kernels();
    const std::size_t before = count_code();
    std::optional<ElementwiseKernel> kernel;
    kernel.emplace("T x", "T z", "z = x + 41", "unloaded");
    (*kernel)(x, out(z));
    std::optional<BoundLaunch> bound = kernel->bind(x, out(z));
    const Stream stream = Stream::create(Device::host());
    std::optional<Graph> graph = capture(stream, [&] { (*kernel)(x, out(z), on(stream)); });
    kernel.reset();
    forget_latest_kernels();
    const std::vector<float> expected = {41, 42, 43, 44};
    const std::size_t with_kernel = count_code();
    CHECK(with_kernel > before);
    z.assign(0);
    graph->launch(stream);
    CHECK(z.to_vector<float>() == expected);
    graph.reset();
    CHECK(count_code() == with_kernel);
    z.assign(0);
    bound->launch();
    CHECK(z.to_vector<float>() == expected);
    bound.reset();
    CHECK(count_code() == before);
}

TEST_CASE("kernels that come and go take up no more of the address space") {
    const auto image =
        host_compiler().compile({"k",
                                 test::binary_kernel("kgen_k", "float", "z = x + y", "k"),
                                 "kgen_k",
                                 {},
                                 host_target()});
    const Backend& host = backend(Device::host());
    const auto once = host.load(image);
    const std::size_t before = count_mappings();
    std::vector<std::shared_ptr<const LoadedKernel>> loaded;
    for (int round = 0; round < 20; ++round) {
        for (int k = 0; k < 50; ++k) loaded.push_back(host.load(image));
        // Each kernel has two mappings, one for code and one for data. The C library has a few more.
        CHECK(count_mappings() <= before + 2 * loaded.size() + 8);
        loaded.clear();
    }
    CHECK(count_mappings() <= before + 8);
}

TEST_CASE("code with variables that are unique in a process is unloaded, too") {
    const std::size_t before = count_code();
    {
        const RawKernel kernel(
            "template <typename T> struct __attribute__((visibility(\"default\"))) Counter {\n"
            "    static int count;\n};\n"
            "template <typename T> int Counter<T>::count = 3;\n"
            "__global__ void count(int* out) { out[0] = ++Counter<int>::count; }\n",
            "count");
        const Array out_array = zeros({1}, int32, on_host);
        kernel.launch({.block = {1}}, out_array);
        CHECK(out_array.item<int>() == 4);
        CHECK(count_code() > before);
    }
    CHECK(count_code() == before);
}

TEST_CASE("before the limit of memory mappings is reached an error names it and the way out") {
    const auto image =
        host_compiler().compile({"k",
                                 test::binary_kernel("kgen_k", "float", "z = x + y", "k"),
                                 "kgen_k",
                                 {},
                                 host_target()});
    std::size_t limit = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    if (limit > 200000) {
        WARN("skipped: this system allows too many mappings to use them up");
        return;
    }
    CHECK(said_by_child([&]() -> std::string {
              // Pages whose protection differs from their neighbours' are mappings of their own.
              const std::size_t pages = limit - limit / 16 - count_mappings() + 100;
              const std::size_t bytes = pages * 4096;
              void* memory = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              for (std::size_t k = 0; k < pages; k += 2)
                  ::mprotect(static_cast<char*>(memory) + 4096 * k, 4096, PROT_NONE);
              const Backend& host = backend(Device::host());
              std::vector<std::shared_ptr<const LoadedKernel>> loaded;
              std::string message;
              for (int k = 0; k < 65 && message.empty(); ++k) {
                  try {
                      loaded.push_back(host.load(image));
                  } catch (const DeviceError& error) {
                      message = error.what();
                  }
              }
              // The process still works, and can load again after mappings were removed.
              const std::size_t used = count_mappings();
              ::munmap(memory, bytes);
              const auto again = host.load(image);
              const std::string tail =
                  " of the " + std::to_string(limit) +
                  " memory mappings that vm.max_map_count allows; destroy kernel objects that are "
                  "not needed any more, or raise the limit with 'sysctl -w vm.max_map_count=" +
                  std::to_string(2 * limit) + "'";
              const std::string head = "host kernel 'kgen_k' cannot be loaded: ";
              if (!message.starts_with(head) || !message.ends_with(tail)) return message;
              return used < limit ? "named" : "too late";
          }) == "named");
}
