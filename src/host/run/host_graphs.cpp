// SPDX-License-Identifier: MIT
#include "host/run/host_graphs.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "device/capture_record.hpp"
#include "fork_mutex.hpp"
#include "host/run/host_scratch.hpp"

namespace kgen {

namespace {

class HostGraph final : public LoadedGraph {
public:
    HostGraph(std::vector<std::function<void()>> calls,
              std::vector<std::unique_ptr<HostScratch>> scratch)
        : calls_(std::move(calls)), scratch_(std::move(scratch)) {}

    int node_count() const noexcept override { return static_cast<int>(calls_.size()); }

    void run() const {
        const std::lock_guard lock(mutex_);
        try {
            for (const std::function<void()>& call : calls_) call();
        } catch (...) {
            for (const auto& scratch : scratch_) scratch->reset_counters();
            throw;
        }
    }

private:
    std::vector<std::function<void()>> calls_;
    std::vector<std::unique_ptr<HostScratch>> scratch_;
    mutable cache::ForkMutex mutex_;  // one launch at a time
};

std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last = 0;
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

// --- Captures -----------------------------------------------------------------------------------

constinit thread_local HostCapture* HostCapture::innermost = nullptr;

HostCapture::HostCapture(StreamHandle stream, HostCapture* outer)
    : streams_{stream}, number_(next_number()), outer_(outer) {}

HostCapture::~HostCapture() = default;

HostCapture* HostCapture::find(StreamHandle stream) noexcept {
    for (HostCapture* each = innermost; each != nullptr; each = each->outer_) {
        const auto& streams = each->streams_;
        if (std::find(streams.begin(), streams.end(), stream) != streams.end()) return each;
    }
    return nullptr;
}

HostCapture* HostCapture::numbered(std::uint64_t number) noexcept {
    for (HostCapture* each = innermost; each != nullptr; each = each->outer_) {
        if (each->number_ == number) return each;
    }
    return nullptr;
}

void HostCapture::add(std::function<void()> call) {
    calls_.push_back(std::move(call));
}

Scratch HostCapture::scratch(std::size_t counters, std::size_t bytes) {
    scratch_.push_back(std::make_unique<HostScratch>());
    return scratch_.back()->take(counters, bytes);
}

void HostCapture::join(StreamHandle stream) {
    if (find(stream) == nullptr) streams_.push_back(stream);
}

// --- Capture and replay -------------------------------------------------------------------------

class HostGraphs final : public GraphBackend {
public:
    bool is_capturing(StreamHandle stream) const override {
        return HostCapture::of(stream) != nullptr;
    }

    void begin_capture(StreamHandle stream) const override {
        if (stream == nullptr) throw cannot_capture_legacy(Device::host());
        if (is_capturing(stream)) throw is_captured_already(Device::host());
        HostCapture::innermost = new HostCapture(stream, HostCapture::innermost);
    }

    std::shared_ptr<const LoadedGraph> end_capture(StreamHandle /*stream*/) const override {
        const std::unique_ptr<HostCapture> ended = take_innermost();
        return std::make_shared<const HostGraph>(std::move(ended->calls_),
                                                 std::move(ended->scratch_));
    }

    void abandon_capture(StreamHandle /*stream*/) const noexcept override { take_innermost(); }

    void launch(const LoadedGraph& graph, StreamHandle stream) const override {
        const auto& calls = static_cast<const HostGraph&>(graph);
        if (HostCapture* capture = HostCapture::of(stream)) {
            capture->add([&calls] { calls.run(); });  // the CaptureRecord keeps the graph
        } else {
            CaptureRecord::require_none(Device::host());
            calls.run();
        }
    }

private:
    // Captures nest, and the innermost ends first.
    static std::unique_ptr<HostCapture> take_innermost() {
        std::unique_ptr<HostCapture> ended(HostCapture::innermost);
        HostCapture::innermost = ended->outer_;
        return ended;
    }
};

const GraphBackend& host_graphs() {
    static const auto* const graphs = new HostGraphs;  // outlives every static destructor
    return *graphs;
}

}  // namespace kgen
