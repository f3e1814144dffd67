// SPDX-License-Identifier: MIT
//
// Draw: random numbers by which the calls of `kgen bench --random` are drawn. They depend on the seed alone,
// not on the platform: a std::mt19937_64 and integer arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

// What a call measures. `elementwise`, `permute` and `reduce` work on large arrays, `small` mixes their kinds
// of calls on small ones, and `host` does so on arrays for one CPU thread, in turn with a naive loop.
enum class RandomClass : std::uint8_t { elementwise, permute, reduce, small, host };
inline constexpr int random_class_count = 5;
std::string_view to_text(RandomClass kind);
std::optional<RandomClass> parse_random_class(std::string_view name);

// A call's own seed decides its class. The calls of a run have the seeds `first`, `first` + 1000000000001, ...
// modulo 2^64, of which next_seed() leaves out those of other classes. So a run from a call's own seed
// begins with that call.
RandomClass class_of(std::uint64_t seed);
constexpr std::uint64_t seed_step = 1'000'000'000'001;  // 1 modulo random_class_count
// Returns the seed itself if its class is among `classes`, else the next one of the run.
std::uint64_t next_seed(std::uint64_t seed, const std::vector<RandomClass>& classes);

class Draw {
public:
    // Each `stream` of one seed is a sequence of its own.
    Draw(std::uint64_t seed, std::uint64_t stream);

    std::int64_t below(std::int64_t end) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
    }
    std::int64_t between(std::int64_t first, std::int64_t last) {
        return first + below(last - first + 1);
    }
    bool chance(int percent) { return below(100) < percent; }
    template <typename T>
    const T& among(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
    }
    // Returns 0 with probability weights[0] / sum, and so on.
    int weighted(const std::vector<int>& weights);
    // Each octave from 1 to `last` is equally likely.
    std::int64_t log_uniform(std::int64_t last);
    // Returns a number between 2^low and 2^high, uniform in its logarithm up to 1/1024 octave.
    std::int64_t power(int low, int high);
    // Returns an order of 0, 1, ..., count - 1.
    Dims permutation(int count);
    // Returns the shape of `rank` axes and at most `elements` elements, not much fewer. Small extents, powers
    // of two and primes are more frequent than other numbers.
    Dims shape(int rank, std::int64_t elements);

private:
    std::int64_t extent(std::int64_t longest);
    std::mt19937_64 random_;
};

}  // namespace kgen::bench
