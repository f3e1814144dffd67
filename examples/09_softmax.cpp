// SPDX-License-Identifier: MIT
//
// Softmax of a batch by two kernels. The first folds each row to its largest element and the sum of its
// exponentials in one pass over memory. The second computes the probabilities.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

namespace {

// A part of a row: its largest element, and the sum of exp(x - top). To merge two parts, their sums are
// scaled to the larger top, so no exponential overflows.
const char* const part = R"(
    struct Part {
        float top, sum;
    };
    __device__ Part merged(Part a, Part b) {
        const float top = max(a.top, b.top);
        return {top, a.sum * exp(a.top - top) + b.sum * exp(b.top - top)};
    })";

}  // namespace

int main() {
    const ReductionKernel row_part("float32 x",
                                   "float32 top, float32 sum",
                                   "Part{x, 1}",
                                   "merged(a, b)",
                                   "top = a.top; sum = a.sum",
                                   "",
                                   "row_part",
                                   {.reduce_type = "Part", .preamble = part});
    const ElementwiseKernel probability("float32 x, float32 top, float32 sum",
                                        "float32 y",
                                        "y = exp(x - top) / sum",
                                        "probability");

    const Array scores =
        from_vector<float>({1, 3, 2, 2, 0, 0, 0, 8, 1000, 999, 1000, 1}).reshape({3, 4});
    const auto [top, sum] = row_part.call<2>(scores, axis(1), keepdims);
    const Array softmax = probability(scores, top, sum);

    const ElementwiseKernel percent("float32 x", "int32 y", "y = rint(100 * x)", "percent");
    fmt::print("{}\n", percent(softmax));

    // exp(1000) alone would be infinite.
    fmt::print("largest {}\n", top.reshape({3}));
}

// Output:
// [[  7  53  20  20]
//  [  0   0   0 100]
//  [ 42  16  42   0]]
// largest [   3.    8. 1000.]
