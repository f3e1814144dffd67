// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <initializer_list>

#include "benchmarks/bare_driver.hpp"
#include "benchmarks/transfers.hpp"

namespace kgen::bench {

namespace {

constexpr double least_link_speed = 0.9;
constexpr double link_bytes_per_ms = 400e6;  // NVLink 4; decides how many calls make a batch

// An array on one GPU, the array on another GPU that it is copied to, and the streams of the copy.
struct Route {
    Route(Device from, Device to, const Array& on_host)
        : sender(Stream::create(from)), receiver(Stream::create(to)), bare(to, from) {
        const StreamScope use_sender(sender);
        const StreamScope use_receiver(receiver);
        sent = on_host.to(from);
        received = zeros(on_host.shape(), on_host.dtype(), {.device = to});
    }

    void copy() const {
        const StreamScope use_sender(sender);
        const StreamScope use_receiver(receiver);
        received.assign(sent);
    }
    void copy_bare() const {
        bare(received.data(),
             sent.data(),
             static_cast<std::size_t>(sent.size_bytes()),
             receiver.handle());
    }
    // Checks a copy by kgen alone.
    bool is_correct(const Array& on_host) const {
        const StreamScope use_receiver(receiver);
        received.assign(zeros(on_host.shape(), on_host.dtype(), {.device = received.device()}));
        copy();
        return array_equal(received.to(Device::host()), on_host);
    }

    Stream sender;
    Stream receiver;
    BarePeerCopy bare;
    Array sent;
    Array received;
};

// Compares copies on the routes. They begin together, and the next ones wait for all of them.
Transfer compare_routes(Transfer row,
                        Scale scale,
                        const Array& on_host,
                        std::initializer_list<const Route*> routes) {
    row.bytes = static_cast<double>(on_host.size_bytes()) * static_cast<double>(routes.size());
    row.least_speed = least_link_speed;
    const Stream& timed = (*routes.begin())->receiver;
    const auto run = [&](auto copy) {
        for (const Route* route : routes) route->receiver.wait(timed);
        for (const Route* route : routes) copy(*route);
        for (const Route* route : routes) timed.wait(route->receiver);
    };
    compare_transfers(
        row,
        timed,
        scale,
        link_bytes_per_ms,
        [&] { run([](const Route& route) { route.copy(); }); },
        [&] { run([](const Route& route) { route.copy_bare(); }); });
    row.correct = true;
    for (const Route* route : routes) row.correct = row.correct && route->is_correct(on_host);
    return row;
}

}  // namespace

std::optional<Device> peer_of_current_device() {
    for (int ordinal = 0; ordinal < device_count(DeviceKind::cuda); ++ordinal) {
        const Device other = Device::cuda(ordinal);
        if (other != current_device() && are_peers(current_device(), other)) return other;
    }
    return {};
}

std::vector<Transfer> measure_gpu_copies(Scale scale) {
    std::vector<Transfer> rows;
    const Device here = current_device();
    const std::optional<Device> there = peer_of_current_device();
    if (!there) return rows;
    const std::vector<std::int64_t> sizes =
        scale == Scale::quick ? std::vector<std::int64_t>{1 << 16}
                              : std::vector<std::int64_t>{1 << 20, 1 << 26, 1 << 30};
    for (const std::int64_t bytes : sizes) {
        const auto row = [&](const char* ways) {
            return Transfer{
                .name = fmt::format(
                    "{} {} {}, {} KiB", to_text(here), ways, to_text(*there), bytes >> 10)};
        };
        try {
            const Array on_host = arange(bytes / 8, int64, {.device = Device::host()});
            const Route to_there(here, *there, on_host);
            const Route to_here(*there, here, on_host);
            rows.push_back(compare_routes(row("to"), scale, on_host, {&to_there}));
            rows.push_back(compare_routes(row("from"), scale, on_host, {&to_here}));
            rows.push_back(
                compare_routes(row("to and from"), scale, on_host, {&to_there, &to_here}));
        } catch (const Error& error) {
            rows.push_back(row("to and from"));
            rows.back().problem = error.what();
        }
    }
    return rows;
}

}  // namespace kgen::bench
