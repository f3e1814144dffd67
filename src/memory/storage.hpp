// SPDX-License-Identifier: MIT
//
// Storage: one block of memory on a device, shared by all Arrays that view it. There are three kinds:
//   - owned: a block of the device's memory pool
//   - borrowed: foreign memory; the Storage keeps the memory's owner alive
//   - pinned: a block of kgen's pool of pinned host memory
//
// Owned memory has a home stream: it is allocated and freed in the order of that stream. The Storage also
// records the other streams that used the memory. The home stream waits for them before the memory is freed,
// so the pool never hands out memory in use. Borrowed memory has a home stream if its owner continues to use
// it in the order of a known stream. Pinned memory has no home stream; when it is freed, the pool learns
// which streams copy from or to it.
//
// If the memory is used in a capture, the graph keeps it (CaptureRecord). Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <kgen/stream.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "device/backend.hpp"
#include "device/capture_record.hpp"
#include "device/stream_ends.hpp"

namespace kgen {

class Storage : public std::enable_shared_from_this<Storage> {
    // Makes the public constructor usable only by this class and std::allocate_shared.
    struct Key {
        explicit Key() = default;
    };
    enum class Ownership : std::uint8_t { owned, borrowed, pinned };

public:
    Storage(Key,
            const Backend& backend,
            std::optional<Stream> home,
            Ownership ownership,
            std::shared_ptr<void> owner,
            void* data,
            std::size_t size_bytes);
    // Allocates `bytes` from the pool of home.device(). For 0 bytes it allocates nothing and data() is null.
    // Throws DeviceError if memory is short.
    static std::shared_ptr<Storage> allocate(std::size_t bytes, const Stream& home);
    // Does the same; `backend` is the backend of home.device(), which saves looking it up.
    static std::shared_ptr<Storage> allocate(const Backend& backend,
                                             std::size_t bytes,
                                             const Stream& home);
    // Makes a Storage of `bytes` of foreign memory at `pointer`. `owner` may be empty. It is released after
    // the home stream, if any, was made to wait for all other streams that used the memory.
    static std::shared_ptr<Storage> borrow(void* pointer,
                                           std::size_t bytes,
                                           Device device,
                                           std::shared_ptr<void> owner,
                                           std::optional<Stream> home = {});
    // Makes a Storage of a block of the PinnedPool. Destroying `owner` returns the block to the pool.
    static std::shared_ptr<Storage> pinned(void* pointer,
                                           std::size_t bytes,
                                           std::shared_ptr<void> owner);
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    Device device() const noexcept { return backend_->device(); }
    const Backend& backend() const noexcept { return *backend_; }
    void* data() const noexcept { return data_; }
    std::size_t size_bytes() const noexcept { return size_bytes_; }
    bool is_borrowed() const noexcept { return ownership_ == Ownership::borrowed; }
    bool is_pinned() const noexcept { return ownership_ == Ownership::pinned; }
    // The home stream. Empty for pinned memory, and for borrowed memory whose stream is not known.
    const std::optional<Stream>& home_stream() const noexcept { return home_; }

    // Returns true if used_on() has to record work of the device on `stream`, because that is not the home
    // stream.
    bool is_elsewhere(const Stream& stream) const noexcept {
        return home_ && (stream.handle() != home_->handle() || has_ended(*home_));
    }
    // Must be called after work that uses the memory was given to `stream`. Keeps the stream alive. Takes no
    // lock if `stream` is the home stream or was recorded last, unless the memory is pinned.
    void used_on(const Stream& stream) {
        if (CaptureRecord* record = CaptureRecord::of_this_thread()) [[unlikely]]
            record->keep(shared_from_this());
        if (!home_) {
            if (is_pinned()) mark(stream);
            return;
        }
        if (stream == *home_ && !has_ended(*home_)) return;
        // A stream whose handle was recorded may have ended, and be another one now. Legacy default streams of all devices
        // have the same handle.
        const bool is_marked = stream.handle() == last_marked_.load(std::memory_order_relaxed) &&
                               stream.device() == home_->device();
        if (is_marked && (StreamEnds::count() == 0 || stream.keeps_handle())) return;
        mark(stream);
    }

private:
    template <typename... Parts>
    static std::shared_ptr<Storage> make(Parts&&... parts);
    void mark(const Stream& stream);
    // Returns the home stream. After its end (Stream::end_use), returns the legacy default stream.
    Stream living_home() const;
    bool is_under_capture() const;
    std::shared_ptr<Storage> make_heir();
    void wait_for_other_streams() const;
    void free_pinned() noexcept;
    void leak_owner() noexcept;

    const Backend* backend_;
    void* data_ = nullptr;
    std::size_t size_bytes_ = 0;
    std::optional<Stream> home_;
    Ownership ownership_;
    std::shared_ptr<void> owner_;
    std::atomic<StreamHandle> last_marked_;
    std::mutex mutex_;
    std::vector<Stream> others_;  // guarded by mutex_
};

}  // namespace kgen
