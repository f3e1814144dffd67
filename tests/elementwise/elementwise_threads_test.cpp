// SPDX-License-Identifier: MIT
//
// Kernels used by many threads: one new kernel called at once, different kernels at once, copies, errors.
#include <atomic>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/at_once.hpp"
#include "support/catch.hpp"
#include "support/compile_count.hpp"
#include "support/devices.hpp"
#include "support/never_compiled.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::vector<std::int32_t> counted(std::int32_t count, std::int32_t first) {
    std::vector<std::int32_t> values;
    for (std::int32_t k = 0; k < count; ++k) values.push_back(first + k);
    return values;
}

}  // namespace

TEST_CASE("threads that meet in a new kernel compile it once and all get its result") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const std::string name = "met_" + std::to_string(static_cast<int>(device.kind()));
        const std::string operation = "z = 3 * x - y " + never_compiled();
        const ElementwiseKernel kernel("T x, T y", "T z", operation, name);
        const int compiles = compiles_during(name, [&] {
            CHECK(failures([&](int number) {
                      const auto values = counted(20000, number);
                      const auto got =
                          elements<std::int32_t>(kernel(from_vector(values, {device}), number));
                      for (std::size_t k = 0; k < values.size(); ++k) {
                          if (got[k] != 3 * values[k] - number) return false;
                      }
                      return true;
                  }) == 0);
        });
        CHECK(compiles == 1);
        // Another kernel with the same text reuses the compiled code.
        const ElementwiseKernel twin("T x, T y", "T z", operation, name);
        CHECK(compiles_during(name, [&] {
                  CHECK(elements<std::int32_t>(twin(from_vector(counted(2, 1), {device}), 1)) ==
                        std::vector<std::int32_t>{2, 5});
              }) == 0);
    }
}

TEST_CASE("threads use different kernels, dtypes and layouts at once") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel shared("T x", "T z", "z = x + 1", "shared");
        CHECK(failures([&](int number) {
                  const ElementwiseKernel own(
                      "int32 x", "int32 z", "z = x * " + std::to_string(number + 2), "own");
                  const ElementwiseKernel copy = shared;
                  for (int round = 0; round < 20; ++round) {
                      const auto values = counted(1000 + round, round);
                      const Array x = from_vector(values, {device});
                      const auto products = elements<std::int32_t>(own(x));
                      const auto sums =
                          elements<std::int32_t>(number % 2 == 0 ? copy(x) : shared(x));
                      const auto wide = elements<std::int64_t>(copy(x.astype(int64)));
                      const auto halves =
                          elements<std::int32_t>(shared(x.slice({{0, std::nullopt, 2}})));
                      for (std::size_t k = 0; k < values.size(); ++k) {
                          if (products[k] != values[k] * (number + 2)) return false;
                          if (sums[k] != values[k] + 1 || wide[k] != values[k] + 1) return false;
                          if (k % 2 == 0 && halves[k / 2] != values[k] + 1) return false;
                      }
                  }
                  return true;
              }) == 0);
    }
}

TEST_CASE("a large array is shared out among threads while others call") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel kernel("T x", "T z", "z = x + (i & 1)", "shared_out");
        CHECK(failures([&](int number) {
                  const auto values = counted(400000, number);
                  const auto got = elements<std::int32_t>(kernel(from_vector(values, {device})));
                  for (std::size_t k = 0; k < values.size(); ++k) {
                      if (got[k] != values[k] + static_cast<std::int32_t>(k & 1)) return false;
                  }
                  return true;
              }) == 0);
    }
}

TEST_CASE("a kernel that does not compile fails in every thread, and again") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel kernel("T x", "T z", "z = nothing_of_that_name", "failing");
        const Array x = from_vector(counted(3, 0), {device});
        std::atomic<int> refused{0};
        CHECK(failures([&](int) {
                  for (int round = 0; round < 2; ++round) {
                      try {
                          kernel(x);
                          return false;
                      } catch (const CompileError& error) {
                          if (std::string(error.what()).find("nothing_of_that_name") !=
                              std::string::npos)
                              ++refused;
                      }
                  }
                  return true;
              }) == 0);
        CHECK(refused == 2 * threads_at_once);
    }
}

TEST_CASE("a division by zero in one thread leaves the others' results alone") {
    const ElementwiseKernel divide("T x, T y", "T z", "z = x / y", "divided_apart");
    const Array x = from_vector(counted(200000, 1), {Device::host()});
    CHECK(failures([&](int number) {
              for (int round = 0; round < 10; ++round) {
                  if (number % 2 == 0) {
                      const auto got = elements<std::int32_t>(divide(x, number + 1));
                      if (got[199999] != 200000 / (number + 1)) return false;
                      continue;
                  }
                  try {
                      divide(x, 0);
                      return false;
                  } catch (const CompileError&) {
                      return false;
                  } catch (const Error&) {
                  }
              }
              return true;
          }) == 0);
}
