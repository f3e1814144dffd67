// SPDX-License-Identifier: MIT
//
// CaptureRecord: what the work of a capture uses, so that the graph that comes of it keeps all of it
// alive. One is active on the thread that captures, from the capture's begin to its end; captures
// within captures nest. Where no thread captures, asking for it costs one load.
#pragma once

#include <atomic>
#include <kgen/device.hpp>
#include <kgen/error.hpp>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace kgen {

class Storage;        // memory/storage.hpp
class TextureMemory;  // memory/texture_memory.hpp

// Used by the one thread that it is active on.
class CaptureRecord {
public:
    // Active until stop() or its end.
    explicit CaptureRecord(Device device);
    ~CaptureRecord();
    CaptureRecord(const CaptureRecord&) = delete;
    CaptureRecord& operator=(const CaptureRecord&) = delete;

    // The innermost, or nullptr.
    static CaptureRecord* of_this_thread() noexcept {
        return is_any_active() ? innermost() : nullptr;
    }
    // Whether any thread captures.
    static bool is_any_active() noexcept {
        return active_count.load(std::memory_order_relaxed) != 0;
    }
    // Whether this thread captures a stream of the device.
    static bool is_active_on(Device device) noexcept;

    // For work that is given to a stream which is not being captured: throws DeviceError if this thread
    // captures another, since the work would run at once and be missing in the graph.
    static void require_none(Device device) {
        if (of_this_thread() != nullptr) [[unlikely]]
            refuse_outside_work(device);
    }

    Device device() const noexcept { return device_; }

    // Memory that the graph uses, here and in the captures around.
    void keep(const std::shared_ptr<Storage>& storage);
    void keep(std::shared_ptr<TextureMemory> image);
    // What else the graph needs.
    void keep_object(std::shared_ptr<const void> object);
    // What is dropped but cannot be freed while a stream is being captured, by whichever thread or library.
    static void free_later(std::shared_ptr<const void> dropped);
    // Frees it. Called when a capture of kgen's ends, and by calls that wait. What still cannot be freed comes
    // again by its destructor. Costs one load if there is none.
    static void free_dropped() noexcept;

    // Where an event was last recorded: in a capture, or as usual. Waiting for the former would
    // invalidate the capture.
    void note_event(const void* event, bool is_captured);
    static bool has_captured_event(const void* event) noexcept;

    // What a call said that is not allowed in a capture, which may have invalidated it; the first counts.
    void note_failure(const std::string& message);
    const std::string& failure() const noexcept { return failure_; }

    void stop() noexcept;
    const std::vector<std::shared_ptr<Storage>>& storages() const noexcept { return storages_; }
    const std::vector<std::shared_ptr<TextureMemory>>& images() const noexcept { return images_; }
    const std::vector<std::shared_ptr<const void>>& objects() const noexcept { return objects_; }

private:
    static CaptureRecord* innermost() noexcept;
    [[noreturn]] static void refuse_outside_work(Device device);
    static std::atomic<int> active_count;  // of all threads

    Device device_;
    CaptureRecord* outer_;
    bool is_active_ = true;
    std::string failure_;
    std::vector<std::shared_ptr<Storage>> storages_;
    std::unordered_set<const Storage*> known_;
    std::vector<std::shared_ptr<TextureMemory>> images_;
    std::vector<std::shared_ptr<const void>> objects_;
    std::unordered_set<const void*> captured_events_;
};

// What calls throw that captures refuse, on both devices. `call` is the driver's that would have been
// refused.
DeviceError waits_for_capture(Device device, const char* call);
DeviceError waits_beside_capture(Device device, const char* call);
DeviceError recorded_in_capture(Device device, const char* call);
DeviceError cannot_capture_legacy(Device device);
DeviceError is_captured_already(Device device);
DeviceError captured_nothing(Device device);

}  // namespace kgen
