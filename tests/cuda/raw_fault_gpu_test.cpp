// SPDX-License-Identifier: MIT
//
// A GPU that is lost because of a raw kernel, tested in separate processes. Without a GPU each test reports
// that it was skipped.
#include <chrono>

#include "support/fresh_process.hpp"
#include "support/raw_gpu.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Reports the device's first error, and whether all later calls give the same.
void report_loss() {
    const Backend& device = backend(Device::cuda(0));
    const std::string first = KGEN_MESSAGE_OF(DeviceError, device.synchronize());
    const std::string second =
        KGEN_MESSAGE_OF(DeviceError, launch_raw("spin", {}, std::int64_t{1}));
    const std::string third = KGEN_MESSAGE_OF(DeviceError, raw_module().variable("counter"));
    report(first + (first == second && first == third ? "|same" : "|" + second + "|" + third));
}

void launch_wild_after_others() {
    launch_raw("spin", {}, std::int64_t{1000});
    launch_raw("store", {.grid = {2, 3}, .block = {16, 2}}, std::uint64_t{16});
}

// Returns the first line of the message.
std::string failure(const char* call, const char* described) {
    return std::string(call) + " failed: " + described;
}

constexpr const char* start_again =
    "cuda:0 can no longer be used by this process: start the process again; set KGEN_SYNC=1 to "
    "find the launch "
    "that fails|same";

void check_loss(const std::string& test_case,
                const std::vector<std::pair<std::string, std::string>>& environment,
                const std::string& expected) {
    const auto start = std::chrono::steady_clock::now();
    const FreshResult result = run_fresh(test_case, environment);
    INFO(result.output);
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
    if (raw_gpu() == nullptr) return;
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
    launch_raw("trap", {.grid = {4}, .block = {32}});
    report_loss();
}

TEST_CASE("gpu: a trap costs the GPU", "[cuda][raw][gpu]") {
    if (raw_gpu() == nullptr) return;
    const FreshResult result = run_fresh("fresh: a raw kernel traps", {});
    INFO(result.text);
    // Current drivers report CUDA_ERROR_LAUNCH_FAILED (719), older ones ILLEGAL_INSTRUCTION.
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
        compile_raw("extern \"C\" __global__ void claim(int n) { assert(n > 3); }"), "claim.cu");
    const int n = 2;
    const auto kernel = loaded->kernel("claim");
    device.raw().launch(*kernel, {}, &n, sizeof n, nullptr, "claim");
    report_loss();
}

TEST_CASE("gpu: a failed assertion says that the context must be built anew", "[cuda][raw][gpu]") {
    if (raw_gpu() == nullptr) return;
    check_loss("fresh: an assertion of a raw kernel fails",
               {},
               "cuda:0: " +
                   failure("cuCtxSynchronize", "CUDA_ERROR_ASSERT (device-side assert triggered)") +
                   "\n"
                   "an earlier launch failed; the last ones: 'claim' with grid (1, 1, 1) and block "
                   "(1, 1, 1)\n"
                   "cuda:0 can no longer be used by this process, because an assertion failed in a "
                   "kernel: start the process again; set "
                   "KGEN_SYNC=1 to find the launch that fails|same");
}

TEST_CASE("fresh: a raw kernel fails between others", "[.fresh]") {
    const ZeroedBlock y(1024 * sizeof(int));
    void* data = y.get();
    launch_raw("store", {.block = {32}}, data);
    std::string first;
    try {
        launch_wild_after_others();
        first = "(no fault)";
    } catch (const DeviceError& error) {
        first = error.what();
    }
    const std::string later = KGEN_MESSAGE_OF(DeviceError, launch_raw("store", {}, data));
    report(first + (first == later ? "|same" : "|" + later));
}

TEST_CASE("gpu: under KGEN_SYNC=1 the launch that failed is named", "[cuda][raw][gpu]") {
    if (raw_gpu() == nullptr) return;
    check_loss("fresh: a raw kernel fails between others",
               {{"KGEN_SYNC", "1"}},
               "kernel 'store' on cuda:0, grid (2, 3, 1), block (16, 2, 1): " +
                   failure("cuStreamSynchronize",
                           "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                           "encountered)") +
                   "\ncuda:0 can no longer be used by this process: start the process again|same");
}

TEST_CASE("fresh: a process ends while its lost GPU still has things", "[.fresh]") {
    static const ZeroedBlock block(1 << 20);  // freed by a destructor at exit
    static const Stream stream = Stream::create(Device::cuda(0));
    static const Event event(Device::cuda(0));
    launch_raw("store", {.stream = stream}, std::uint64_t{16});
    for (int k = 0; k < 4; ++k) {
        try {
            launch_raw("spin", {.stream = stream}, std::int64_t{1000});
            stream.synchronize();
        } catch (const DeviceError&) {
        }
    }
    report("ended");
}

TEST_CASE("gpu: a process whose GPU is lost ends at once, and its destructors are quiet",
          "[cuda][raw][gpu]") {
    if (raw_gpu() == nullptr) return;
    check_loss("fresh: a process ends while its lost GPU still has things", {}, "ended");
}

TEST_CASE("fresh: a process ends while a fault is on its way", "[.fresh]") {
    static const ZeroedBlock block(1 << 20);
    static const Stream stream = Stream::create(Device::cuda(0));
    launch_raw("spin", {.stream = stream}, std::int64_t{200'000'000});
    launch_raw("store", {.stream = stream}, std::uint64_t{16});
    report("ended");
}

TEST_CASE("gpu: a process ends while a fault that nobody saw is on its way", "[cuda][raw][gpu]") {
    if (raw_gpu() == nullptr) return;
    check_loss("fresh: a process ends while a fault is on its way", {}, "ended");
}
