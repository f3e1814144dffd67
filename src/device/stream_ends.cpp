// SPDX-License-Identifier: MIT
#include "device/stream_ends.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/device_traits.hpp"
#include "device/graph_backend.hpp"
#include "device/registry.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The device and the age of the last end of a handle. Handles of several devices hardly ever have one address.
struct Ends {
    std::mutex mutex;
    std::unordered_map<StreamHandle, std::vector<std::pair<Device, std::uint64_t>>> of;
};

Ends& ends() {
    static auto* const all = new Ends;
    return *all;
}

}  // namespace

void StreamEnds::add(const Stream& stream) {
    const std::lock_guard lock(ends().mutex);
    auto& known = ends().of[stream.handle()];
    const std::uint64_t age = count_.fetch_add(1, std::memory_order_relaxed) + 1;
    for (auto& [device, end] : known) {
        if (device != stream.device()) continue;
        end = age;
        return;
    }
    known.emplace_back(stream.device(), age);
}

bool StreamEnds::find(const Stream& stream) noexcept {
    const std::lock_guard lock(ends().mutex);
    const auto known = ends().of.find(stream.handle());
    if (known == ends().of.end()) return false;
    for (const auto& [device, end] : known->second) {
        if (device == stream.device()) return end > stream.age_;
    }
    return false;
}

void Stream::end_use() const try {
    if (!traits(device_).is_asynchronous) return;
    if (keeps_handle()) {
        throw DeviceError(fmt::format(
            "{}: end_use() is for streams of other libraries, but this stream is {}",
            to_text(device_),
            handle_ == nullptr ? "the legacy default stream" : "one of Stream::create()"));
    }
    backend(device_).settle_stream(handle_);
    StreamEnds::add(*this);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
