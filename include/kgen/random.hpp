// SPDX-License-Identifier: MIT
//
// Generator: random numbers as parts of expressions.
//
//     Generator rng(42);
//     Array u = rng.uniform({1000, 3}, float32);     // [0, 1)
//     Array y = x + 0.1 * rng.normal(like(x));       // one kernel, which needs no memory for the noise
//     double pi = 4.0 * mean(square(rng.uniform({n})) + square(rng.uniform({n})) < 1.0).item<double>();
//
// A number depends only on the seed, on how many draws the generator made before, and on the element's place in the drawn
// array, in C order. So it is the same on every device and for every layout. docs/random-numbers.md specifies the numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/device.hpp>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <kgen/export.hpp>
#include <kgen/expression.hpp>
#include <optional>

namespace kgen {

// What is drawn: the shape, the dtype and the device. See like().
struct Like {
    Dims shape;
    DType dtype;
    std::optional<Device> device = {};  // that of the expression's arrays, or current_device()
    bool is_of_array = false;  // if the distribution does not have the dtype, its default is drawn
};

// Draws as many numbers as the array has elements, on its device and in its dtype, if the distribution has it. Otherwise in
// the default dtype.
inline Like like(const Array& array) {
    return {array.shape(), array.dtype(), array.device(), true};
}
KGEN_EXPORT Like like(const ShardedArray& array);

// If one statement draws several arrays, C++ does not say which is drawn first, so compilers may give them each other's
// numbers. Compute one before, or draw from two generators, where that matters.
//
// Each function draws an array of independent numbers, as an Expression. If a larger shape broadcasts with the drawn array,
// the array is computed by a kernel of its own, so that its numbers are repeated like those of any array. A
// BoundLaunch and a Graph repeat the numbers of their draws in each launch.
//
// The functions throw ShapeError if an extent is negative, TypeError if the distribution does not have the dtype, and
// Error if a parameter is out of its range.
//
// A generator is copyable, and a copy draws the same numbers as the original. Threads may share one: their draws have
// different numbers, and which thread gets which is unspecified. Use fork() to give each thread its own.
class KGEN_EXPORT Generator {
public:
    // `draws` is the number of draws that count as made.
    explicit Generator(std::uint64_t seed, std::uint64_t draws = 0);
    Generator(const Generator& other) noexcept : seed_(other.seed_), draws_(other.draws()) {}
    Generator& operator=(const Generator& other) noexcept {
        seed_ = other.seed_;
        draws_ = other.draws();
        return *this;
    }

    // Uniform numbers from 0, or `low`, to 1, or `high`, which is not reached; low + (high - low) * u is rounded once, and so
    // may be `high`. Of float16, bfloat16, float32 and float64.
    [[nodiscard]] Expression uniform(double low, double high, const Like& like);
    [[nodiscard]] Expression uniform(double low,
                                     double high,
                                     const Dims& shape,
                                     DType dtype = float64) {
        return uniform(low, high, Like{shape, dtype});
    }
    [[nodiscard]] Expression uniform(const Like& like) { return uniform(0, 1, like); }
    [[nodiscard]] Expression uniform(const Dims& shape, DType dtype = float64) {
        return uniform(0, 1, shape, dtype);
    }

    // Normally distributed numbers of the mean 0 and the standard deviation 1, or those given. Of float16, bfloat16, float32
    // and float64.
    [[nodiscard]] Expression normal(double mean, double std, const Like& like);
    [[nodiscard]] Expression normal(double mean,
                                    double std,
                                    const Dims& shape,
                                    DType dtype = float64) {
        return normal(mean, std, Like{shape, dtype});
    }
    [[nodiscard]] Expression normal(const Like& like) { return normal(0, 1, like); }
    [[nodiscard]] Expression normal(const Dims& shape, DType dtype = float64) {
        return normal(0, 1, shape, dtype);
    }

    // Exponentially distributed numbers of the mean 1, or `scale`. Of float16, bfloat16, float32 and float64.
    [[nodiscard]] Expression exponential(double scale, const Like& like);
    [[nodiscard]] Expression exponential(double scale, const Dims& shape, DType dtype = float64) {
        return exponential(scale, Like{shape, dtype});
    }
    [[nodiscard]] Expression exponential(const Like& like) { return exponential(1, like); }
    [[nodiscard]] Expression exponential(const Dims& shape, DType dtype = float64) {
        return exponential(1, shape, dtype);
    }

    // Integers from `low` to `high` - 1, all equally likely. Of every integer dtype that holds them; int64 by default.
    [[nodiscard]] Expression integers(std::int64_t low, std::int64_t high, const Like& like);
    [[nodiscard]] Expression integers(std::int64_t low,
                                      std::int64_t high,
                                      const Dims& shape,
                                      DType dtype = int64) {
        return integers(low, high, Like{shape, dtype});
    }

    // True with the probability p, which is rounded down to a multiple of 2^-32. Of bool.
    [[nodiscard]] Expression bernoulli(double p, const Like& like);
    [[nodiscard]] Expression bernoulli(double p, const Dims& shape) {
        return bernoulli(p, Like{shape, bool_});
    }

    // Returns a generator whose numbers are independent of those of this one and of forks with other numbers. It depends on
    // the seed and on k alone, so forks may be made in any order, by any thread, and before or after draws. A fork may be
    // forked in turn.
    [[nodiscard]] Generator fork(std::uint64_t k) const;

    std::uint64_t seed() const noexcept { return seed_; }
    // Returns the number of draws so far.
    std::uint64_t draws() const noexcept { return draws_.load(std::memory_order_relaxed); }

private:
    template <typename... Numbers>
    Expression draw(detail::Function function, const Like& like, Numbers... numbers);

    std::uint64_t seed_;
    std::atomic<std::uint64_t> draws_;
};

}  // namespace kgen
