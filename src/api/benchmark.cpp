// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <kgen/array.hpp>
#include <kgen/benchmark.hpp>
#include <kgen/error.hpp>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "device/registry.hpp"
#include "text/milliseconds_since.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t flush_bytes = std::int64_t{256} << 20;  // several times the largest L2 cache
constexpr int batches = 9;
constexpr double batch_ms = 25;
constexpr int most_calls = 1000;  // per batch
constexpr double longest_barrier_ms = 200;

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

// The time that a benchmark may take.
class TimeLimit {
public:
    explicit TimeLimit(double seconds) : most_ms_(seconds * 1e3) {}

    void restart() { start_ = Clock::now(); }
    double most_ms() const noexcept { return most_ms_; }
    // Whether all of the time but `reserved_ms` has passed.
    bool is_over(double reserved_ms = 0) const {
        return milliseconds_since(start_) > most_ms_ - reserved_ms;
    }

private:
    double most_ms_;
    Clock::time_point start_ = Clock::now();
};

// Blocks a stream until open() is called, or until `longest_ms` have passed. Without the limit, work that
// waits for the stream would wait forever.
class Barrier {
public:
    Barrier(const Stream& stream, double longest_ms) : state_(std::make_shared<State>()) {
        stream.call_on_host([state = state_, longest_ms] {
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
    Measurement(const std::function<void()>& work, const Stream& stream, TimeLimit& limit)
        : work_(work),
          stream_(stream),
          limit_(limit),
          begin_(stream.device()),
          end_(stream.device()) {}

    bool waits() const noexcept { return waits_; }

    // Makes two calls, or one if the limit is 0. The limit begins after the first, which may compile kernels.
    // Returns the last call, timed on the CPU.
    Sample warm_up() {
        const Sample first = timed_on_cpu();
        limit_.restart();
        return limit_.is_over() ? first : timed_on_cpu();
    }

    Sample cold_sample() {
        if (!traits(stream_.device()).is_asynchronous) return timed_on_cpu();
        if (!flush_.has_value()) flush_ = empty({flush_bytes}, uint8, {stream_.device()});
        backend(stream_.device())
            .fill_bytes(
                flush_.data(), 0x5a, static_cast<std::size_t>(flush_bytes), stream_.handle());
        if (!waits_) {
            const Sample sample = queued_sample();
            if (!waits_) return sample;
            // Measured again, on the CPU, because the work waits. The CPU's time has the barrier's in it.
            return limit_.is_over() ? Sample{sample.device_ms, sample.device_ms} : cold_sample();
        }
        stream_.synchronize();
        return timed_on_cpu();
    }

    // Returns the milliseconds per call in a batch of so many calls, each of about `call_ms`. The batch ends
    // after its first call if the limit is over.
    double batch_ms_of(int calls, double call_ms) {
        // The clock is read every 10 us, so that reading it takes no part of the time.
        const int stride = static_cast<int>(std::clamp(0.01 / call_ms, 1.0, double{most_calls}));
        const auto start = Clock::now();
        begin_.record(stream_);
        int made = 0;
        do call_user(work_);
        while (++made < calls && (made % stride != 0 || !limit_.is_over()));
        end_.record(stream_);
        end_.synchronize();
        const double ms = waits_ ? milliseconds_since(start) : end_.elapsed_ms(begin_);
        return ms / made;
    }

private:
    Sample timed_on_cpu() {
        const auto start = Clock::now();
        call_user(work_);
        stream_.synchronize();
        const double ms = milliseconds_since(start);
        return {ms, ms};
    }

    Sample queued_sample() {
        Barrier barrier(stream_, std::clamp(limit_.most_ms() / 5, 1.0, longest_barrier_ms));
        begin_.record(stream_);
        const auto start = Clock::now();
        call_user(work_);
        const double call_ms = milliseconds_since(start);
        end_.record(stream_);
        barrier.open();
        end_.synchronize();
        waits_ = barrier.gave_up();
        return {end_.elapsed_ms(begin_), call_ms};
    }

    const std::function<void()>& work_;
    const Stream& stream_;
    TimeLimit& limit_;
    Event begin_;
    Event end_;
    Array flush_;
    bool waits_ = false;
};

// Cold samples, until they are many and alike.
class ColdSamples {
public:
    explicit ColdSamples(const BenchmarkOptions& options) : options_(options) {}

    void add(const Sample& sample) {
        device_ms_.push_back(sample.device_ms);
        calls_ms_.push_back(sample.call_ms);
        spread_.add(sample.device_ms);
    }
    int count() const noexcept { return static_cast<int>(device_ms_.size()); }
    bool are_enough() const noexcept {
        return count() > 0 && count() >= options_.least_samples &&
               spread_.relative() <= options_.most_noise;
    }
    void put_into(BenchmarkResult& result) const {
        result.cold_ms = result.hot_ms = median(device_ms_);
        result.cpu_us = median(calls_ms_) * 1e3;
        result.noise = spread_.relative();
        result.samples = count();
    }

private:
    const BenchmarkOptions& options_;
    std::vector<double> device_ms_;
    std::vector<double> calls_ms_;
    Spread spread_;
};

}  // namespace

BenchmarkResult benchmark(const std::function<void()>& work, const BenchmarkOptions& options) try {
    if (!work)
        throw DeviceError(
            "benchmark: the function to measure is empty; pass one that can be called");
    const Stream stream = options.stream ? *options.stream : current_stream();
    const StreamScope scope(stream);
    TimeLimit limit(options.most_seconds);
    Measurement measurement(work, stream, limit);
    const Sample warm = measurement.warm_up();
    BenchmarkResult result{.device = stream.device()};

    ColdSamples cold(options);
    const double batches_ms = std::min(batches * batch_ms, limit.most_ms() / 2);
    std::optional<Sample> first;  // finds out whether the work waits
    if (!limit.is_over()) first = measurement.cold_sample();
    while (!limit.is_over(batches_ms) && !cold.are_enough()) cold.add(measurement.cold_sample());
    if (cold.count() == 0) cold.add(first.value_or(warm));
    cold.put_into(result);
    result.waits = measurement.waits();

    if (!limit.is_over()) {
        const double one = std::max(measurement.batch_ms_of(1, 1), 1e-4);
        const int count =
            static_cast<int>(std::clamp(batches_ms / batches / one, 1.0, double{most_calls}));
        std::vector<double> hot;
        while (hot.size() < batches && !limit.is_over())
            hot.push_back(measurement.batch_ms_of(count, one));
        result.hot_ms = hot.empty() ? one : median(hot);
    }
    if (options.bytes > 0 && result.cold_ms > 0) {
        result.bytes_per_second = static_cast<double>(options.bytes) / result.cold_ms * 1e3;
        result.share_of_copy = result.bytes_per_second / copy_bytes_per_second(stream.device());
    }
    return result;
} catch (...) {
    rethrow_as_error();
}

double copy_bytes_per_second(Device device) try {
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
    TimeLimit none(std::numeric_limits<double>::infinity());
    Measurement measurement(copy, stream, none);
    measurement.warm_up();
    std::vector<double> times;
    for (int batch = 0; batch < batches; ++batch) times.push_back(measurement.batch_ms_of(3, 1));
    rate = 2 * static_cast<double>(bytes) / median(times) * 1e3;
    return rate;
} catch (...) {
    rethrow_as_error();
}

std::string to_text(const BenchmarkResult& result) try {
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
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
