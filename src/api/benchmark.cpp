// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <kgen/array.hpp>
#include <kgen/benchmark.hpp>
#include <kgen/error.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/registry.hpp"
#include "text/milliseconds_since.hpp"

namespace kgen {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t flush_bytes = std::int64_t{256} << 20;  // several times the largest L2 cache
constexpr int warm_up_calls = 2;
constexpr int batches = 9;
constexpr double batch_ms = 25;
constexpr int most_calls = 1000;  // per batch

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The spread of values that are added one by one (Welford's method).
class Spread {
public:
    void add(double value) noexcept {
        ++count_;
        const double distance = value - mean_;
        mean_ += distance / count_;
        squares_ += distance * (value - mean_);
    }
    // Returns the standard deviation divided by the mean.
    double relative() const noexcept {
        return count_ < 2 || mean_ <= 0 ? 0 : std::sqrt(squares_ / (count_ - 1)) / mean_;
    }

private:
    double count_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

// Blocks a stream until open() is called, or until 200 ms have passed. Without the limit, work that waits for
// the stream would wait forever.
class Barrier {
public:
    explicit Barrier(const Stream& stream) : state_(std::make_shared<State>()) {
        stream.call_on_host([state = state_] {
            const auto start = Clock::now();
            while (!state->is_open.load(std::memory_order_acquire)) {
                if (milliseconds_since(start) > longest_ms) {
                    state->gave_up.store(true, std::memory_order_release);
                    return;
                }
            }
        });
    }
    ~Barrier() { open(); }
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;

    void open() { state_->is_open.store(true, std::memory_order_release); }
    // Whether the limit was reached. Valid after the work of the stream has finished.
    bool gave_up() const { return state_->gave_up.load(std::memory_order_acquire); }

private:
    static constexpr double longest_ms = 200;
    struct State {
        std::atomic<bool> is_open = false;
        std::atomic<bool> gave_up = false;
    };
    std::shared_ptr<State> state_;
};

struct Sample {
    double device_ms = 0;
    double call_ms = 0;  // time of the call on the CPU
};

class Measurement {
public:
    Measurement(const std::function<void()>& work, const Stream& stream)
        : work_(work), stream_(stream), begin_(stream.device()), end_(stream.device()) {}

    bool waits() const noexcept { return waits_; }

    void warm_up() {
        for (int call = 0; call < warm_up_calls; ++call) work_();
        stream_.synchronize();
    }

    Sample cold_sample() {
        if (!traits(stream_.device()).is_asynchronous) return timed_on_cpu();
        if (!flush_.has_value()) flush_ = empty({flush_bytes}, uint8, {stream_.device()});
        backend(stream_.device())
            .fill_bytes(
                flush_.data(), 0x5a, static_cast<std::size_t>(flush_bytes), stream_.handle());
        if (!waits_) {
            if (const Sample sample = queued_sample(); !waits_) return sample;
            return cold_sample();  // measured again, on the CPU, because the work waits
        }
        stream_.synchronize();
        return timed_on_cpu();
    }

    // Returns the milliseconds per call in a batch of so many calls.
    double batch_ms_of(int calls) {
        const auto start = Clock::now();
        begin_.record(stream_);
        for (int call = 0; call < calls; ++call) work_();
        end_.record(stream_);
        end_.synchronize();
        const double ms = waits_ ? milliseconds_since(start) : end_.elapsed_ms(begin_);
        return ms / calls;
    }

private:
    Sample timed_on_cpu() {
        const auto start = Clock::now();
        work_();
        stream_.synchronize();
        const double ms = milliseconds_since(start);
        return {ms, ms};
    }

    Sample queued_sample() {
        Barrier barrier(stream_);
        begin_.record(stream_);
        const auto start = Clock::now();
        work_();
        const double call_ms = milliseconds_since(start);
        end_.record(stream_);
        barrier.open();
        end_.synchronize();
        waits_ = barrier.gave_up();
        return {end_.elapsed_ms(begin_), call_ms};
    }

    const std::function<void()>& work_;
    const Stream& stream_;
    Event begin_;
    Event end_;
    Array flush_;
    bool waits_ = false;
};

}  // namespace

BenchmarkResult benchmark(const std::function<void()>& work, const BenchmarkOptions& options) {
    if (!work)
        throw DeviceError(
            "benchmark: the function to measure is empty; pass one that can be called");
    const Stream stream = options.stream ? *options.stream : current_stream();
    const StreamScope scope(stream);
    Measurement measurement(work, stream);
    measurement.warm_up();

    const auto start = Clock::now();
    const auto is_time_up = [&] { return milliseconds_since(start) > options.most_seconds * 1e3; };
    std::vector<double> cold;
    std::vector<double> calls;
    Spread spread;
    measurement.cold_sample();  // finds out whether the work waits
    do {
        const Sample sample = measurement.cold_sample();
        cold.push_back(sample.device_ms);
        calls.push_back(sample.call_ms);
        spread.add(sample.device_ms);
    } while (!is_time_up() && (static_cast<int>(cold.size()) < options.least_samples ||
                               spread.relative() > options.most_noise));

    BenchmarkResult result{.device = stream.device(),
                           .cold_ms = median(cold),
                           .cpu_us = median(calls) * 1e3,
                           .noise = spread.relative(),
                           .samples = static_cast<int>(cold.size()),
                           .waits = measurement.waits()};
    const double one = std::max(measurement.batch_ms_of(1), 1e-4);
    const double most = std::min(batch_ms, options.most_seconds * 1e3 / batches);
    const int count = static_cast<int>(std::clamp(most / one, 1.0, double{most_calls}));
    std::vector<double> hot;
    for (int batch = 0; batch < batches; ++batch) hot.push_back(measurement.batch_ms_of(count));
    result.hot_ms = median(hot);
    if (options.bytes > 0 && result.cold_ms > 0) {
        result.bytes_per_second = static_cast<double>(options.bytes) / result.cold_ms * 1e3;
        result.share_of_copy = result.bytes_per_second / copy_bytes_per_second(stream.device());
    }
    return result;
}

double copy_bytes_per_second(Device device) {
    static std::mutex mutex;
    static auto* const known = new std::map<std::pair<DeviceKind, int>, double>;
    const std::lock_guard lock(mutex);
    double& rate = (*known)[{device.kind(), device.ordinal()}];
    if (rate > 0) return rate;
    const Backend& owner = backend(device);
    const std::int64_t bytes =
        std::min(traits(device).uncached_bytes, owner.limits().memory_bytes / 16);
    const Stream stream = Stream::create(device);
    const StreamScope scope(stream);
    const Array source = zeros({bytes}, uint8, {.device = device});
    const Array target = zeros({bytes}, uint8, {.device = device});
    const std::function<void()> copy = [&] {
        owner.copy(target.data(),
                   source.data(),
                   static_cast<std::size_t>(bytes),
                   CopyDirection::device_to_device,
                   stream.handle());
    };
    Measurement measurement(copy, stream);
    measurement.warm_up();
    std::vector<double> times;
    for (int batch = 0; batch < batches; ++batch) times.push_back(measurement.batch_ms_of(3));
    rate = 2 * static_cast<double>(bytes) / median(times) * 1e3;
    return rate;
}

std::string to_text(const BenchmarkResult& result) {
    const auto time = [](double ms) {
        if (ms >= 1000) return fmt::format("{:.2f} s", ms * 1e-3);
        return ms >= 1 ? fmt::format("{:.3f} ms", ms) : fmt::format("{:.2f} us", ms * 1e3);
    };
    std::string text = fmt::format("cold {}, hot {}, call {} on {} ({} sample{}, noise {:.1f}%{})",
                                   time(result.cold_ms),
                                   time(result.hot_ms),
                                   time(result.cpu_us * 1e-3),
                                   to_text(result.device),
                                   result.samples,
                                   result.samples == 1 ? "" : "s",
                                   result.noise * 100,
                                   result.waits ? ", the work waits for the device" : "");
    if (result.bytes_per_second > 0) {
        text += fmt::format("; {:.1f} GB/s, {:.3f} of a copy",
                            result.bytes_per_second * 1e-9,
                            result.share_of_copy);
    }
    return text;
}

}  // namespace kgen
