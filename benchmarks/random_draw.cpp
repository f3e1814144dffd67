// SPDX-License-Identifier: MIT
#include "benchmarks/random_draw.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

namespace kgen::bench {

namespace {

constexpr std::string_view random_class_names[random_class_count] = {
    "elementwise", "permute", "reduce", "small", "host"};

std::int64_t prime_at_most(std::int64_t number) {
    const auto is_prime = [](std::int64_t candidate) {
        for (std::int64_t factor = 2; factor * factor <= candidate; ++factor) {
            if (candidate % factor == 0) return false;
        }
        return candidate > 1;
    };
    while (number > 2 && !is_prime(number)) --number;
    return number;
}

std::int64_t power_of_two_at_most(std::int64_t number) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(number)));
}

// Sebastiano Vigna's splitmix64: neighbouring seeds give unrelated numbers.
std::uint64_t mixed(std::uint64_t seed) {
    seed += 0x9e3779b97f4a7c15;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111eb;
    return seed ^ (seed >> 31);
}

}  // namespace

std::string_view to_text(RandomClass kind) {
    return random_class_names[static_cast<std::size_t>(kind)];
}

std::optional<RandomClass> parse_random_class(std::string_view name) {
    const auto* at = std::find(std::begin(random_class_names), std::end(random_class_names), name);
    if (at == std::end(random_class_names)) return {};
    return static_cast<RandomClass>(at - random_class_names);
}

RandomClass class_of(std::uint64_t seed) {
    return static_cast<RandomClass>(seed % random_class_count);
}

std::uint64_t next_seed(std::uint64_t seed, const std::vector<RandomClass>& classes) {
    while (std::find(classes.begin(), classes.end(), class_of(seed)) == classes.end()) {
        seed += seed_step;
    }
    return seed;
}

Draw::Draw(std::uint64_t seed, std::uint64_t stream) : random_(mixed(mixed(seed) + stream)) {}

int Draw::weighted(const std::vector<int>& weights) {
    std::int64_t place = below(std::accumulate(weights.begin(), weights.end(), 0));
    int chosen = 0;
    for (; place >= weights[static_cast<std::size_t>(chosen)]; ++chosen) {
        place -= weights[static_cast<std::size_t>(chosen)];
    }
    return chosen;
}

std::int64_t Draw::log_uniform(std::int64_t last) {
    const std::int64_t octave = below(std::bit_width(static_cast<std::uint64_t>(last)));
    const std::int64_t first = std::int64_t{1} << octave;
    return between(first, std::min(2 * first - 1, last));
}

std::int64_t Draw::power(int low, int high) {
    const std::int64_t exponent = low * 1024 + below((high - low) * 1024);
    return ((1024 + exponent % 1024) << (exponent / 1024)) / 1024;
}

Dims Draw::permutation(int count) {
    Dims order;
    for (int k = 0; k < count; ++k) order.push_back(k);
    for (int k = count - 1; k > 0; --k) std::swap(order[k], order[below(k + 1)]);
    return order;
}

std::int64_t Draw::extent(std::int64_t longest) {
    switch (weighted({35, 20, 15, 30})) {
        case 0:
            return std::min(between(1, 20), longest);
        case 1:
            return power_of_two_at_most(log_uniform(longest));
        case 2:
            return prime_at_most(log_uniform(longest));
        default:
            return log_uniform(longest);
    }
}

Dims Draw::shape(int rank, std::int64_t elements) {
    Dims shape = Dims::filled(rank, 1);
    const Dims order = permutation(rank);
    std::int64_t rest = elements;
    for (int k = 0; k + 1 < rank; ++k) {
        shape[order[k]] = extent(rest);
        rest /= shape[order[k]];
    }
    const int rounding = weighted({50, 25, 25});
    shape[order[rank - 1]] = rounding == 0   ? rest
                             : rounding == 1 ? power_of_two_at_most(rest)
                                             : prime_at_most(rest);
    return shape;
}

}  // namespace kgen::bench
