// SPDX-License-Identifier: MIT
//
// KGEN_CHECK_POINTERS: if it is set, kgen asks the CUDA driver before each launch whether memory that
// kgen did not allocate is on the device that its array names.
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// A view of `count` floats at an address that is claimed to be on a GPU.
Array claimed(const void* address, std::int64_t count) {
    return Array::view(const_cast<void*>(address), float32, {count}, {.device = Device::cuda(0)});
}

std::string without(std::string message, const void* address) {
    const std::string text = fmt::format("{}", address);
    if (const auto at = message.find(text); at != std::string::npos)
        message.replace(at, text.size(), "HERE");
    return message + "\n";
}

const std::string here =
    "HERE is not memory of the CUDA driver: it is pageable host memory, or it was freed\n";

void report_refusals() {
    static float plain[16];
    const Array good = empty({16}, float32, {.device = Device::cuda(0)});
    const Array bad = claimed(plain, 16);
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "checked_add");
    const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "checked_sum");
    const RawKernel raw("extern \"C\" __global__ void touch(float* x) { x[threadIdx.x] = 1; }",
                        "touch");
    report(without(KGEN_MESSAGE_OF(DeviceError, add(good, bad)), plain));
    report(without(KGEN_MESSAGE_OF(DeviceError, add(good, good, out(bad))), plain));
    report(without(KGEN_MESSAGE_OF(DeviceError, sum(bad)), plain));
    report(without(KGEN_MESSAGE_OF(DeviceError, add.bind(bad, good, out(good))), plain));
    report(without(KGEN_MESSAGE_OF(DeviceError, raw.launch({.grid = {1}, .block = {16}}, bad)),
                   plain));
    report(without(
        KGEN_MESSAGE_OF(DeviceError,
                        raw.launch({.grid = {1}, .block = {16}}, static_cast<const void*>(plain))),
        plain));
    // A view of kgen's own memory that was made from the address alone.
    const Array all = claimed(good.data(), 16);
    add(all, good);
    add(all, good);
    const Array large = empty({1 << 24}, float32, {.device = Device::cuda(0)});
    const std::string beyond =
        KGEN_MESSAGE_OF(DeviceError, sum(claimed(large.data(), std::int64_t{1} << 40)));
    report(beyond.substr(beyond.rfind(" bytes ") + 1) + "\n");
}

}  // namespace

TEST_CASE("fresh: foreign memory under check", "[.fresh]") {
    report_refusals();
}

TEST_CASE("gpu: a view of memory that a GPU does not reach is refused under KGEN_CHECK_POINTERS=1",
          "[cuda][gpu]") {
    if (!has_gpu()) {
        WARN("skipped: this test needs a GPU");
        return;
    }
    const FreshResult result =
        run_fresh("fresh: foreign memory under check", {{"KGEN_CHECK_POINTERS", "1"}});
    const std::string lie = " should be on cuda:0, but ";
    CHECK(result.text == "kernel 'checked_add': argument 2 ('y')" + lie + here +
                             "kernel 'checked_add': output 1 ('z')" + lie + here +
                             "kernel 'checked_sum': argument 1 ('x')" + lie + here +
                             "kernel 'checked_add': argument 1 ('x')" + lie + here +
                             "kernel 'touch': argument 1" + lie + here +
                             "kernel 'touch': argument 1" + lie + here +
                             "bytes beyond the allocation\n");
    CHECK(result.exit_status == 0);
}

TEST_CASE("fresh: views under check", "[.fresh]") {
    const FakeCuda fake;
    static float plain[16];
    const Array good = empty({16}, float32, {.device = Device::cuda(0)});
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "checked_add");
    report(without(KGEN_MESSAGE_OF(Error, add(good, claimed(plain, 16))), plain));
    fake.record().pointer_ordinal = 1;
    report(without(KGEN_MESSAGE_OF(Error, add(good, claimed(good.data(), 16))), good.data()));
}

TEST_CASE("views of foreign memory are held against what the driver knows if that is asked for",
          "[cuda]") {
    const auto run = [](const char* setting) {
        return run_fresh("fresh: views under check",
                         {{"KGEN_CUDA_PATH", FakeCuda::path()}, {"KGEN_CHECK_POINTERS", setting}})
            .text;
    };
    const std::string lie = "kernel 'checked_add': argument 2 ('y') should be on cuda:0, but ";
    CHECK(run("1") == lie + here + lie + "HERE is memory of cuda:1\n");
    CHECK(run("yes") == run("0"));  // the default, with a warning
}
