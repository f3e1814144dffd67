// SPDX-License-Identifier: MIT
//
// On the host, equal inputs give equal results in every layout, and in both the body and the tail of a
// vectorised loop. sin, cos, tan and float64's pow are libmvec's there, most others are kgen's own, and arithmetic
// may be fused.
#include <cstring>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/raw_programs.hpp"

using namespace kgen;

namespace {

constexpr std::int64_t value_count = 70;
constexpr const char* functions =
    "a = exp(x); b = log(x); c = sin(x); d = cos(y); e = pow(x, y); f = x * y + (x - y) * y";
constexpr const char* more_functions =
    "a = tanh(x); b = erf(x); c = atan2(x, y); d = cbrt(y) + log1p(x); e = sinh(x) * asin(1 / y);"
    "f = expm1(x) + hypot(x, y)";
constexpr const char* other_functions =
    "a = tan(x); b = log2(x) + log10(y); c = acosh(x); d = atanh(1 / y) + asinh(x);"
    "e = exp2(y) + exp10(x); f = cosh(x) + acos(1 / y)";

// Returns special values, random bit patterns and numbers between -30 and 30, in random order. The functions
// have results other than 0 and infinity for most of these numbers.
template <typename T>
std::vector<T> random_values(std::mt19937_64& random) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = {0,
                             -T(0),
                             1,
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::quiet_NaN(),
                             Limits::max(),
                             Limits::denorm_min(),
                             T(1e10),
                             T(88.8),
                             T(-104),
                             T(-709.9)};
    std::uniform_real_distribution<T> moderate(-30, 30);
    while (values.size() < value_count) {
        const std::uint64_t bits = random();
        T any;
        std::memcpy(&any, &bits, sizeof(T));
        values.push_back(values.size() % 3 == 0 ? any : std::abs(moderate(random)));
        if (values.size() % 5 == 0) values.back() = -values.back();
    }
    std::shuffle(values.begin(), values.end(), random);
    return values;
}

// Compares bit by bit. Any two NaNs are equal, because C++ does not define which operand's NaN is passed on.
template <typename T>
bool same(T a, T b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

// The results of single elements, computed by calls with 0-d arrays. check() compares a whole call with them;
// element k of the call has the inputs number(k).
template <typename T>
class Reference {
public:
    Reference(const ElementwiseKernel& kernel, const Array& x, const Array& y) : kernel_(kernel) {
        for (std::int64_t k = 0; k < value_count; ++k) single_.push_back(results(x[k], y[k]));
    }

    template <typename Number>
    void check(const std::string& layout, const Array& x, const Array& y, const Number& number) {
        const std::vector<std::vector<T>> all = results(x, y);
        for (std::size_t output = 0; output < all.size(); ++output) {
            for (std::size_t at = 0; at < all[output].size(); ++at) {
                const auto k = static_cast<std::size_t>(number(static_cast<std::int64_t>(at)));
                if (same(all[output][at], single_[k][output].front())) continue;
                INFO(layout << " of " << all[output].size() << ", output " << output << ", element "
                            << at << ": " << all[output][at]);
                CHECK(all[output][at] == single_[k][output].front());
                return;
            }
        }
    }

private:
    std::vector<std::vector<T>> results(const Array& x, const Array& y) const {
        std::vector<std::vector<T>> values;
        for (const Array& each : kernel_.call<6>(x, y))
            values.push_back(each.copy(Order::c).template to_vector<T>());
        return values;
    }

    const ElementwiseKernel& kernel_;
    std::vector<std::vector<std::vector<T>>> single_;  // indexed by value, then by output
};

template <typename T>
void check_layouts(std::uint64_t seed, const char* body) {
    INFO("seed " << seed << ", " << to_text(dtype_of<T>()));
    std::mt19937_64 random(seed);
    const Array x = from_vector(random_values<T>(random), {Device::host()});
    const Array y = from_vector(random_values<T>(random), {Device::host()});
    const ElementwiseKernel kernel("T x, T y", "T a, T b, T c, T d, T e, T f", body, "equal");
    Reference<T> reference(kernel, x, y);
    for (std::int64_t n = 1; n <= value_count; ++n) {
        const std::int64_t first = n * 7 % (value_count - n + 1);
        const auto part = [&](const Array& a) { return a.slice({Range{first, first + n}}); };
        reference.check("contiguous", part(x), part(y), [&](auto at) { return first + at; });
    }
    const auto every_second = [](const Array& a) { return a.slice({Range{0, {}, 2}}); };
    reference.check("strided", every_second(x), every_second(y), [](auto at) { return 2 * at; });
    const auto reversed = [](const Array& a) { return a.slice({Range{{}, {}, -1}}); };
    reference.check(
        "reversed", reversed(x), reversed(y), [](auto at) { return value_count - 1 - at; });
    const auto columns = [](const Array& a) {
        return a.reshape({10, 7}).slice({Range{}, Range{1, 6}});
    };
    reference.check(
        "short rows", columns(x), columns(y), [](auto at) { return at / 5 * 7 + 1 + at % 5; });
    const auto turned = [](const Array& a) {
        return a.reshape({10, 7}).transpose().copy(Order::c).transpose();
    };
    reference.check("tiles", turned(x), y.reshape({10, 7}), [](auto at) { return at; });
    for (std::int64_t k = 0; k < value_count; ++k) {
        const auto repeated = [&](const Array& a) { return a[k].broadcast_to({19}); };
        reference.check("broadcast", repeated(x), repeated(y), [&](auto) { return k; });
    }
}

}  // namespace

TEST_CASE("equal inputs have equal results in every place and layout on the host") {
    const std::uint64_t seed = std::random_device{}();
    for (const char* body : {functions, more_functions, other_functions}) {
        check_layouts<float>(seed, body);
        check_layouts<double>(seed, body);
    }
}

TEST_CASE("the largest and the smallest of equal elements are the same on the host") {
    std::mt19937_64 random(3);
    for (const char* map : {"exp(x)", "log(x)", "pow(x, T(0.7))"}) {
        const ReductionKernel largest("T x", "T y", map, "a > b ? a : b", "y = a", "", "largest");
        const ReductionKernel smallest("T x", "T y", map, "a < b ? a : b", "y = a", "", "smallest");
        const Array values =
            from_vector(random_values<float>(random), {Device::host()}).astype(float64);
        for (const DType dtype : {float32, float64}) {
            for (std::int64_t n = 1; n <= value_count; ++n) {
                const Array x = values.astype(dtype)[n - 1].broadcast_to({n}).copy();
                const double most = largest(x).astype(float64).item<double>();
                INFO(map << " of " << n << " in " << to_text(dtype));
                CHECK(same(most, smallest(x).astype(float64).item<double>()));
            }
        }
    }
}

TEST_CASE("equal inputs have equal results in raw kernels on the host, with a barrier or without") {
    const auto program = [](const char* first_statement) {
        return test::HostProgram("__global__ void k(const float* x, float* z) {" +
                                 std::string(first_statement) +
                                 "const int i = blockIdx.x * blockDim.x + threadIdx.x;"
                                 "z[i] = expf(x[i]); }");
    };
    const test::HostProgram plain = program("");  // this loop is vectorised
    const test::HostProgram waiting = program("__syncthreads(); ");
    std::mt19937_64 random(11);
    const std::vector<float> x = random_values<float>(random);
    const auto launched = [&](const test::HostProgram& by, int threads) {
        std::vector<float> z(x.size());
        by.launch("k", {.grid = {value_count / threads}, .block = {threads}}, x.data(), z.data());
        return z;
    };
    const std::vector<float> expected = launched(plain, 1);
    for (const int threads : {2, 5, 7, 10, 14, 35, 70}) {
        for (const test::HostProgram* by : {&plain, &waiting}) {
            const std::vector<float> z = launched(*by, threads);
            std::size_t different = 0;
            for (std::size_t k = 0; k < z.size(); ++k) different += same(z[k], expected[k]) ? 0 : 1;
            INFO((by == &plain ? "without" : "with") << " a barrier, " << threads << " threads");
            CHECK(different == 0);
        }
    }
}
