// SPDX-License-Identifier: MIT
//
// Cases: operands that are broadcast along some axes.
#include "benchmarks/bench_case.hpp"
#include "benchmarks/case_kernels.hpp"

namespace kgen::bench {

namespace {

constexpr std::int64_t side = 16384;
constexpr Target broadcast_target{0.96};

Case broadcast(std::string name,
               DType dtype,
               const Dims& first,
               const Dims& second,
               const Dims& result,
               std::optional<Target> target = {}) {
    return {std::move(name),
            "broadcast",
            product(dtype),
            {{dtype, first}, {dtype, second}},
            {dtype, result},
            std::move(target)};
}

// A case with rows so short that one vector spans several of them.
Case short_rows(std::int64_t length) {
    const std::int64_t rows = (std::int64_t{1} << 28) / 16;
    return broadcast("bcast_col_inner" + std::to_string(length) + "_f32",
                     float32,
                     {rows, length},
                     {rows, 1},
                     {rows, length});
}

}  // namespace

std::vector<Case> broadcast_cases() {
    const Kernel weigh{"uint8 x, float32 w",
                       "float32 z",
                       "z = x * w",
                       [](const Number* x) { return x[0] * x[1]; },
                       rounding(float32)};
    const Dims image{128, 3, 1024, 1024};
    const Dims tensor{64, 256, 56, 56};
    const Dims deep{16, 12, 20, 24, 28, 32};
    const Dims odd{16383, 16381};
    const std::int64_t points = std::int64_t{1} << 26;
    return {
        broadcast(
            "bcast_row_f32_16k", float32, {side, side}, {1, side}, {side, side}, broadcast_target),
        broadcast(
            "bcast_col_f32_16k", float32, {side, side}, {side, 1}, {side, side}, broadcast_target),
        broadcast("bcast_outer_f32_16k",
                  float32,
                  {side, 1},
                  {1, side},
                  {side, side},
                  Target{0.97, Limit::write}),
        broadcast("nchw_channel_f32", float32, tensor, {1, 256, 1, 1}, tensor, broadcast_target),
        broadcast("interleaved3d_f16",
                  float16,
                  {256, 1, 1024},
                  {256, 512, 1},
                  {256, 512, 1024},
                  broadcast_target),
        broadcast("bcast_row_odd_f32", float32, odd, {1, odd[1]}, odd),
        broadcast("bcast_col_odd_f32", float32, odd, {odd[0], 1}, odd),
        broadcast("bcast_row_f16_16k", float16, {side, side}, {1, side}, {side, side}),
        broadcast("bcast_chw_u8", uint8, image, {1, 3, 1, 1}, image),
        broadcast("bcast_rank6_f32", float32, deep, {1, 12, 1, 24, 1, 32}, deep),
        {"bcast_row_u8_f32_16k",
         "broadcast",
         weigh,
         {{uint8, {side, side}}, {float32, {1, side}}},
         {float32, {side, side}}},
        broadcast("bcast_inner3_f32", float32, {points, 3}, {1, 3}, {points, 3}),
        short_rows(2),
        short_rows(5),
        short_rows(7),
        short_rows(16),
    };
}

}  // namespace kgen::bench
