// SPDX-License-Identifier: MIT
//
// The accumulator of a reduction may be a struct, for example an element and its index, or the three numbers
// from which mean and variance follow. A reduction may have several outputs.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

namespace {

// Mean and variance in one pass. Chan's formula merges two parts of a row, so the row may be folded in any
// order.
const char* const moments = R"(
    struct Moments {
        double count, mean, squares;
    };
    __device__ Moments merged(Moments a, Moments b) {
        const double count = a.count + b.count;
        if (count == 0) return a;
        const double gap = b.mean - a.mean;
        return {count,
                a.mean + gap * b.count / count,
                a.squares + b.squares + gap * gap * a.count * b.count / count};
    })";

// The largest element and its index, the first one of equal elements.
const char* const best = R"(
    struct Best {
        float value;
        ptrdiff_t index;
    };
    __device__ Best better(Best a, Best b) {
        const bool second = b.value > a.value || (b.value == a.value && b.index < a.index);
        return second ? b : a;
    })";

}  // namespace

int main() {
    const Array scores = from_vector<float>({1, 3, 2, 2, 0, 0, 0, 8, 5, 1, 5, 1}).reshape({3, 4});

    // The preamble defines the accumulator's type and its functions. The identity is a value of this type.
    const ReductionKernel mean_variance("float32 x",
                                        "float32 mean, float32 variance",
                                        "Moments{1, x, 0}",
                                        "merged(a, b)",
                                        "mean = a.mean; variance = a.squares / a.count",
                                        "Moments{0, 0, 0}",
                                        "mean_variance",
                                        {.reduce_type = "Moments", .preamble = moments});
    const auto [mean, variance] = mean_variance.call<2>(scores, axis(1));
    fmt::print("mean     {}\nvariance {}\n", mean, variance);

    // Without an identity, the fold starts with the first element. _J counts along the reduced axes.
    const ReductionKernel argmax("float32 x",
                                 "int64 index",
                                 "Best{x, _J}",
                                 "better(a, b)",
                                 "index = a.index",
                                 "",
                                 "argmax",
                                 {.reduce_type = "Best", .preamble = best});
    fmt::print("argmax   {}\n", argmax(scores, axis(1)));
}

// Output:
// mean     [2. 2. 3.]
// variance [ 0.5 12.   4. ]
// argmax   [1 3 0]
