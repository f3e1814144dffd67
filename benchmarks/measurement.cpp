// SPDX-License-Identifier: MIT
#include "benchmarks/measurement.hpp"

#include <algorithm>

namespace kgen::bench {

namespace {

constexpr double batch_ms = 25;
constexpr int full_batches = 9;
constexpr int quick_batches = 3;
constexpr int graph_calls = 100;
constexpr double in_graphs_below_ms = 0.2;

// Times batches of one work, after a warm-up.
struct BatchClock {
    BatchClock(const std::function<void()>& timed, Scale scale, const Stream& of = current_stream())
        : work(timed), stream(of) {
        work();
        work();
        stream.synchronize();
        one_ms = batch_time_ms(stream, 1, work);
        const bool quick = scale == Scale::quick;
        calls =
            quick ? 1 : static_cast<int>(std::clamp(batch_ms / std::max(one_ms, 1e-4), 3.0, 200.0));
        batches = quick ? quick_batches : full_batches;
    }
    double time_ms() const { return batch_time_ms(stream, calls, work); }
    Quartiles times_ms() const {
        std::vector<double> times;
        for (int batch = 0; batch < batches; ++batch) times.push_back(time_ms());
        return quartiles(std::move(times));
    }

    const std::function<void()>& work;
    Stream stream;
    double one_ms;
    int calls;
    int batches;
};

}  // namespace

Quartiles quartiles(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t count = values.size();
    return {values[count / 4], values[count / 2], values[count * 3 / 4]};
}

double batch_time_ms(const Stream& stream, int calls, const std::function<void()>& work) {
    Event begin(stream.device());
    Event end(stream.device());
    begin.record(stream);
    for (int call = 0; call < calls; ++call) work();
    end.record(stream);
    end.synchronize();
    return end.elapsed_ms(begin) / calls;
}

Quartiles time_ms(const std::function<void()>& work, Scale scale) {
    return BatchClock(work, scale).times_ms();
}

Quartiles graph_time_ms(const std::function<void()>& work, Scale scale) {
    work();
    synchronize();
    const Stream stream = Stream::create();
    const Graph graph = capture(stream, [&] {
        for (int call = 0; call < graph_calls; ++call) work();
    });
    const std::function<void()> replay = [&] { graph.launch(stream); };
    const Quartiles all = BatchClock(replay, scale, stream).times_ms();
    return {all.low / graph_calls, all.median / graph_calls, all.high / graph_calls};
}

Quartiles call_time_ms(const std::function<void()>& work, Scale scale) {
    const BatchClock clock(work, scale);
    const bool is_short = clock.one_ms < in_graphs_below_ms;
    return is_short && current_device().kind() == DeviceKind::cuda ? graph_time_ms(work, scale)
                                                                   : clock.times_ms();
}

std::vector<Quartiles> times_in_turn_ms(const std::vector<std::function<void()>>& works,
                                        Scale scale) {
    std::vector<BatchClock> clocks;
    for (const std::function<void()>& work : works) clocks.emplace_back(work, scale);
    std::vector<std::vector<double>> times(works.size());
    for (int batch = 0; batch < clocks[0].batches; ++batch) {
        for (std::size_t which = 0; which < works.size(); ++which)
            times[which].push_back(clocks[which].time_ms());
    }
    std::vector<Quartiles> all;
    for (std::vector<double>& each : times) all.push_back(quartiles(std::move(each)));
    return all;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

}  // namespace kgen::bench
