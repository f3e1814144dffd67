// SPDX-License-Identifier: MIT
//
// Reductions give the same bits in every run. Earlier work on the stream and the number of the host's threads
// make no difference.
#include <cmath>
#include <cstring>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/fresh_process.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

struct Geometry {
    const char* name;
    Dims shape;
    std::vector<int> axes;
    bool all_kernels = false;
};

// One geometry for each loop of the devices.
const std::vector<Geometry>& geometries() {
    static const std::vector<Geometry> list = {
        {"one row", {600011}, {0}},
        {"few rows", {3, 100003}, {1}, true},
        {"rows", {900, 301}, {1}},
        {"short rows", {30011, 7}, {1}},
        {"columns", {301, 1003}, {0}, true},
        {"narrow columns", {60013, 5}, {0}},
        {"segments", {40, 3, 2003}, {0, 2}},
        {"a middle axis", {5, 700, 67}, {1}},
    };
    return list;
}

// Returns numbers in (-1, 1) of all magnitudes down to 2^-20, so that their sum depends on the order.
const std::vector<float>& numbers() {
    static const std::vector<float> list = [] {
        std::mt19937 random(77);
        std::vector<float> values(600011);
        for (float& value : values) {
            const float fraction = static_cast<float>(random()) * 0x1p-31F - 1;
            value = std::ldexp(fraction, -static_cast<int>(random() % 20));
        }
        return values;
    }();
    return list;
}

Array array_of(const Geometry& geometry, Device device) {
    const auto count = static_cast<std::ptrdiff_t>(count_of(geometry.shape));
    return from_vector(
        std::vector<float>(numbers().begin(), numbers().begin() + count), geometry.shape, {device});
}

const ReductionKernel& sum() {
    static const ReductionKernel kernel("T x", "T y", "x", "a + b", "y = a", "0", "sum");
    return kernel;
}

const ReductionKernel& squares() {
    static const ReductionKernel kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "", "norm");
    return kernel;
}

const ReductionKernel& exact() {
    static const ReductionKernel kernel(
        "T x", "T y", "x", "a + b", "y = a", "0", "exact", {.accuracy = Accuracy::compensated});
    return kernel;
}

// Mean and variance: merging two accumulators rounds at each step.
const ReductionKernel& moments() {
    static const ReductionKernel kernel(
        "T x",
        "T y",
        "moments{1, x, 0}",
        "const double d = b.mean - a.mean, count = a.count + b.count;\n"
        "return moments{count, a.mean + d * b.count / count,\n"
        "               a.m2 + b.m2 + d * d * a.count * b.count / count};",
        "y = a.mean + a.m2",
        "",
        "moments",
        {.reduce_type = "moments", .preamble = "struct moments { double count, mean, m2; };"});
    return kernel;
}

std::vector<const ReductionKernel*> kernels_of(const Geometry& geometry) {
    if (!geometry.all_kernels) return {&sum()};
    return {&sum(), &squares(), &exact(), &moments()};
}

std::vector<std::uint32_t> bits_of(const Array& array) {
    const std::vector<float> values = elements<float>(array);
    std::vector<std::uint32_t> bits(values.size());
    std::memcpy(bits.data(), values.data(), 4 * values.size());
    return bits;
}

// Returns all results of all kernels as a text that differs if any bit differs.
std::string told_bits(Device device) {
    std::string text;
    for (const Geometry& geometry : geometries()) {
        const Array x = array_of(geometry, device);
        for (const ReductionKernel* kernel : kernels_of(geometry)) {
            std::uint64_t mixed = 0xcbf29ce484222325u;
            for (const std::uint32_t bits : bits_of((*kernel)(x, axis(geometry.axes))))
                mixed = (mixed ^ bits) * 0x100000001b3u;
            text += kernel->name() + " of " + geometry.name + ": " + std::to_string(mixed) + "\n";
        }
    }
    return text;
}

}  // namespace

TEST_CASE("a hundred runs of a reduction give the same bits, whatever ran between them",
          "[reduction]") {
    for (const Device device : present_devices()) {
        const Stream stream = Stream::create(device);
        const StreamScope scope(stream);
        std::vector<Array> inputs;
        for (const Geometry& geometry : geometries()) inputs.push_back(array_of(geometry, device));
        std::vector<std::vector<std::vector<std::uint32_t>>> first;
        for (int run = 0; run < 100; ++run) {
            for (std::size_t g = 0; g < inputs.size(); ++g) {
                // Another reduction used the scratch memory before each call.
                const std::size_t other = (g + static_cast<std::size_t>(run)) % inputs.size();
                static_cast<void>(sum()(inputs[other], axis(geometries()[other].axes)));
                std::vector<Array> results;
                for (const ReductionKernel* kernel : kernels_of(geometries()[g]))
                    results.push_back((*kernel)(inputs[g], axis(geometries()[g].axes)));
                stream.synchronize();
                std::vector<std::vector<std::uint32_t>> bits;
                for (const Array& result : results) bits.push_back(bits_of(result));
                if (run == 0) first.push_back(bits);
                if (bits != first[g])
                    FAIL_CHECK(to_text(device) << ", run " << run << ": " << geometries()[g].name);
            }
        }
        // The order of adding these numbers matters: adding them one after the other gives another sum.
        float one_by_one = 0;
        for (const float value : numbers()) one_by_one += value;
        std::uint32_t bits = 0;
        std::memcpy(&bits, &one_by_one, 4);
        CHECK(first[0][0][0] != bits);
    }
}

TEST_CASE("fresh: reports the bits of reductions on the host", "[.fresh]") {
    report(told_bits(Device::host()));
}

TEST_CASE("the bits of reductions do not depend on the host's number of threads", "[reduction]") {
    const std::string here = told_bits(Device::host());
    for (const char* threads : {"1", "3"}) {
        INFO(threads << " threads");
        const FreshResult fresh = run_fresh("fresh: reports the bits of reductions on the host",
                                            {{"KGEN_HOST_THREADS", threads}});
        CHECK(fresh.exit_status == 0);
        CHECK(fresh.text == here);
    }
}
