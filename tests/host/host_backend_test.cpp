// SPDX-License-Identifier: MIT
#include "host/host_backend.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <kgen/error.hpp>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/compile/host_compiler.hpp"
#include "host/compile/host_target.hpp"
#include "host/kernel/shared_object.hpp"
#include "host/run/host_memory.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/host_kernels.hpp"
#include "support/sanitizers.hpp"

using namespace kgen;

namespace {

struct Parameters {
    const void* x;
    const void* y;
    void* z;
};

std::shared_ptr<const LoadedKernel> kernel_of(const std::string& type,
                                              const std::string& expression) {
    return host_backend().load(
        host_compiler().compile({"ratio",
                                 test::binary_kernel("kgen_ratio", type, expression, "ratio"),
                                 "kgen_ratio",
                                 {},
                                 host_target()}));
}

void launch(const LoadedKernel& kernel, const Parameters& parameters, std::size_t count) {
    LaunchShape shape;
    shape.count = static_cast<std::int64_t>(count);
    shape.grain = 1000;
    host_backend().launch(kernel, shape, &parameters, sizeof parameters, nullptr, "ratio");
}

// Returns the message of the Error for x / y by `expression`, if element `at` of many is the given pair.
template <class T>
std::string division_of(const LoadedKernel& kernel, T left, T right, std::size_t at) {
    constexpr std::size_t count = 20000;
    std::vector<T> x(count, T{7});
    std::vector<T> y(count, T{2});
    std::vector<T> z(count);
    x[at] = left;
    y[at] = right;
    return KGEN_MESSAGE_OF(Error, launch(kernel, {x.data(), y.data(), z.data()}, count));
}

}  // namespace

TEST_CASE("a kernel runs over every element once, on any number of them") {
    const auto kernel = kernel_of("float", "z = (x - y) * (x - y)");
    for (const std::size_t count : {0, 1, 63, 1000, 2001, 100003}) {
        std::vector<float> x(count);
        std::vector<float> y(count);
        std::vector<float> z(count, -1.0f);
        for (std::size_t k = 0; k < count; ++k) {
            x[k] = static_cast<float>(k % 1000);
            y[k] = static_cast<float>(k % 7);
        }
        launch(*kernel, {x.data(), y.data(), z.data()}, count);
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < count; ++k) {
            if (z[k] != (x[k] - y[k]) * (x[k] - y[k])) ++wrong;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("an integer division without a result is an Error with both sides and the place") {
    const std::string zero = "kernel 'ratio': integer division by zero: ";
    const std::string overflow = "kernel 'ratio': integer division overflows: ";
    const std::string at = " at ratio (operation)(1:19)";
    // The operator is in column 19, as in `z = T(x);  z = x / y`.
    const auto quotient = [](const std::string& type) {
        return kernel_of(type, "z = x; z = z + (x / y)");
    };
    const auto remainder = [](const std::string& type) {
        return kernel_of(type, "z = x; z = z + (x % y)");
    };
    const auto int32 = quotient("int");
    CHECK(division_of<std::int32_t>(*int32, 1234, 0, 0) == zero + "1234 / 0" + at);
    CHECK(division_of<std::int32_t>(*int32, -5, 0, 19999) == zero + "-5 / 0" + at);
    CHECK(division_of<std::int32_t>(*int32, std::numeric_limits<std::int32_t>::min(), -1, 12345) ==
          overflow + "-2147483648 / -1" + at);
    const auto int32_remainder = remainder("int");
    CHECK(division_of<std::int32_t>(
              *int32_remainder, std::numeric_limits<std::int32_t>::min(), -1, 5000) ==
          overflow + "-2147483648 / -1" + at);
    const auto int64 = quotient("long long");
    CHECK(division_of<std::int64_t>(*int64, 1LL << 40, 0, 7) == zero + "1099511627776 / 0" + at);
    CHECK(division_of<std::int64_t>(*int64, std::numeric_limits<std::int64_t>::min(), -1, 7) ==
          overflow + "-9223372036854775808 / -1" + at);
    const auto uint64 = remainder("unsigned long long");
    CHECK(division_of<std::uint64_t>(*uint64, std::numeric_limits<std::uint64_t>::max(), 0, 7) ==
          zero + "18446744073709551615 / 0" + at);
    const auto uint32 = quotient("unsigned");
    CHECK(division_of<std::uint32_t>(*uint32, 4000000000U, 0, 7) == zero + "4000000000 / 0" + at);
    const auto int8 = quotient("signed char");
    CHECK(division_of<std::int8_t>(*int8, -128, 0, 7) == zero + "-128 / 0" + at);
    // Both sides are promoted to int, which can hold the quotient 128.
    CHECK(division_of<std::int8_t>(*int8, -128, -1, 7) == "(nothing of type Error thrown)");
}

TEST_CASE("of several divisions without a result the first element's is reported, each time") {
    const auto kernel = kernel_of("int", "z = x / y");
    std::vector<int> x(100000);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<int>(k);
    std::vector<int> y(x.size(), 1);
    std::vector<int> z(x.size());
    for (std::size_t k = 40000; k < y.size(); k += 3) y[k] = 0;
    for (int round = 0; round < 50; ++round) {
        CHECK(KGEN_MESSAGE_OF(Error, launch(*kernel, {x.data(), y.data(), z.data()}, x.size())) ==
              "kernel 'ratio': integer division by zero: 40000 / 0 at ratio (operation)(1:7)");
    }
}

TEST_CASE("launches of many threads at once all come out right, also where some divide by zero") {
    const auto kernel = kernel_of("int", "z = x / y");
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            std::vector<int> x(20000, 6 * (t + 1));
            std::vector<int> y(x.size(), 2);
            std::vector<int> z(x.size());
            if (t % 2 == 1) y[17000] = 0;
            for (int round = 0; round < 20; ++round) {
                try {
                    launch(*kernel, {x.data(), y.data(), z.data()}, x.size());
                    if (t % 2 == 1) ++wrong;
                } catch (const Error&) {
                    if (t % 2 == 0) ++wrong;
                }
                if (z[0] != 3 * (t + 1)) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("kernels run in the child of a fork, those loaded before and after") {
    if (cannot_thread_after_fork) {
        WARN("skipped: ThreadSanitizer starts no threads in the child of a fork");
        return;
    }
    const auto before = kernel_of("int", "z = x + y");
    std::vector<int> x(10000, 2);
    std::vector<int> z(x.size());
    launch(*before, {x.data(), x.data(), z.data()}, x.size());
    CHECK(said_by_child([&]() -> std::string {
              launch(*before, {x.data(), x.data(), z.data()}, x.size());
              const int sum = z[9999];
              launch(*kernel_of("int", "z = x * y + 1"), {x.data(), x.data(), z.data()}, x.size());
              return std::to_string(sum) + " " + std::to_string(z[9999]);
          }) == "4 5");
}

TEST_CASE("kernels loaded one after the other are all there and each its own") {
    std::vector<std::shared_ptr<const LoadedKernel>> kernels;
    for (int k = 0; k < 4; ++k) kernels.push_back(kernel_of("int", "z = x + " + std::to_string(k)));
    const int x = 10;
    for (int k = 0; k < 4; ++k) {
        int z = -1;
        launch(*kernels[static_cast<std::size_t>(k)], {&x, &x, &z}, 1);
        CHECK(z == 10 + k);
    }
}

TEST_CASE("an image that is not for this machine is not loaded") {
    Image image;
    image.symbol = "kgen_ratio";
    image.target = host_target();
    CHECK(KGEN_MESSAGE_OF(DeviceError, host_backend().load(image)) ==
          "host kernel 'kgen_ratio' cannot be loaded: its image has no host object");
    image.sections.push_back({ImageKind::host_object, {}});
    image.target.arch = "x86_64-00000000";
    CHECK(KGEN_MESSAGE_OF(DeviceError, host_backend().load(image)) ==
          "host kernel 'kgen_ratio' cannot be loaded: it was compiled for 'x86_64-00000000', this "
          "machine is '" +
              host_target().arch + "'");
}

TEST_CASE("memory is aligned, and asking for too much is an error that says how much") {
    const Backend& backend = host_backend();
    CHECK(backend.allocate(0, nullptr) == nullptr);
    for (const std::size_t bytes : {1U, 100U, 5000000U, 20000001U}) {
        void* pointer = backend.allocate(bytes, nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(pointer) % 64 == 0);
        std::memset(pointer, 1, bytes);
        backend.free(pointer, bytes, nullptr);
    }
    const std::string tail =
        " bytes; this machine has " + std::to_string(backend.limits().memory_bytes);
    for (const std::size_t bytes : {std::numeric_limits<std::size_t>::max(),
                                    std::numeric_limits<std::size_t>::max() / 2,
                                    std::size_t{1} << 62U}) {
        CHECK(KGEN_MESSAGE_OF(DeviceError, backend.allocate(bytes, nullptr)) ==
              "out of memory on the host device: cannot allocate " + std::to_string(bytes) + tail);
    }
}

TEST_CASE("freed blocks serve the next array of about their size, up to a limit") {
    constexpr std::size_t mib = std::size_t{1} << 20;
    HostMemory memory(64 * mib);
    void* first = memory.allocate(20 * mib);
    memory.free(first, 20 * mib);
    CHECK(memory.kept_bytes() == 20 * mib);
    void* second = memory.allocate(20 * mib - 5);
    CHECK(second == first);
    CHECK(memory.kept_bytes() == 0);
    memory.free(second, 20 * mib - 5);
    void* small = memory.allocate(mib);
    memory.free(small, mib);
    CHECK(memory.kept_bytes() == 20 * mib);
    std::vector<void*> blocks;
    for (int k = 0; k < 5; ++k) blocks.push_back(memory.allocate(16 * mib));
    for (void* block : blocks) memory.free(block, 16 * mib);
    CHECK(memory.kept_bytes() == 64 * mib);
    void* too_large = memory.allocate(65 * mib);
    memory.free(too_large, 65 * mib);
    CHECK(memory.kept_bytes() == 64 * mib);
}

TEST_CASE("copies and fills do what they say, also where they overlap") {
    const Backend& backend = host_backend();
    for (const std::size_t bytes : {0U, 1U, 1000U, 5000001U}) {
        std::vector<unsigned char> from(bytes);
        for (std::size_t k = 0; k < bytes; ++k) from[k] = static_cast<unsigned char>(k * 31 % 251);
        std::vector<unsigned char> to(bytes, 9);
        backend.copy(to.data(), from.data(), bytes, CopyDirection::device_to_device, nullptr);
        CHECK(to == from);
        backend.fill_bytes(to.data(), 0xab, bytes, nullptr);
        CHECK(to == std::vector<unsigned char>(bytes, 0xab));
        if (bytes < 2) continue;
        std::vector<unsigned char> expected(from.begin(), from.end() - 1);
        backend.copy(
            from.data() + 1, from.data(), bytes - 1, CopyDirection::device_to_device, nullptr);
        CHECK(std::vector<unsigned char>(from.begin() + 1, from.end()) == expected);
    }
    CHECK(KGEN_MESSAGE_OF(DeviceError,
                          backend.copy_from_peer(nullptr, nullptr, 1, backend, nullptr, nullptr)) ==
          "the host is one device: it has no other to copy from");
}

TEST_CASE("streams and events of the host are markers with a time") {
    const Backend& backend = host_backend();
    StreamHandle one = backend.create_stream({});
    StreamHandle two = backend.create_stream({});
    CHECK(one != nullptr);
    CHECK(one != two);
    CHECK(backend.is_stream_idle(one));
    void* earlier = backend.create_event();
    void* later = backend.create_event();
    CHECK(KGEN_MESSAGE_OF(DeviceError, backend.elapsed_ms(earlier, later)) ==
          "elapsed_ms: both events must be recorded first");
    backend.record_event(earlier, one);
    backend.record_event(later, two);
    CHECK(backend.elapsed_ms(earlier, later) >= 0);
    CHECK(backend.elapsed_ms(later, earlier) <= 0);
    CHECK(backend.is_event_done(later));
    backend.wait_event(one, later);
    backend.synchronize_event(later);
    backend.synchronize_stream(one);
    backend.synchronize();
    backend.destroy_event(earlier);
    backend.destroy_event(later);
    backend.destroy_stream(one);
    backend.destroy_stream(two);
}

TEST_CASE("the host backend describes itself") {
    const Backend& backend = host_backend();
    CHECK(backend.device() == Device::host());
    CHECK(backend.target() == host_target());
    CHECK(backend.limits().processor_count >= 1);
    CHECK(backend.limits().memory_bytes > 0);
    CHECK(backend.description().find(host_target().arch) != std::string::npos);
}
