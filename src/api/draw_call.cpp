// SPDX-License-Identifier: MIT
#include "api/draw_call.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "text/error_parts.hpp"

namespace kgen {

namespace {

constexpr auto distributions = std::to_array<Distribution>(
    {{"uniform",
      float64,
      0,
      2,
      "uniform(42, (1000, 3)) or uniform(42, low, high, (1000, 3), float32)"},
     {"normal",
      float64,
      0,
      2,
      "normal(42, (1000, 3)) or normal(42, mean, std, (1000, 3), float32)"},
     {"exponential",
      float64,
      0,
      1,
      "exponential(42, (1000, 3)) or exponential(42, scale, (1000, 3), float32)"},
     {"integers", int64, 2, 2, "integers(42, low, high, (1000, 3), int32)"},
     {"bernoulli", bool_, 1, 1, "bernoulli(42, p, (1000, 3))"}});

// Returns the number as T. Throws TypeError if T does not hold it.
template <typename T>
T number_as(const Distribution& distribution, const char* part, const Scalar& number) {
    std::byte bytes[16];
    constexpr DType dtype = std::is_same_v<T, double> ? float64
                            : std::is_signed_v<T>     ? int64
                                                      : uint64;
    const std::string problem = convert_scalar(number, dtype, bytes);
    if (!problem.empty())
        refuse<TypeError>({ErrorKind::value, part}, "{}: {} {}", distribution.name, part, problem);
    T value;
    std::copy_n(bytes, sizeof value, reinterpret_cast<std::byte*>(&value));
    return value;
}

}  // namespace

const Distribution* find_distribution(std::string_view name) noexcept {
    for (const Distribution& each : distributions)
        if (each.name == name) return &each;
    return nullptr;
}

Expression make_draw(const Distribution& distribution,
                     std::span<const Scalar> numbers,
                     const Like& like,
                     std::uint64_t draw) {
    Generator rng(number_as<std::uint64_t>(distribution, "the seed", numbers[0]), draw);
    const std::span<const Scalar> given = numbers.subspan(1);
    if (distribution.dtype == int64) {
        return rng.integers(number_as<std::int64_t>(distribution, "low", given[0]),
                            number_as<std::int64_t>(distribution, "high", given[1]),
                            like);
    }
    std::array<double, 2> values{0, 1};  // also the defaults of uniform and normal
    if (distribution.name == "exponential") values[0] = 1;
    for (std::size_t k = 0; k < given.size(); ++k)
        values[k] = number_as<double>(distribution, "the parameter", given[k]);
    if (distribution.name == "uniform") return rng.uniform(values[0], values[1], like);
    if (distribution.name == "normal") return rng.normal(values[0], values[1], like);
    if (distribution.name == "exponential") return rng.exponential(values[0], like);
    return rng.bernoulli(values[0], like);
}

}  // namespace kgen
