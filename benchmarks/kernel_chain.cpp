// SPDX-License-Identifier: MIT
#include "benchmarks/kernel_chain.hpp"

#include "benchmarks/bare_driver.hpp"

namespace kgen::bench {

namespace {

constexpr int kernel_count = 100;
constexpr std::int64_t chain_elements = 1 << 14;
constexpr int chain_warm_ups = 3;
constexpr int chain_pairs = 61;
constexpr int runs = 20;  // runs of the chain in a batch
constexpr double most_ratio = 1.02;

// The chain x -> y -> x -> ...: each kernel adds one, and depends on the one before it.
class Chain {
public:
    explicit Chain(const Stream& stream)
        : stream_(stream),
          there_(kernel().bind(x_, out(y_), on(stream))),
          back_(kernel().bind(y_, out(x_), on(stream))),
          bare_there_(there_.native()),
          bare_back_(back_.native()) {}

    void run() const {
        for (int k = 0; k < kernel_count; k += 2) {
            there_.launch();
            back_.launch();
        }
        ++run_count_;
    }
    void run_bare() const {
        for (int k = 0; k < kernel_count; k += 2) {
            bare_there_();
            bare_back_();
        }
        ++run_count_;
    }
    // Correct the number of runs from which is_correct() computes its expected value. A captured run counts
    // although it does not execute; a replay of a graph executes runs without counting them.
    void forget_runs(int count) const { run_count_ -= count; }
    void add_runs(int count) const { run_count_ += count; }

    bool is_correct() const {
        stream_.synchronize();
        const auto expected = static_cast<float>(kernel_count * run_count_);
        const std::vector<float> values = x_.to_vector<float>();
        return values == std::vector<float>(values.size(), expected);
    }

private:
    static const ElementwiseKernel& kernel() {
        static const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "chain_link");
        return next;
    }

    Stream stream_;
    Array x_ = zeros({chain_elements}, float32);
    Array y_ = zeros({chain_elements}, float32);
    BoundLaunch there_;
    BoundLaunch back_;
    BareLaunch bare_there_;
    BareLaunch bare_back_;
    mutable int run_count_ = 0;
};

template <typename Ours, typename Bare>
void compare(
    KernelChain& row, const Stream& stream, Scale scale, const Ours& ours, const Bare& bare) {
    std::vector<double> kgen_ms;
    std::vector<double> bare_ms;
    std::vector<double> ratios;
    const int pairs = scale == Scale::quick ? 3 : chain_pairs;
    for (int pair = -chain_warm_ups; pair < pairs; ++pair) {
        const double theirs = batch_time_ms(stream, runs, bare);
        const double own = batch_time_ms(stream, runs, ours);
        if (pair < 0) continue;
        bare_ms.push_back(theirs);
        kgen_ms.push_back(own);
        ratios.push_back(own / theirs);
    }
    row.kgen_ms = quartiles(std::move(kgen_ms));
    row.bare_ms = quartiles(std::move(bare_ms));
    row.ratio = quartiles(std::move(ratios)).median;
}

void compare_graphs(KernelChain& row, Scale scale) {
    const Stream stream = Stream::create();
    const Chain chain(stream);
    synchronize();
    const Graph graph = capture(stream, [&] { chain.run(); });
    const BareGraph bare(stream.handle(), [&] { chain.run_bare(); });
    chain.forget_runs(2);
    compare(
        row,
        stream,
        scale,
        [&] {
            graph.launch(stream);
            chain.add_runs(1);
        },
        [&] {
            bare.launch();
            chain.add_runs(1);
        });
    row.correct = chain.is_correct();
}

void compare_launches(KernelChain& row, Scale scale) {
    const Stream stream = Stream::create();
    const Chain chain(stream);
    synchronize();
    compare(
        row, stream, scale, [&] { chain.run(); }, [&] { chain.run_bare(); });
    row.correct = chain.is_correct();
}

}  // namespace

std::string_view KernelChain::result() const {
    if (!problem.empty()) return "failed";
    if (!correct) return "WRONG";
    return ratio <= most_ratio ? "ok" : "above";
}

std::vector<KernelChain> measure_kernel_chains(Scale scale) {
    std::vector<KernelChain> rows = {{.name = "100 kernels as a graph", .most_ratio = most_ratio},
                                     {.name = "100 bound launches", .most_ratio = most_ratio}};
    for (KernelChain& row : rows) {
        try {
            if (&row == &rows.front()) {
                compare_graphs(row, scale);
            } else {
                compare_launches(row, scale);
            }
        } catch (const Error& error) {
            row.problem = error.what();
        }
    }
    return rows;
}

}  // namespace kgen::bench
