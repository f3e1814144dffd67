// SPDX-License-Identifier: MIT
//
// The parts of the host's backend that reductions need: scratch memory and the sizes of accumulators.
#include "host/run/host_scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <kgen/error.hpp>
#include <string>
#include <thread>
#include <vector>

#include "host/compile/host_compiler.hpp"
#include "host/compile/host_target.hpp"
#include "host/host_backend.hpp"
#include "host/run/host_memory.hpp"
#include "support/catch.hpp"
#include "support/host_kernels.hpp"

using namespace kgen;

namespace {

Scratch take(int counters, std::size_t bytes) {
    return host_backend().scratch(counters, bytes, nullptr);
}

bool is_zero(const Scratch& scratch, int counters) {
    return std::all_of(scratch.counters, scratch.counters + counters, [](std::uint32_t value) {
        return value == 0;
    });
}

Image compile(const std::string& source, const std::string& accumulator_symbol) {
    return host_compiler().compile({.kernel = "sum",
                                    .source = test::host_prologue + source,
                                    .symbol = "kgen_sum",
                                    .target = host_target(),
                                    .accumulator_symbol = accumulator_symbol});
}

}  // namespace

TEST_CASE("the host's scratch memory has zeroed counters and aligned partials, as many as asked") {
    for (const int counters : {1, 100, 5000}) {
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{3000001}}) {
            const Scratch scratch = take(counters, bytes);
            CHECK(is_zero(scratch, counters));
            CHECK(reinterpret_cast<std::uintptr_t>(scratch.partials) % 64 == 0);
            std::memset(scratch.partials, 0x5a, bytes);
        }
    }
    const Scratch scratch = take(5000, 3000001);
    CHECK(take(10, 10).counters == scratch.counters);
    CHECK(take(10, 10).partials == scratch.partials);
}

TEST_CASE("each thread that launches on the host has scratch memory of its own") {
    const Scratch here = take(10, 1000);
    Scratch there;
    std::thread([&] { there = take(10, 1000); }).join();
    CHECK(there.counters != here.counters);
    CHECK(there.partials != here.partials);
}

TEST_CASE("a launch on the host that fails leaves zeroed counters behind") {
    struct Parameters {
        std::uint32_t* counters;
        std::int32_t divisor;
    };
    const Image image = compile(
        "struct Parameters { unsigned* counters; int divisor; };\n"
        "KGEN_ENTRY(kgen_sum) {\n"
        "    __atomic_store_n(&kgen_calls, calls, __ATOMIC_RELAXED);\n"
        "    const Parameters p = *(const Parameters*)parameters;\n"
        "    p.counters[3] = 7;\n"
        "    p.counters[4] = (unsigned)(100 / p.divisor);\n"
        "}\n",
        {});
    const auto kernel = host_backend().load(image);
    const Parameters parameters = {take(10, 0).counters, 0};
    CHECK_THROWS_AS(
        host_backend().launch(
            *kernel, {.count = 1, .grain = 1}, &parameters, sizeof parameters, nullptr, "sum"),
        Error);
    CHECK(parameters.counters[3] == 0);
    CHECK(is_zero(take(10, 0), 10));
}

TEST_CASE("scratch memory that the host does not have is an error that says what it was for") {
    const std::string tail = " bytes of scratch memory for a reduction; this machine has " +
                             std::to_string(host_backend().limits().memory_bytes);
    for (const std::size_t bytes : {SIZE_MAX, std::size_t{1} << 62U}) {
        CHECK(KGEN_MESSAGE_OF(DeviceError, take(10, bytes)) ==
              "out of memory on the host device: cannot allocate " + std::to_string(bytes) + tail);
    }
    const Scratch scratch = take(10, 1000);
    CHECK(is_zero(scratch, 10));
    std::memset(scratch.partials, 1, 1000);
}

TEST_CASE("a host object tells the size of the accumulator that its image names") {
    const std::string source =
        "struct Best { double value; long long index; bool found; };\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) const unsigned long long "
        "kgen_bytes = sizeof(Best);\n"
        "KGEN_ENTRY(kgen_sum) { (void)parameters; (void)calls; (void)begin; (void)end; }\n";
    const Image image = compile(source, "kgen_bytes");
    CHECK(image.accumulator_symbol == "kgen_bytes");
    CHECK(host_backend().load(image)->accumulator_bytes() == 24);
    CHECK(host_backend().load(compile(source, {}))->accumulator_bytes() == 0);
    CHECK(KGEN_MESSAGE_OF(DeviceError, host_backend().load(compile(source, "absent"))) ==
          "host kernel 'kgen_sum' cannot be loaded: its object has no symbol 'absent'");
}
