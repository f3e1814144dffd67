// SPDX-License-Identifier: MIT
//
// CaptureRecord: collects the objects that captured work uses, so that the resulting graph can keep them
// alive. While a thread captures a stream, one record is active on it; captures can nest. If no thread
// captures, looking for the active record costs one load.
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

// An object is used only by the thread that it is active on. The static functions are thread safe.
class CaptureRecord {
public:
    // Becomes active on this thread, until stop() or the destructor.
    explicit CaptureRecord(Device device);
    ~CaptureRecord();
    CaptureRecord(const CaptureRecord&) = delete;
    CaptureRecord& operator=(const CaptureRecord&) = delete;

    // Returns the innermost active record of this thread, or nullptr.
    static CaptureRecord* of_this_thread() noexcept {
        return is_any_active() ? innermost() : nullptr;
    }
    // Whether any thread captures.
    static bool is_any_active() noexcept {
        return active_count.load(std::memory_order_relaxed) != 0;
    }
    // Whether this thread captures a stream of the device.
    static bool is_active_on(Device device) noexcept;

    // Called for work on a stream that is not being captured. Throws DeviceError if this thread captures
    // another stream, because the work would run at once and be missing from the graph.
    static void require_none(Device device) {
        if (of_this_thread() != nullptr) [[unlikely]]
            refuse_outside_work(device);
    }

    Device device() const noexcept { return device_; }

    // Keep memory that the graph uses alive, in this record and in those of the enclosing captures.
    void keep(const std::shared_ptr<Storage>& storage);
    void keep(std::shared_ptr<TextureMemory> image);
    // Keeps any other object that the graph needs alive, in the same records.
    void keep_object(std::shared_ptr<const void> object);
    // Stores a dropped object that cannot be freed now, because a thread or another library captures a
    // stream.
    static void free_later(std::shared_ptr<const void> dropped);
    // Frees all stored objects. Runs at the end of kgen's captures and in calls that wait. The destructor of
    // an object that still cannot be freed calls free_later again. Costs one load if none is stored.
    static void free_dropped() noexcept;

    // Notes whether an event was last recorded in a capture. Waiting for such an event would invalidate the
    // capture.
    void note_event(const void* event, bool is_captured);
    static bool has_captured_event(const void* event) noexcept;

    // Notes the message of a call that is not allowed in a capture and may have invalidated it. Only the
    // first message is kept.
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

// Errors of calls that are not allowed during a capture, the same for CUDA and the host. `call` is the driver
// function that would have failed.
DeviceError waits_for_capture(Device device, const char* call);
DeviceError waits_beside_capture(Device device, const char* call);
DeviceError recorded_in_capture(Device device, const char* call);
DeviceError cannot_capture_legacy(Device device);
DeviceError is_captured_already(Device device);
DeviceError captured_nothing(Device device);

}  // namespace kgen
