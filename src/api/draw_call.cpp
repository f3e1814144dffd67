// SPDX-License-Identifier: MIT
#include "api/draw_call.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

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

// Returns the number as T, or nothing if T does not hold it.
template <typename T>
std::optional<T> number_as(const Scalar& number) {
    std::byte bytes[16];
    constexpr DType dtype = std::is_same_v<T, double> ? float64
                            : std::is_signed_v<T>     ? int64
                                                      : uint64;
    if (!convert_scalar(number, dtype, bytes).empty()) return std::nullopt;
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

std::optional<Expression> make_draw(const Distribution& distribution,
                                    std::span<const Scalar> numbers,
                                    const Like& like,
                                    std::uint64_t draw) {
    if (numbers.empty()) return std::nullopt;
    const auto seed = number_as<std::uint64_t>(numbers[0]);
    const std::span<const Scalar> given = numbers.subspan(1);
    if (!seed || (given.size() != distribution.least && given.size() != distribution.most))
        return std::nullopt;
    Generator rng(*seed, draw);
    if (distribution.dtype == int64) {
        const auto low = number_as<std::int64_t>(given[0]);
        const auto high = number_as<std::int64_t>(given[1]);
        if (!low || !high) return std::nullopt;
        return rng.integers(*low, *high, like);
    }
    std::array<double, 2> values{0, 1};  // also the defaults of uniform and normal
    if (distribution.name == "exponential") values[0] = 1;
    for (std::size_t k = 0; k < given.size(); ++k) {
        const auto value = number_as<double>(given[k]);
        if (!value) return std::nullopt;
        values[k] = *value;
    }
    if (distribution.name == "uniform") return rng.uniform(values[0], values[1], like);
    if (distribution.name == "normal") return rng.normal(values[0], values[1], like);
    if (distribution.name == "exponential") return rng.exponential(values[0], like);
    return rng.bernoulli(values[0], like);
}

}  // namespace kgen
