// SPDX-License-Identifier: MIT
//
// A dropout layer: in training, each activation is dropped with the probability p, and the others grow by 1 / (1 - p). The
// mask is never stored. The way back draws the same numbers again, because these depend only on the seed, the draw and
// the place of the element.
#include <fmt/format.h>

#include <cstdint>
#include <kgen/kgen.hpp>

using namespace kgen;
using namespace kgen::indexing;

namespace {

class Dropout {
public:
    Dropout(double p, std::uint64_t seed) : p_(p), rng_(seed) {}

    Array forward(const Array& x) {
        last_ = rng_;
        return where(rng_.bernoulli(1 - p_, like(x)), x / (1 - p_), 0);
    }
    // Draws the mask of the last forward() once more.
    Array backward(const Array& gradient) const {
        Generator again = last_;
        return where(again.bernoulli(1 - p_, like(gradient)), gradient / (1 - p_), 0);
    }

private:
    double p_;
    Generator rng_;
    Generator last_{0};
};

}  // namespace

int main() {
    Dropout dropout(0.25, 7);
    const Array x = arange(1, 17, float32).reshape(2, 8) * 3;
    fmt::print("{}\n", x);
    for (int step = 0; step < 2; ++step) {
        fmt::print("forward\n{}\n", dropout.forward(x));
        fmt::print("backward\n{}\n", dropout.backward(ones({2, 8}, float32) * 3));
    }

    // The layer is one kernel, and keeps the mean.
    const Array large = ones({1000, 1000}, float32);
    fmt::print("mean {:.2f}, kept {:.3f}\n",
               mean(dropout.forward(large)).as<double>(),
               mean(dropout.backward(large) > 0).as<double>());

    // The same numbers for every layout: F order, or a part of the rows of a larger array.
    Array columns = empty({8, 2}, float32).transpose();
    Array part = zeros({2, 20}, float32)[{all, s(5, 13)}];
    columns.assign(Generator(1).uniform({2, 8}, float32));
    part.assign(Generator(1).uniform({2, 8}, float32));
    fmt::print("equal {}\n", array_equal(columns, part));
}

// Output:
// [[ 3.  6.  9. 12. 15. 18. 21. 24.]
//  [27. 30. 33. 36. 39. 42. 45. 48.]]
// forward
// [[ 0.  0. 12. 16. 20.  0. 28.  0.]
//  [36. 40.  0.  0. 52. 56. 60. 64.]]
// backward
// [[0. 0. 4. 4. 4. 0. 4. 0.]
//  [4. 4. 0. 0. 4. 4. 4. 4.]]
// forward
// [[ 4.  8. 12. 16.  0.  0.  0. 32.]
//  [36. 40. 44. 48. 52. 56. 60. 64.]]
// backward
// [[4. 4. 4. 4. 0. 0. 0. 4.]
//  [4. 4. 4. 4. 4. 4. 4. 4.]]
// mean 1.00, kept 0.750
// equal true
