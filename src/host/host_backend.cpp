// SPDX-License-Identifier: MIT
#include "host/host_backend.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <kgen/error.hpp>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "device/capture_record.hpp"
#include "device/stay_loaded.hpp"
#include "device/supplied_memory.hpp"
#include "host/compile/host_target.hpp"
#include "host/kernel/host_raw.hpp"
#include "host/kernel/host_raw_error.hpp"
#include "host/kernel/shared_object.hpp"
#include "host/run/host_calls.hpp"
#include "host/run/host_graphs.hpp"
#include "host/run/host_memory.hpp"
#include "host/run/host_scratch.hpp"
#include "host/run/thread_pool.hpp"

namespace kgen {
namespace {

constexpr std::int64_t default_grain = 65536;  // iterations that are worth waking a thread
constexpr std::int64_t copy_grain = 1 << 20;   // bytes that are worth waking a thread

struct HostKernel : LoadedKernel {
    HostKernel(const std::vector<std::byte>& bytes, const std::string& symbol)
        : object(bytes, symbol), entry(reinterpret_cast<HostEntry>(object.find(symbol))) {}

    const SharedObject object;
    const HostEntry entry;
    std::size_t bytes_of_accumulator = 0;
    std::size_t accumulator_bytes() const noexcept override { return bytes_of_accumulator; }
};

// A kernel calls this for an integer division without a result. The exception passes through the kernel's
// frames.
[[noreturn]] void division_failed(const char* file,
                                  unsigned line,
                                  unsigned column,
                                  bool is_signed,
                                  unsigned long long left,
                                  unsigned long long right) {
    HostRawFailure failure{};
    failure.what = HostRawFailure::division;
    failure.file = file;
    failure.line = line;
    failure.column = column;
    failure.is_signed = is_signed;
    failure.left = left;
    failure.right = right;
    throw HostRawError{what_failed(failure)};
}

constexpr HostCalls host_calls = {division_failed};

void run_kernel(HostEntry entry,
                const LaunchShape& shape,
                const void* parameters,
                const std::string& kernel_name) {
    const auto body = [=](std::int64_t begin, std::int64_t end) {
        entry(parameters, &host_calls, begin, end);
    };
    try {
        parallel_for(shape.count, shape.grain > 0 ? shape.grain : default_grain, body);
    } catch (const HostRawError& error) {
        HostScratch::of_this_thread().reset_counters();
        throw Error(fmt::format("kernel '{}': {}", kernel_name, error.text));
    }
}

void copy_in_parts(void* destination, const void* source, std::size_t bytes) {
    auto* to = static_cast<unsigned char*>(destination);
    const auto* from = static_cast<const unsigned char*>(source);
    const auto to_address = reinterpret_cast<std::uintptr_t>(to);
    const auto from_address = reinterpret_cast<std::uintptr_t>(from);
    if (to_address < from_address + bytes && from_address < to_address + bytes) {
        std::memmove(to, from, bytes);
        return;
    }
    const auto body = [=](std::int64_t begin, std::int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
    };
    parallel_for(static_cast<std::int64_t>(bytes), copy_grain, body);
}

void fill_in_parts(void* destination, unsigned char value, std::size_t bytes) {
    auto* to = static_cast<unsigned char*>(destination);
    const auto body = [=](std::int64_t begin, std::int64_t end) {
        std::memset(to + begin, value, static_cast<std::size_t>(end - begin));
    };
    parallel_for(static_cast<std::int64_t>(bytes), copy_grain, body);
}

// Makes the call, or records it if the stream is being captured into a graph.
template <typename Call>
void run_in_order(StreamHandle stream, Call call) {
    if (HostCapture* capture = HostCapture::of(stream)) {
        capture->add(std::move(call));
    } else {
        CaptureRecord::require_none(Device::host());
        call();
    }
}

void require_not_captured(StreamHandle stream, const char* call) {
    if (HostCapture::of(stream) != nullptr) throw waits_for_capture(Device::host(), call);
}

// Work is complete when a call returns. So a stream holds nothing, and an event holds only its time and
// capture.
struct HostEvent {
    std::atomic<std::int64_t> recorded_ns{never};
    // HostCapture::number() of the capture in which it was recorded; 0 if none.
    std::atomic<std::uint64_t> capture{0};
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
};

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.rfind("model name", 0) != 0) continue;
        const std::size_t value = line.find(": ");
        if (value != std::string::npos) return line.substr(value + 2);
    }
    return "CPU";
}

// Returns 0 if the system does not tell, as in most virtual machines.
int cpu_clock_khz() {
    int khz = 0;
    std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") >> khz;
    return khz;
}

void require_event(void* event, const char* call) {
    if (static_cast<HostEvent*>(event)->capture != 0)
        throw recorded_in_capture(Device::host(), call);
}

class HostBackend final : public Backend {
public:
    HostBackend() {
        limits_.processor_count = host_thread_count();
        limits_.memory_bytes = HostMemory::machine_bytes();
    }

    Device device() const noexcept override { return Device::host(); }
    const Target& target() const override { return host_target(); }
    const Limits& limits() const override { return limits_; }

    std::string description() const override {
        return fmt::format("{}, {} thread{}, {}",
                           cpu_name(),
                           limits_.processor_count,
                           limits_.processor_count == 1 ? "" : "s",
                           host_target().arch);
    }

    DeviceInfo info() const override {
        return {.name = cpu_name(),
                .multiprocessors = static_cast<int>(std::thread::hardware_concurrency()),
                .memory_bytes = limits_.memory_bytes,
                .clock_khz = cpu_clock_khz()};
    }

    std::shared_ptr<const LoadedKernel> load(const Image& image) const override {
        const std::vector<std::byte>& object =
            host_object_of(image, fmt::format("host kernel '{}' cannot be loaded", image.symbol));
        auto kernel = std::make_shared<HostKernel>(object, image.symbol);
        if (!image.accumulator_symbol.empty()) {
            kernel->bytes_of_accumulator = *static_cast<const unsigned long long*>(
                kernel->object.find(image.accumulator_symbol));
        }
        return kernel;
    }

    void launch(const LoadedKernel& kernel,
                const LaunchShape& shape,
                const void* parameters,
                std::size_t parameters_bytes,
                StreamHandle stream,
                const std::string& kernel_name) const override {
        const HostEntry entry = static_cast<const HostKernel&>(kernel).entry;
        if (HostCapture* capture = HostCapture::of(stream)) {
            const auto* first = static_cast<const std::byte*>(parameters);
            capture->add([entry,
                          owner = kernel.shared_from_this(),
                          shape,
                          block = std::vector<std::byte>(first, first + parameters_bytes),
                          kernel_name] { run_kernel(entry, shape, block.data(), kernel_name); });
        } else {
            CaptureRecord::require_none(Device::host());
            run_kernel(entry, shape, parameters, kernel_name);
        }
    }

    void* allocate(std::size_t bytes, StreamHandle stream) const override {
        if (supplied_.is_set() && bytes > 0) [[unlikely]] {
            if (void* memory = supplied_.allocate(bytes, stream)) return memory;
        }
        return memory_.allocate(bytes);
    }
    void free(void* pointer, std::size_t bytes, StreamHandle stream) const noexcept override {
        if (supplied_.has_blocks() && supplied_.free(pointer, stream)) [[unlikely]]
            return;
        memory_.free(pointer, bytes);
    }

    Scratch scratch(std::size_t counters, std::size_t bytes, StreamHandle stream) const override {
        if (HostCapture* capture = HostCapture::of(stream))
            return capture->scratch(counters, bytes);
        return HostScratch::of_this_thread().take(counters, bytes);
    }

    void copy(void* destination,
              const void* source,
              std::size_t bytes,
              CopyDirection direction,
              StreamHandle stream) const override {
        if (bytes == 0 || destination == source) return;
        if (direction != CopyDirection::device_to_device) require_not_captured(stream, "copy");
        run_in_order(stream, [=] { copy_in_parts(destination, source, bytes); });
    }

    void fill_bytes(void* destination,
                    unsigned char value,
                    std::size_t bytes,
                    StreamHandle stream) const override {
        run_in_order(stream, [=] { fill_in_parts(destination, value, bytes); });
    }

    void zero_for_launches(void* destination, std::size_t bytes, StreamHandle) const override {
        fill_in_parts(destination, 0, bytes);
    }

    void copy_from_peer(void*, const void*, std::size_t, const Backend&, StreamHandle, StreamHandle)
        const override {
        throw DeviceError("the host is one device: it has no other to copy from");
    }

    const RawBackend& raw() const override { return host_raw(); }
    const GraphBackend& graphs() const override { return host_graphs(); }
    int stream_priority(StreamHandle /*stream*/) const override { return 0; }
    void call_on_host(StreamHandle stream, std::function<void()> function) const override {
        run_in_order(stream, std::move(function));
    }
    StreamHandle create_stream(const StreamOptions& /*options*/) const override {
        return reinterpret_cast<StreamHandle>(new char{});  // only its address matters
    }
    void destroy_stream(StreamHandle stream) const noexcept override {
        delete reinterpret_cast<char*>(stream);
    }
    void synchronize_stream(StreamHandle stream) const override {
        require_not_captured(stream, "synchronize_stream");
    }
    bool is_stream_idle(StreamHandle stream) const override {
        require_not_captured(stream, "is_stream_idle");
        return true;
    }

    void* create_event() const override { return new HostEvent; }
    void destroy_event(void* event) const noexcept override {
        delete static_cast<HostEvent*>(event);
    }
    void record_event(void* event, StreamHandle stream) const override {
        const HostCapture* capture = HostCapture::of(stream);
        static_cast<HostEvent*>(event)->recorded_ns = now_ns();
        static_cast<HostEvent*>(event)->capture = capture == nullptr ? 0 : capture->number();
    }
    void wait_event(StreamHandle stream, void* event) const override {
        const std::uint64_t number = static_cast<HostEvent*>(event)->capture;
        if (number == 0) return;
        if (HostCapture* capture = HostCapture::numbered(number)) capture->join(stream);
    }
    void synchronize_event(void* event) const override {
        require_event(event, "synchronize_event");
    }
    bool is_event_done(void* event) const override {
        require_event(event, "is_event_done");
        return true;
    }
    double elapsed_ms(void* earlier, void* later) const override {
        require_event(earlier, "elapsed_ms");
        require_event(later, "elapsed_ms");
        const std::int64_t from = static_cast<HostEvent*>(earlier)->recorded_ns;
        const std::int64_t to = static_cast<HostEvent*>(later)->recorded_ns;
        if (from == HostEvent::never || to == HostEvent::never) {
            throw DeviceError("elapsed_ms: both events must be recorded first", "elapsed_ms");
        }
        return static_cast<double>(to - from) * 1e-6;
    }
    void synchronize() const override {
        if (CaptureRecord::is_active_on(Device::host()))
            throw waits_for_capture(Device::host(), "synchronize");
    }

private:
    Limits limits_;
    mutable HostMemory memory_;
    SuppliedMemory& supplied_ = SuppliedMemory::of(Device::host());
};

}  // namespace

const Backend& host_backend() {
    // Outlives every static destructor.
    static const auto* const backend = [] {
        stay_loaded();
        return new HostBackend;
    }();
    return *backend;
}

}  // namespace kgen
