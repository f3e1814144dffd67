// SPDX-License-Identifier: MIT
//
// Storage: one block of memory on a device, shared by all Arrays that view it. It owns a block of
// the device's pool, or borrows foreign memory and keeps its owner alive. It remembers its home
// stream, in whose order it was allocated and will be freed, and the other streams that used it: the
// free waits for these first, so that the pool never hands out memory in use. Borrowed memory has a home
// stream where its owner is known to go on with it in that stream's order. Pinned memory of kgen's pool has no
// home; the pool is told of the streams that copy from or to it when it goes back.
// Under capture it is kept for the graph (CaptureRecord). Thread safe.
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

namespace kgen {

class Storage : public std::enable_shared_from_this<Storage> {
    // Lets std::allocate_shared construct, and nobody else.
    struct Key {
        explicit Key() = default;
    };
    enum class Ownership : std::uint8_t { owned, borrowed, pinned };

public:
    Storage(Key,
            const Backend& backend,
            std::optional<Stream> home,
            Ownership ownership,
            std::shared_ptr<void> owner);
    // A block of `bytes` from the pool of home.device(); data() is null for 0 bytes, which allocate
    // nothing. Throws DeviceError when memory is short.
    static std::shared_ptr<Storage> allocate(std::size_t bytes, const Stream& home);
    // The same with the backend of home.device() already at hand.
    static std::shared_ptr<Storage> allocate(const Backend& backend,
                                             std::size_t bytes,
                                             const Stream& home);
    // Foreign memory of `bytes` from `pointer` on; `owner` may be empty. It is released when the home
    // stream, if any, has been told to wait for all other streams that used the memory.
    static std::shared_ptr<Storage> borrow(void* pointer,
                                           std::size_t bytes,
                                           Device device,
                                           std::shared_ptr<void> owner,
                                           std::optional<Stream> home = {});
    // A block of the PinnedPool, which `owner` gives back.
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
    // Nothing for borrowed memory of which it is not known.
    const std::optional<Stream>& home_stream() const noexcept { return home_; }

    // Whether work of its device on `stream` has to be marked at all: used_on() then does more than return.
    bool is_elsewhere(const Stream& stream) const noexcept {
        return home_ && stream.handle() != home_->handle();
    }
    // To be called when work that uses the memory has been given to `stream`. Takes no lock where
    // the stream is the home stream or the last one marked, unless the memory is pinned. The stream is kept alive.
    void used_on(const Stream& stream) {
        if (CaptureRecord* record = CaptureRecord::of_this_thread()) [[unlikely]]
            record->keep(shared_from_this());
        if (!home_) {
            if (is_pinned()) mark(stream);
            return;
        }
        if (stream.handle() == home_->handle()) return;
        if (stream.handle() == last_marked_.load(std::memory_order_relaxed)) return;
        mark(stream);
    }

private:
    static std::shared_ptr<Storage> make(const Backend& backend,
                                         std::optional<Stream> home,
                                         Ownership ownership,
                                         std::shared_ptr<void> owner);
    void mark(const Stream& stream);
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
