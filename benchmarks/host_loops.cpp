// SPDX-License-Identifier: MIT
#include "benchmarks/host_loops.hpp"

#include <cmath>
#include <functional>
#include <kgen/kgen.hpp>

#include "benchmarks/host_timing.hpp"

namespace kgen::bench {

namespace {

// Operands of the reference loops, which are written as a careful programmer would: rows [begin, end) of
// `columns` elements.
struct Operands {
    const float* x;
    const float* y;
    float* z;
    Size columns;
    Size stride;  // X.T: elements from column to column
};
using Loop = void (*)(const Operands& at, Size begin, Size end);

KGEN_BENCH_EVERY_WIDTH void contiguous(const Operands& at, Size begin, Size end) {
    const Operands p = at;
    for (Size k = begin * p.columns; k < end * p.columns; ++k)
        p.z[k] = (p.x[k] - p.y[k]) * (p.x[k] - p.y[k]);
}

KGEN_BENCH_EVERY_WIDTH void row_broadcast(const Operands& at, Size begin, Size end) {
    const Operands p = at;
    for (Size row = begin; row < end; ++row) {
        const float* x = p.x + row * p.columns;
        float* z = p.z + row * p.columns;
        for (Size k = 0; k < p.columns; ++k) z[k] = (x[k] - p.y[k]) * (x[k] - p.y[k]);
    }
}

KGEN_BENCH_EVERY_WIDTH void column_broadcast(const Operands& at, Size begin, Size end) {
    const Operands p = at;
    for (Size row = begin; row < end; ++row) {
        const float* x = p.x + row * p.columns;
        float* z = p.z + row * p.columns;
        const float y = p.y[row];
        for (Size k = 0; k < p.columns; ++k) z[k] = (x[k] - y) * (x[k] - y);
    }
}

KGEN_BENCH_EVERY_WIDTH void transposed(const Operands& at, Size begin, Size end) {
    const Operands p = at;
    for (Size row = begin; row < end; ++row) {
        const float* x = p.x + row;
        const float* y = p.y + row * p.columns;
        float* z = p.z + row * p.columns;
        for (Size k = 0; k < p.columns; ++k) z[k] = x[k * p.stride] * y[k];
    }
}

KGEN_BENCH_EVERY_WIDTH void exponential(const Operands& at, Size begin, Size end) {
    const Operands p = at;
    for (Size k = begin * p.columns; k < end * p.columns; ++k) p.z[k] = std::exp(p.x[k]);
}

struct Case {
    const char* name;
    const char* body;
    Loop loop;
    enum { same, row, column, turned, unary } y;
};

constexpr const char* squared = "z = (x - y) * (x - y)";
constexpr Case cases[] = {
    {"contiguous", squared, contiguous, Case::same},
    {"row broadcast", squared, row_broadcast, Case::row},
    {"column broadcast", squared, column_broadcast, Case::column},
    {"X.T * Y", "z = x * y", transposed, Case::turned},
    {"exp(x)", "z = exp(x)", exponential, Case::unary},
};

struct Shape {
    const char* name;
    Size rows;
    Size columns;
};
constexpr Shape shapes[] = {{"4096 x 4096", 4096, 4096}, {"160 x 200", 160, 200}};
constexpr Shape narrow_shapes[] = {{"(5592405, 3)", 5592405, 3}, {"(10000, 3)", 10000, 3}};

void run_reference(const Case& row, const Operands& at, Size rows, int threads) {
    split_over_threads(rows, rows * at.columns, threads, [&](Size begin, Size end, int) {
        row.loop(at, begin, end);
    });
}

// Compares with a tolerance, because exp of kgen and of libm differ by a few units in the last place.
bool agree(const std::vector<float>& a, const std::vector<float>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (!(std::abs(a[k] - b[k]) <= 1e-6F * std::abs(b[k]))) return false;
    }
    return a.size() == b.size();
}

HostLoopRow measure(const Case& row, const Shape& shape, int repetitions) {
    const ArrayOptions on_host{Device::host()};
    const auto values = [&](const Dims& dims, int seed) {
        Size count = 1;
        for (const Size extent : dims) count *= extent;
        std::vector<float> numbers(static_cast<std::size_t>(count));
        for (std::size_t k = 0; k < numbers.size(); ++k)
            numbers[k] =
                static_cast<float>((k * 7 + static_cast<std::size_t>(seed)) % 101) * 0.125F;
        return from_vector(numbers, dims, on_host);
    };
    const Dims dims{shape.rows, shape.columns};
    const Dims turned{shape.columns, shape.rows};
    const Array x = values(row.y == Case::turned ? turned : dims, 3);
    const Array y = values(row.y == Case::row      ? Dims{1, shape.columns}
                           : row.y == Case::column ? Dims{shape.rows, 1}
                                                   : dims,
                           5);
    const Array z = empty(dims, float32, on_host);
    std::vector<float> reference(static_cast<std::size_t>(shape.rows * shape.columns));
    const bool unary = row.y == Case::unary;
    const ElementwiseKernel kernel(
        unary ? "float32 x" : "float32 x, float32 y", "float32 z", row.body, "host_loop");
    const Array given = row.y == Case::turned ? x.transpose() : x;
    const std::function<void()> ours = [&] {
        if (unary) {
            kernel(given, out(z));
        } else {
            kernel(given, y, out(z));
        }
    };
    const Operands operands{static_cast<const float*>(x.data()),
                            static_cast<const float*>(y.data()),
                            reference.data(),
                            shape.columns,
                            shape.rows};
    HostLoopRow result;
    result.name = std::string(row.name) + " " + shape.name;
    result.threads = host_thread_count();
    const std::function<void()> theirs = [&] {
        run_reference(row, operands, shape.rows, result.threads);
    };
    const int calls = shape.rows * shape.columns < 1'000'000 ? 200 : 1;
    time_in_turn(result, ours, theirs, calls, repetitions);
    result.equal = agree(z.to_vector<float>(), reference);
    return result;
}

}  // namespace

std::vector<HostLoopRow> measure_host_loops(int repetitions) {
    std::vector<HostLoopRow> rows;
    for (const Shape& shape : shapes) {
        for (const Case& row : cases) rows.push_back(measure(row, shape, repetitions));
    }
    for (const Shape& shape : narrow_shapes) rows.push_back(measure(cases[1], shape, repetitions));
    return rows;
}

}  // namespace kgen::bench
