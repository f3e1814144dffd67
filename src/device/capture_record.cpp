// SPDX-License-Identifier: MIT
#include "device/capture_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace kgen {

namespace {

constinit thread_local CaptureRecord* innermost_record = nullptr;

// The objects of free_later.
struct DroppedMemory {
    std::mutex mutex;
    std::vector<std::shared_ptr<const void>> objects;
    std::atomic<bool> is_empty = true;
};
// Returns the one instance. It is never destroyed, so objects that are left at exit end with the process.
DroppedMemory& dropped_memory() {
    static auto* dropped = new DroppedMemory;
    return *dropped;
}

// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED and CUDA_ERROR_CAPTURED_EVENT of cuda.h.
constexpr int capture_unsupported = 900;
constexpr int captured_event = 907;

DeviceError capture_error(Device device, const char* problem, const char* call, int code = 0) {
    return DeviceError(fmt::format("{}: {}", to_text(device), problem), call, code);
}

}  // namespace

std::atomic<int> CaptureRecord::active_count = 0;

CaptureRecord* CaptureRecord::innermost() noexcept {
    return innermost_record;
}

CaptureRecord::CaptureRecord(Device device)
    : device_(device), outer_(std::exchange(innermost_record, this)) {
    active_count.fetch_add(1, std::memory_order_relaxed);
}

CaptureRecord::~CaptureRecord() {
    stop();
}

void CaptureRecord::stop() noexcept {
    if (!std::exchange(is_active_, false)) return;
    innermost_record = outer_;
    active_count.fetch_sub(1, std::memory_order_relaxed);
    free_dropped();
}

void CaptureRecord::free_dropped() noexcept {
    DroppedMemory& dropped = dropped_memory();
    if (dropped.is_empty.load(std::memory_order_relaxed)) return;
    std::vector<std::shared_ptr<const void>> freed;
    const std::lock_guard lock(dropped.mutex);
    freed.swap(dropped.objects);
    dropped.is_empty.store(true, std::memory_order_relaxed);
}

bool CaptureRecord::is_active_on(Device device) noexcept {
    for (const CaptureRecord* each = of_this_thread(); each != nullptr; each = each->outer_) {
        if (each->device_ == device) return true;
    }
    return false;
}

void CaptureRecord::keep(const std::shared_ptr<Storage>& storage) {
    for (CaptureRecord* each = this; each != nullptr; each = each->outer_) {
        if (each->known_.insert(storage.get()).second) each->storages_.push_back(storage);
    }
}

void CaptureRecord::keep(std::shared_ptr<TextureMemory> image) {
    for (CaptureRecord* each = this; each != nullptr; each = each->outer_) {
        if (std::find(each->images_.begin(), each->images_.end(), image) == each->images_.end())
            each->images_.push_back(image);
    }
}

void CaptureRecord::keep_object(std::shared_ptr<const void> object) {
    for (CaptureRecord* each = outer_; each != nullptr; each = each->outer_)
        each->objects_.push_back(object);
    objects_.push_back(std::move(object));
}

void CaptureRecord::free_later(std::shared_ptr<const void> dropped) {
    DroppedMemory& all = dropped_memory();
    const std::lock_guard lock(all.mutex);
    all.objects.push_back(std::move(dropped));
    all.is_empty.store(false, std::memory_order_relaxed);
}

void CaptureRecord::note_event(const void* event, bool is_captured) {
    for (CaptureRecord* each = this; each != nullptr; each = each->outer_)
        each->captured_events_.erase(event);
    if (is_captured) captured_events_.insert(event);
}

bool CaptureRecord::has_captured_event(const void* event) noexcept {
    for (const CaptureRecord* each = of_this_thread(); each != nullptr; each = each->outer_) {
        if (each->captured_events_.contains(event)) return true;
    }
    return false;
}

void CaptureRecord::note_failure(const std::string& message) {
    for (CaptureRecord* each = this; each != nullptr; each = each->outer_) {
        if (each->failure_.empty()) each->failure_ = message;
    }
}

void CaptureRecord::refuse_outside_work(Device device) {
    throw capture_error(
        device,
        "cannot use a stream that is not being captured on a thread that captures "
        "another: the work would run at once and be missing in the graph; call or bind "
        "the kernel with on(stream) of the captured stream, or let the other stream "
        "wait for the captured one first",
        "cuStreamIsCapturing",
        capture_unsupported);
}

DeviceError waits_for_capture(Device device, const char* call) {
    return capture_error(
        device,
        "cannot wait for a stream that is being captured, because its work runs "
        "only when the graph is launched: read results (item(), to_vector()), copy "
        "from the host and synchronize before the capture or after the launch",
        call,
        capture_unsupported);
}

DeviceError waits_beside_capture(Device device, const char* call) {
    return capture_error(
        device,
        "cannot wait for all streams of the device while one of them is being "
        "captured, because this would invalidate the capture: wait for single streams "
        "(Stream::synchronize()), or until the capture has ended",
        call,
        capture_unsupported);
}

DeviceError recorded_in_capture(Device device, const char* call) {
    return capture_error(device,
                         "an event that was last recorded in a capture has no time, and the host "
                         "cannot wait for it: record it again after the launch",
                         call,
                         captured_event);
}

DeviceError cannot_capture_legacy(Device device) {
    return capture_error(device,
                         "the legacy default stream cannot be captured: capture a "
                         "stream of Stream::create()",
                         "cuStreamBeginCapture",
                         capture_unsupported);
}

DeviceError is_captured_already(Device device) {
    return capture_error(device,
                         "the stream is already being captured: end that capture "
                         "first, or capture another stream",
                         "cuStreamBeginCapture",
                         capture_unsupported);
}

DeviceError captured_nothing(Device device) {
    return DeviceError(fmt::format("{}: the graph is empty: nothing was queued in the captured "
                                   "stream; calls without elements launch nothing",
                                   to_text(device)),
                       "cuStreamEndCapture");
}

}  // namespace kgen
