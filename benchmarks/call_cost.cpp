// SPDX-License-Identifier: MIT
#include "benchmarks/call_cost.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "benchmarks/bare_driver.hpp"
#include "benchmarks/measurement.hpp"
#include "benchmarks/new_process.hpp"

namespace kgen::bench {

namespace {

constexpr int burst_calls = 500;
constexpr int pairs = 61;
constexpr int warm_up_pairs = 3;
constexpr int process_count = 5;

constexpr double most_given_ns = 200;
constexpr double most_allocating_ns = 300;
constexpr double most_bound_ns = 50;
constexpr double most_reduction_ns = 300;
constexpr double most_raw_ns = 150;
constexpr double most_statement_ns = 500;
constexpr double most_built_ns = 200;  // beyond a call of the same kernel
// Beyond a call whose shape the kernel remembers.
constexpr double most_new_shape_ns = 1000;
constexpr double most_new_long_ns = 2000;  // of a call with 12 parameters

// Returns the time of one of `burst_calls` calls in nanoseconds. The device is idle before and after the
// burst.
template <typename Call>
double burst_ns(const Call& call) {
    synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < burst_calls; ++k) call(k);
    const double ns = milliseconds_since(start) * 1e6 / burst_calls;
    synchronize();
    return ns;
}

template <typename Bare, typename Ours>
nlohmann::ordered_json compare(const char* name,
                               double most_ns,
                               const Bare& bare,
                               const Ours& ours) {
    std::vector<double> bare_ns;
    std::vector<double> added_ns;
    for (int pair = -warm_up_pairs; pair < pairs; ++pair) {
        const double alone = burst_ns(bare);
        const double with_kgen = burst_ns(ours);
        if (pair < 0) continue;
        bare_ns.push_back(alone);
        added_ns.push_back(with_kgen - alone);
    }
    return {{"name", name},
            {"most_ns", most_ns},
            {"added_ns", quartiles(added_ns).median},
            {"bare_ns", quartiles(bare_ns).median}};
}

const ElementwiseKernel& kernel() {
    static const ElementwiseKernel squared_diff(
        "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
    return squared_diff;
}

// Arguments of one layout, a bound launch with them, and the same launch by the driver. All results are 9.
struct Layout {
    Layout(Array first, Array second)
        : x(std::move(first)),
          y(std::move(second)),
          z(zeros(x.shape(), float32)),
          bound(kernel().bind(x, y, out(z))),
          bare(bound.native()) {}

    void check_result() const {
        for (const float value : z.to_vector<float>()) {
            if (value != 9) throw Error("a launch of the call benchmark gave a wrong result");
        }
    }

    Array x;
    Array y;
    Array z;
    BoundLaunch bound;
    BareLaunch bare;
};

const ReductionKernel& reduction() {
    static const ReductionKernel sum_of_squares(
        "T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares");
    return sum_of_squares;
}

// The sum of 1024 squares of 5. The result is exact.
struct FullSum {
    FullSum() : bound(reduction().bind(x, out(y))), bare(bound.native()) {}

    void check_result() const {
        if (y.item<float>() != 25600) {
            throw Error("a launch of the call benchmark gave a wrong result");
        }
    }

    Array x = full({1024}, 5, float32);
    Array y = zeros({}, float32);
    BoundLaunch bound;
    BareLaunch bare;
};

// A raw kernel with arrays and numbers, which computes 2 * 5 + 2 1024 times.
struct RawSaxpy {
    RawSaxpy()
        : kernel(
              "extern \"C\" __global__ void saxpy(\n"
              "    float a, const float* x, const float* y, float* z, int n) {\n"
              "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "    if (i < n) z[i] = a * x[i] + y[i];\n"
              "}\n",
              "saxpy"),
          bound(kernel.bind(config, 2.0F, x, y, z, 1024)),
          bare(bound.native()) {}

    void launch() const { kernel.launch(config, 2.0F, x, y, z, 1024); }
    void check_result() const {
        for (const float value : z.to_vector<float>()) {
            if (value != 12) throw Error("a launch of the call benchmark gave a wrong result");
        }
    }

    RawKernel kernel;
    LaunchConfig config{.grid = {4}, .block = {256}};
    Array x = full({1024}, 5, float32);
    Array y = full({1024}, 2, float32);
    Array z = zeros({1024}, float32);
    BoundLaunch bound;
    BareLaunch bare;
};

// A statement of four operators and its kernel, which compute -(5 * 2 + 5) - 2.
struct Statement {
    Statement() : bound(kernel.bind(x, y, out(z))), bare(bound.native()) {}

    Expression build() const { return -(x * y + x) - y; }
    void check_result() const {
        if (!array_equal(z, full({1024}, -17, float32)))
            throw Error("a launch of the call benchmark gave a wrong result");
    }

    ElementwiseKernel kernel{"T x, T y", "T z", "z = -(x * y + x) - y", "statement"};
    Array x = full({1024}, 5, float32);
    Array y = full({1024}, 2, float32);
    Array z = zeros({1024}, float32);
    BoundLaunch bound;
    BareLaunch bare;
};

Array fives(const Dims& shape) {
    return full(shape, 5, float32);
}

Array twos(const Dims& shape) {
    return full(shape, 2, float32);
}

// Arrays of a different shape for each call of a burst. A kernel remembers only the last four.
struct Shapes {
    enum class Layout { vectors, rows };  // rows: y is repeated in each row of x

    explicit Shapes(Layout layout) {
        for (int k = 0; k < burst_calls; ++k) {
            const Dims row = {layout == Layout::rows ? 32 + 4 * (k / 25) : 1024 + k};
            const Dims shape = layout == Layout::rows ? Dims{8 + k % 25, row[0]} : row;
            x.push_back(view(all_x_, shape));
            y.push_back(view(all_y_, row));
            z.push_back(view(all_z_, shape));
        }
    }

    // All results are `expected`.
    void check_result(float expected) const {
        for (const Array& array : z) {
            for (const float value : array.to_vector<float>()) {
                if (value != expected)
                    throw Error("a launch of the call benchmark gave a wrong result");
            }
        }
    }

    std::vector<Array> x, y, z;

private:
    static Array view(const Array& memory, const Dims& shape) {
        std::int64_t count = 1;
        for (const std::int64_t extent : shape) count *= extent;
        return memory.slice({{0, count}}).reshape(shape);
    }

    Array all_x_ = fives({4096});
    Array all_y_ = twos({4096});
    Array all_z_ = zeros({4096}, float32);
};

// Compares calls of new shapes with calls of one shape. `call` takes x, y and z.
template <typename Call>
nlohmann::ordered_json compare_shapes(
    const char* name, double most_ns, Shapes::Layout layout, float expected, const Call& call) {
    const Shapes shapes(layout);
    const auto run = [&](int k) {
        const auto at = static_cast<std::size_t>(k);
        call(shapes.x[at], shapes.y[at], shapes.z[at]);
    };
    auto result = compare(
        name, most_ns, [&](int) { run(0); }, run);
    shapes.check_result(expected);
    return result;
}

// Adds eleven inputs.
const ElementwiseKernel& long_sum() {
    static const ElementwiseKernel sum("T a, T b, T c, T d, T e, T f, T g, T h, T k, T l, T m",
                                       "T z",
                                       "z = a + b + c + d + e + f + g + h + k + l + m",
                                       "sum_of_eleven");
    return sum;
}

}  // namespace

double CallCost::median_added_ns() const {
    return quartiles(added_ns).median;
}

double CallCost::worst_added_ns() const {
    return *std::max_element(added_ns.begin(), added_ns.end());
}

double CallCost::median_bare_ns() const {
    return quartiles(bare_ns).median;
}

nlohmann::ordered_json call_costs_here() {
    const Layout plain(fives({1024}), twos({1024}));
    const Layout repeated(fives({32, 32}), twos({32}));
    const std::array<Layout, 4> four = {
        Layout(fives({1024}), twos({1024})),
        Layout(fives({32, 32}), twos({32})),
        Layout(fives({32, 32}), twos({32, 32}).transpose()),
        Layout(fives({1025}).slice({{1, {}}}), twos({2048}).slice({{0, {}, 2}})),
    };
    const auto bare_plain = [&](int) { plain.bare(); };
    auto list = nlohmann::ordered_json::array();
    list.push_back(compare("given output", most_given_ns, bare_plain, [&](int) {
        kernel()(plain.x, plain.y, out(plain.z));
    }));
    list.push_back(compare(
        "four layouts in turn",
        most_given_ns,
        [&](int k) { four[static_cast<std::size_t>(k) % 4].bare(); },
        [&](int k) {
            const Layout& layout = four[static_cast<std::size_t>(k) % 4];
            kernel()(layout.x, layout.y, out(layout.z));
        }));
    list.push_back(compare(
        "broadcasting",
        most_given_ns,
        [&](int) { repeated.bare(); },
        [&](int) { kernel()(repeated.x, repeated.y, out(repeated.z)); }));
    list.push_back(compare("allocating", most_allocating_ns, bare_plain, [&](int) {
        static_cast<void>(kernel()(plain.x, plain.y));
    }));
    list.push_back(compare("bound launch", most_bound_ns, bare_plain, [&](int) { plain.bound(); }));
    const FullSum sum;
    const auto bare_sum = [&](int) { sum.bare(); };
    list.push_back(compare("reduction, given output", most_reduction_ns, bare_sum, [&](int) {
        reduction()(sum.x, out(sum.y));
    }));
    list.push_back(
        compare("reduction, bound launch", most_bound_ns, bare_sum, [&](int) { sum.bound(); }));
    sum.check_result();
    const RawSaxpy raw;
    const auto bare_raw = [&](int) { raw.bare(); };
    list.push_back(compare("raw kernel", most_raw_ns, bare_raw, [&](int) { raw.launch(); }));
    list.push_back(
        compare("raw kernel, bound launch", most_bound_ns, bare_raw, [&](int) { raw.bound(); }));
    raw.check_result();
    const Statement statement;
    list.push_back(compare(
        "statement, beside its kernel",
        most_built_ns,
        [&](int) { statement.kernel(statement.x, statement.y, out(statement.z)); },
        [&](int) { compute(statement.build(), out(statement.z)); }));
    list.push_back(compare(
        "statement, new output",
        most_statement_ns,
        [&](int) { statement.bare(); },
        [&](int) { static_cast<void>(statement.build().compute()); }));
    statement.check_result();
    const auto call_squared_diff = [](const Array& x, const Array& y, const Array& z) {
        kernel()(x, y, out(z));
    };
    list.push_back(compare_shapes(
        "new shape", most_new_shape_ns, Shapes::Layout::vectors, 9, call_squared_diff));
    list.push_back(compare_shapes(
        "new shape, broadcasting", most_new_shape_ns, Shapes::Layout::rows, 9, call_squared_diff));
    list.push_back(compare_shapes("new shape, 12 parameters",
                                  most_new_long_ns,
                                  Shapes::Layout::vectors,
                                  52,
                                  [](const Array& x, const Array& y, const Array& z) {
                                      long_sum()(x, x, x, x, x, x, x, x, x, x, y, out(z));
                                  }));
    for (const Layout* layout : {&plain, &repeated}) layout->check_result();
    for (const Layout& layout : four) layout.check_result();
    return list;
}

std::vector<CallCost> measure_call_costs(Scale scale) {
    std::vector<CallCost> costs;
    for (int process = 0; process < (scale == Scale::quick ? 1 : process_count); ++process) {
        const auto list = nlohmann::json::parse(
            run_new_process({"bench", "--measure", "call", "--device", to_text(current_device())}));
        for (std::size_t k = 0; k < list.size(); ++k) {
            if (process == 0) costs.push_back({list[k].at("name"), list[k].at("most_ns"), {}});
            costs[k].added_ns.push_back(list[k].at("added_ns"));
            costs[k].bare_ns.push_back(list[k].at("bare_ns"));
        }
    }
    return costs;
}

}  // namespace kgen::bench
