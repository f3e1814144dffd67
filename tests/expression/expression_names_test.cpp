// SPDX-License-Identifier: MIT
//
// Expressions under `using namespace std;`. This file compiles if no name but those of std's class templates, and gcd and
// lcm, needs kgen::.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <kgen/kgen.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace std;
using namespace kgen;
using namespace kgen::indexing;

TEST_CASE("expressions need no qualification beside namespace std", "[expression]") {
    const ArrayOptions host{.device = Device::host()};
    Array x = arange(6, float32, host).reshape(2, 3);
    Array y = full({3}, 2, float32, host);
    Array z = sqrt(x * x + y);
    CHECK(z.shape() == Dims{2, 3});
    Array n = sqrt(sum(x * x, axis(1)));
    CHECK(n.shape() == Dims{2});
    CHECK(sum(x * y).item<float>() == 30);
    Array s1 = exp(x - max(x, axis(-1), keepdims));
    CHECK(min(s1 - 1).item<float>() < 0);
    z += y;
    z.assign(x * 2 + z);
    x[{1}] = y;
    x[{all, s(0, 2)}] += 1;
    auto [lo, hi] = compute(minimum(x, y), maximum(x, y));
    compute(x * y, out(z), on(current_stream(x.device())));
    BoundLaunch step = bind(x * y + z, out(z));
    step();
    Array w = call("leaky_relu", x * 2, 0.1);
    KernelTemplate rms = trace("rms", [](Value v) { return sqrt(mean(v * v)); });
    CHECK(rms(x, axis(1)).shape() == Dims{2});
    for (const Array& each : initializer_list<Array>{abs(x),
                                                     round(x),
                                                     floor(x),
                                                     ceil(x),
                                                     trunc(x),
                                                     log(x + 1),
                                                     pow(x, 2),
                                                     fmax(x, y),
                                                     fmin(x, y),
                                                     fmod(x, y),
                                                     hypot(x, y),
                                                     copysign(x, y),
                                                     signbit(x),
                                                     isnan(x),
                                                     isinf(x),
                                                     isfinite(x),
                                                     real(x),
                                                     imag(x),
                                                     conj(x),
                                                     lerp(x, y, 0.5),
                                                     clip(x, 0, 1),
                                                     where(x > y, x, y),
                                                     fma(x, y, y),
                                                     equal(x, y),
                                                     not_equal(x, y),
                                                     square(x),
                                                     divide(x, y),
                                                     exp2(x),
                                                     remainder(x, y),
                                                     nextafter(x, y),
                                                     tanh(x),
                                                     erf(x),
                                                     ldexp(x, 2),
                                                     logical_xor(x, y),
                                                     bitwise_and(x > y, x < y),
                                                     stddev(x),
                                                     var(x)})
        CHECK(each.has_value());
    CHECK(Array(kgen::less(x, 100)).dtype() == bool_);
    CHECK(kgen::any(x > 0).item<bool>());
    CHECK(all(x >= 0).item<bool>());
    CHECK(Array(kgen::gcd(arange(3), 6)).to_vector<int64_t>() == vector<int64_t>{6, 1, 2});
    CHECK(((!(x < y)) | (x > y)).compute().dtype() == bool_);
    CHECK((kgen::array({7, -7}, host) % 3).to_vector<int64_t>() == vector<int64_t>{1, 2});
    CHECK(std::max(1, 2) == 2);
    CHECK(sqrt(4.0) == 2);
}
