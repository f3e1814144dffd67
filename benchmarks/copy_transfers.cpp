// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "benchmarks/bare_driver.hpp"
#include "benchmarks/transfers.hpp"

namespace kgen::bench {

namespace {

constexpr double least_speed = 0.9;
constexpr int warm_up_pairs = 2;
constexpr int pair_count = 15;
constexpr double batch_ms = 10;
constexpr double usual_bytes_per_ms = 50e6;  // PCIe 5; decides how many calls make a batch

void compare(Transfer& row,
             const Stream& stream,
             Scale scale,
             const std::function<void()>& ours,
             const std::function<void()>& bare) {
    compare_transfers(row, stream, scale, usual_bytes_per_ms, ours, bare);
}

void fill_random(const Array& on_host) {
    std::mt19937_64 random(1);
    auto* words = static_cast<std::uint64_t*>(on_host.data());
    for (std::int64_t k = 0; k < on_host.size_bytes() / 8; ++k) words[k] = random();
}

// Compares copies of pinned memory. Checks that a copy to the device and back, by kgen alone, changes
// nothing.
Transfer pinned_copies(std::int64_t bytes, bool to_device, Scale scale) {
    Transfer row{
        .name = fmt::format("{} the GPU, pinned, {} KiB", to_device ? "to" : "from", bytes >> 10),
        .bytes = static_cast<double>(bytes),
        .least_speed = least_speed};
    const Stream stream = Stream::create();
    const StreamScope scope(stream);
    const Dims shape{bytes};
    const Array sent = empty_pinned(shape, uint8);
    const Array received = empty_pinned(shape, uint8);
    const Array on_device = empty(shape, uint8);
    fill_random(sent);
    std::memset(received.data(), 0, static_cast<std::size_t>(bytes));
    const auto count = static_cast<std::size_t>(bytes);
    if (to_device) {
        compare(
            row,
            stream,
            scale,
            [&] { copy_async(on_device, sent); },
            [&] { bare_copy(on_device.data(), sent.data(), count, stream.handle()); });
        copy_async(received, on_device);
    } else {
        copy_async(on_device, sent);
        compare(
            row,
            stream,
            scale,
            [&] { copy_async(received, on_device); },
            [&] { bare_copy(received.data(), on_device.data(), count, stream.handle()); });
    }
    stream.synchronize();
    row.correct = std::memcmp(sent.data(), received.data(), count) == 0;
    return row;
}

// Compares assign() from and to memory that is not pinned. These copies wait for their end.
Transfer plain_copies(std::int64_t bytes, bool to_device, Scale scale) {
    Transfer row{.name = fmt::format(
                     "{} the GPU, not pinned, {} KiB", to_device ? "to" : "from", bytes >> 10),
                 .bytes = static_cast<double>(bytes)};
    const Stream stream = Stream::create();
    const StreamScope scope(stream);
    const Dims shape{bytes};
    const ArrayOptions host{.device = Device::host()};
    const Array sent = empty(shape, uint8, host);
    const Array received = zeros(shape, uint8, host);
    const Array on_device = empty(shape, uint8);
    fill_random(sent);
    const auto count = static_cast<std::size_t>(bytes);
    on_device.assign(sent);
    const auto bare = [&] {
        if (to_device) {
            bare_copy(on_device.data(), sent.data(), count, stream.handle());
        } else {
            bare_copy(received.data(), on_device.data(), count, stream.handle());
        }
        stream.synchronize();
    };
    const auto ours = [&] { to_device ? on_device.assign(sent) : received.assign(on_device); };
    compare(row, stream, scale, ours, bare);
    received.assign(on_device);
    row.correct = std::memcmp(sent.data(), received.data(), count) == 0;
    return row;
}

}  // namespace

std::string_view Transfer::result() const {
    if (!problem.empty()) return "failed";
    if (!correct) return "WRONG";
    if (!least_speed) return "right";
    return speed >= *least_speed ? "ok" : "below";
}

void compare_transfers(Transfer& row,
                       const Stream& stream,
                       Scale scale,
                       double bytes_per_ms,
                       const std::function<void()>& ours,
                       const std::function<void()>& bare) {
    std::vector<double> kgen_ms;
    std::vector<double> bare_ms;
    std::vector<double> speeds;
    const bool quick = scale == Scale::quick;
    const int calls =
        quick ? 1 : static_cast<int>(std::max(1.0, batch_ms * bytes_per_ms / row.bytes));
    for (int pair = -warm_up_pairs; pair < (quick ? 1 : pair_count); ++pair) {
        const double theirs = batch_time_ms(stream, calls, bare);
        const double own = batch_time_ms(stream, calls, ours);
        if (pair < 0) continue;
        bare_ms.push_back(theirs);
        kgen_ms.push_back(own);
        speeds.push_back(theirs / own);
    }
    row.kgen_ms = quartiles(std::move(kgen_ms));
    row.bare_ms = quartiles(std::move(bare_ms));
    row.speed = quartiles(std::move(speeds)).median;
}

std::vector<Transfer> measure_copies(Scale scale) {
    using Copies = Transfer (*)(std::int64_t bytes, bool to_device, Scale scale);
    std::vector<Transfer> rows;
    const auto measure = [&](Copies copies, std::int64_t bytes) {
        for (const bool to_device : {true, false}) {
            try {
                rows.push_back(copies(bytes, to_device, scale));
            } catch (const Error& error) {
                rows.push_back({.name = fmt::format(
                                    "{} the GPU, {} KiB", to_device ? "to" : "from", bytes >> 10),
                                .problem = error.what()});
            }
        }
    };
    const std::vector<std::int64_t> sizes =
        scale == Scale::quick ? std::vector<std::int64_t>{1 << 16}
                              : std::vector<std::int64_t>{1 << 20, 1 << 26, 1 << 30};
    for (const std::int64_t bytes : sizes) measure(pinned_copies, bytes);
    measure(plain_copies, sizes.back());
    return rows;
}

}  // namespace kgen::bench
