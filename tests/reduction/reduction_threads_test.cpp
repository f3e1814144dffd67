// SPDX-License-Identifier: MIT
//
// One reduction called by many threads on many streams: with different sizes and axes at once, as a new
// kernel that all call at once, and by threads that come and go.
#include <cstdint>
#include <kgen/kgen.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/at_once.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/folded.hpp"
#include "support/placed.hpp"
#include "support/sanitizers.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// An input, the axes to fold, and the expected sums.
struct Case {
    Array x;
    std::vector<int> axes;
    std::vector<std::int64_t> sums;
};

// Sizes that are split into few pieces, into many, or not at all. The sums are exact in float32.
std::vector<Case> cases_on(Device device, DType dtype) {
    struct Geometry {
        Dims shape;
        std::vector<int> axes;
    };
    const Geometry geometries[] = {
        {{200003}, {0}},
        {{5000}, {0}},
        {{3, 40001}, {1}},
        {{2, 20000}, {1}},
        {{40, 1000}, {1}},
        {{5000, 5}, {1}},
        {{1000, 130}, {0}},
        {{30000, 4}, {0}},
        {{3, 500, 40}, {1}},
        {{20, 2, 1500}, {0, 2}},
    };
    std::vector<Case> cases;
    for (const Geometry& geometry : geometries) {
        std::vector<std::int64_t> values;
        for (std::int64_t k = 0; k < count_of(geometry.shape); ++k)
            values.push_back((k * 7919 + count_of(geometry.shape)) % 53);
        cases.push_back(
            {from_vector(values, geometry.shape, {device}).astype(dtype),
             geometry.axes,
             folded<std::int64_t>(geometry.shape,
                                  geometry.axes,
                                  0,
                                  [&](std::int64_t total, std::int64_t k, std::int64_t) {
                                      return total + values[static_cast<std::size_t>(k)];
                                  })});
    }
    synchronize(device);
    return cases;
}

bool is_sum(const Array& result, const std::vector<std::int64_t>& sums) {
    const std::vector<float> values = elements<float>(result);
    if (values.size() != sums.size()) return false;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        if (values[k] != static_cast<float>(sums[k])) return false;
    }
    return true;
}

ReductionKernel sum_kernel(const std::string& name) {
    return {"T x", "float32 y", "x", "a + b", "y = a", "0", name};
}

// Fewer rounds with ThreadSanitizer, because it slows everything down.
constexpr int rounds = cannot_thread_after_fork ? 1 : 3;

}  // namespace

TEST_CASE("threads fold different sizes with one kernel, each on a stream of its own",
          "[reduction]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const std::vector<Case> cases = cases_on(device, float32);
        const ReductionKernel sum = sum_kernel("sum_of_own");
        CHECK(failures([&](int number) {
                  const Stream stream = Stream::create(device);
                  const StreamScope scope(stream);
                  for (int round = 0; round < rounds; ++round) {
                      // Several calls are in flight, and they need different amounts of scratch memory.
                      std::vector<Array> results;
                      for (std::size_t k = 0; k < cases.size(); ++k) {
                          const Case& row =
                              cases[(k + static_cast<std::size_t>(number)) % cases.size()];
                          results.push_back(sum(row.x, axis(row.axes)));
                      }
                      stream.synchronize();
                      for (std::size_t k = 0; k < cases.size(); ++k) {
                          const Case& row =
                              cases[(k + static_cast<std::size_t>(number)) % cases.size()];
                          if (!is_sum(results[k], row.sums)) return false;
                      }
                  }
                  return true;
              }) == 0);
    }
}

TEST_CASE("threads fold on the one stream that they share", "[reduction]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const std::vector<Case> cases = cases_on(device, float32);
        const ReductionKernel sum = sum_kernel("sum_of_shared");
        const Stream stream = Stream::create(device);
        CHECK(failures([&](int number) {
                  for (int round = 0; round < rounds; ++round) {
                      for (std::size_t k = 0; k < cases.size(); ++k) {
                          const Case& row =
                              cases[(k * 3 + static_cast<std::size_t>(number)) % cases.size()];
                          const Array result = sum(row.x, axis(row.axes), on(stream));
                          stream.synchronize();
                          if (!is_sum(result, row.sums)) return false;
                      }
                  }
                  return true;
              }) == 0);
    }
}

TEST_CASE("threads bind, call and copy one reduction, of several dtypes", "[reduction]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const std::vector<Case> floats = cases_on(device, float32);
        const std::vector<Case> bytes = cases_on(device, uint8);
        const ReductionKernel shared = sum_kernel("sum_of_copies");
        CHECK(failures([&](int number) {
                  const std::vector<Case>& cases = number % 2 == 0 ? floats : bytes;
                  const ReductionKernel copy = shared;
                  const Stream stream = Stream::create(device);
                  const StreamScope scope(stream);
                  const Case& row = cases[static_cast<std::size_t>(number) / 2];
                  const BoundLaunch bound = shared.bind(row.x, axis(row.axes));
                  for (int round = 0; round < 10 * rounds; ++round) {
                      bound();
                      const Case& other =
                          cases[static_cast<std::size_t>(round + number) % cases.size()];
                      const Array result =
                          (round % 2 == 0 ? copy : shared)(other.x, axis(other.axes), keepdims);
                      stream.synchronize();
                      if (!is_sum(bound.outputs()[0], row.sums)) return false;
                      if (!is_sum(result, other.sums)) return false;
                  }
                  return true;
              }) == 0);
    }
}

TEST_CASE("threads that come and go leave nothing that others would read", "[reduction]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const std::vector<Case> cases = cases_on(device, float32);
        std::optional<ReductionKernel> sum = sum_kernel("sum_of_visitors");
        for (int generation = 0; generation < 2 * rounds; ++generation) {
            CHECK(failures([&](int number) {
                      const Case& row =
                          cases[static_cast<std::size_t>(number + generation) % cases.size()];
                      const ReductionKernel own = *sum;
                      const Array result = own(row.x, axis(row.axes));
                      synchronize(device);
                      return is_sum(result, row.sums);
                  }) == 0);
            // Every other generation replaces the kernel too.
            if (generation % 2 == 1) sum = sum_kernel("sum_of_visitors");
        }
    }
}
