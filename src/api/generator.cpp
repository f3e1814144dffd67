// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <kgen/error.hpp>
#include <kgen/math.hpp>
#include <kgen/random.hpp>
#include <utility>

#include "expression/tape.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

using detail::Function;

// The number of a draw has 56 bits (docs/random-numbers.md).
constexpr std::uint64_t most_draws = std::uint64_t{1} << 56;

bool is_real(DType dtype) noexcept {
    return kind_of(dtype) == DTypeKind::real;
}
bool is_integer(DType dtype) noexcept {
    return kind_of(dtype) == DTypeKind::signed_integer ||
           kind_of(dtype) == DTypeKind::unsigned_integer;
}

// Returns what is drawn in a dtype that the distribution has. Throws TypeError if another one was asked for.
Like fit_dtype(const char* name, const Like& like, bool is_fit, const char* expected, DType other) {
    Like fit = like;
    if (is_fit) return fit;
    if (!like.is_of_array) {
        refuse<TypeError>({ErrorKind::dtype, name, expected, std::string(to_text(like.dtype))},
                          "{}: the dtype is {}, expected {}",
                          name,
                          to_text(like.dtype),
                          expected);
    }
    fit.dtype = other;
    return fit;
}
Like fit_real(const char* name, const Like& like) {
    return fit_dtype(
        name, like, is_real(like.dtype), "float16, bfloat16, float32 or float64", float64);
}

void require(bool holds, const char* name, const char* part, double given, const char* range) {
    if (holds) return;
    refuse<Error>({ErrorKind::value, part, range, fmt::format("{}", given)},
                  "{}: {} is {}, expected {}",
                  name,
                  part,
                  given,
                  range);
}

// Returns the first two words of Philox4x32-10 for the counter (a, b, 0, d), as 64 bits.
std::uint64_t philox(std::uint64_t key, std::uint32_t a, std::uint32_t b, std::uint32_t d) {
    std::uint32_t c = 0;
    auto left = static_cast<std::uint32_t>(key);
    auto right = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t first = std::uint64_t{0xD2511F53} * a;
        const std::uint64_t second = std::uint64_t{0xCD9E8D57} * c;
        a = static_cast<std::uint32_t>(second >> 32) ^ b ^ left;
        b = static_cast<std::uint32_t>(second);
        c = static_cast<std::uint32_t>(first >> 32) ^ d ^ right;
        d = static_cast<std::uint32_t>(first);
        left += 0x9E3779B9;
        right += 0xBB67AE85;
    }
    return std::uint64_t{b} << 32 | a;
}

}  // namespace

Generator::Generator(std::uint64_t seed, std::uint64_t draws) : seed_(seed), draws_(draws) {
    if (draws > most_draws)
        throw Error(fmt::format("Generator: {} draws, expected at most 2^56", draws));
}

// Returns the call of a template that draws.
template <typename... Numbers>
Expression Generator::draw(Function function, const Like& like, Numbers... numbers) {
    static_cast<void>(checked_size_bytes(like.shape, like.dtype));
    const std::uint64_t number = draws_.fetch_add(1, std::memory_order_relaxed);
    if (number >= most_draws) throw Error("the generator has made 2^56 draws; use fork()");
    TapeHolder tape;
    tape->code.push_back(tape_word::shape);
    tape->code.push_back(static_cast<std::uint16_t>(like.dtype));
    tape->append_shape({like.shape, like.device});
    tape->append(detail::OperandView(seed_));
    tape->append(detail::OperandView(number));
    (tape->append(detail::OperandView(numbers)), ...);
    tape->code.push_back(static_cast<std::uint16_t>(tape_word::first_function +
                                                    static_cast<std::uint16_t>(function)));
    return detail::ExpressionAccess::make(std::move(tape));
}

Expression Generator::uniform(double low, double high, const Like& like) try {
    const Like fit = fit_real("uniform", like);
    require(std::isfinite(high - low), "uniform", "high - low", high - low, "a finite number");
    return draw(Function::uniform, fit, low, high);
} catch (...) {
    rethrow_as_error();
}

Expression Generator::normal(double mean, double std, const Like& like) try {
    const Like fit = fit_real("normal", like);
    require(std >= 0, "normal", "the standard deviation", std, "0 or more");
    return draw(Function::normal, fit, mean, std);
} catch (...) {
    rethrow_as_error();
}

Expression Generator::exponential(double scale, const Like& like) try {
    const Like fit = fit_real("exponential", like);
    require(scale >= 0, "exponential", "the scale", scale, "0 or more");
    return draw(Function::exponential, fit, scale);
} catch (...) {
    rethrow_as_error();
}

Expression Generator::integers(std::int64_t low, std::int64_t high, const Like& like) try {
    const Like fit = fit_dtype("integers", like, is_integer(like.dtype), "an integer dtype", int64);
    if (low >= high) {
        refuse<Error>(
            {ErrorKind::value, "high", fmt::format("more than {}", low), fmt::format("{}", high)},
            "integers: no integer is from {} to below {}",
            low,
            high);
    }
    for (const std::int64_t each : {low, high - 1}) {
        std::byte bytes[16];
        const std::string problem = convert_scalar(Scalar(each), fit.dtype, bytes);
        if (!problem.empty()) refuse<TypeError>({ErrorKind::value}, "integers: {}", problem);
    }
    return draw(Function::integers,
                fit,
                low,
                static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
} catch (...) {
    rethrow_as_error();
}

Expression Generator::bernoulli(double p, const Like& like) try {
    require(p >= 0 && p <= 1, "bernoulli", "the probability", p, "0 to 1");
    return draw(
        Function::bernoulli, fit_dtype("bernoulli", like, like.dtype == bool_, "bool", bool_), p);
} catch (...) {
    rethrow_as_error();
}

Generator Generator::fork(std::uint64_t k) const {
    constexpr std::uint32_t reserved_attempt = 255;
    return Generator(philox(seed_,
                            static_cast<std::uint32_t>(k),
                            static_cast<std::uint32_t>(k >> 32),
                            reserved_attempt << 24));
}

}  // namespace kgen
