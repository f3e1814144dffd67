// SPDX-License-Identifier: MIT
//
// Cases: operands that are parts of larger arrays, or have negative strides.
#include "benchmarks/bench_case.hpp"
#include "benchmarks/case_kernels.hpp"

namespace kgen::bench {

namespace {

using View = std::function<Array(const Array&)>;

constexpr Range backwards{{}, {}, -1};
constexpr Range every_other{{}, {}, 2};
constexpr Range all{};
constexpr Range without_first{1, {}, 1};

// A case whose input is a view. The output is a whole array or a view.
Case viewed(std::string name,
            const Dims& shape,
            View view,
            const Dims& result,
            View result_view = {},
            std::optional<Target> target = {}) {
    return {std::move(name),
            "views",
            axpb(float32),
            {{float32, shape, std::move(view)}},
            {float32, result, std::move(result_view)},
            std::move(target)};
}

}  // namespace

std::vector<Case> view_cases() {
    constexpr std::int64_t side = 16384;
    const Dims square{side, side};
    const View inner = [](const Array& x) { return x.slice({without_first, without_first}); };
    const View without_last_column = [](const Array& x) { return x.slice({all, {0, -1}}); };
    const View halved = [](const Array& x) { return x.slice({every_other, every_other}); };
    Case strided = viewed("strided2_axpb_f32", square, halved, square, halved, Target{0.68});
    // The output is dense and has the extents of the view at any scale.
    strided.output.view = [](const Array& x) {
        const Dims& shape = x.shape();
        const Dims half{(shape[0] + 1) / 2, (shape[1] + 1) / 2};
        const Array flat = x.reshape({-1});
        return flat.slice({{0, half[0] * half[1]}}).reshape(half);
    };
    return {
        strided,
        viewed("sliced_axpb_f32", square, inner, square, inner),
        viewed("reversed_axpb_f32",
               {std::int64_t{1} << 28},
               [](const Array& x) { return x.slice({backwards}); },
               {std::int64_t{1} << 28}),
        viewed(
            "reversed_rows_f32",
            square,
            [](const Array& x) { return x.slice({backwards}); },
            square),
        viewed(
            "reversed_columns_f32",
            square,
            [](const Array& x) {
                return x.slice({all, backwards});
            },
            square),
        viewed("sliced_inner5_f32",
               {std::int64_t{1} << 24, 6},
               without_last_column,
               {std::int64_t{1} << 24, 6},
               without_last_column),
        viewed("sliced_inner15_f32",
               {std::int64_t{1} << 24, 16},
               without_last_column,
               {std::int64_t{1} << 24, 16},
               without_last_column),
    };
}

}  // namespace kgen::bench
