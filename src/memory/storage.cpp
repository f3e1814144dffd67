// SPDX-License-Identifier: MIT
#include "memory/storage.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "device/graph_backend.hpp"
#include "device/registry.hpp"
#include "memory/pinned_pool.hpp"
#include "memory/recycling_allocator.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

// Memory of one device may be used on streams of others: pinned memory, and arrays of a graph over several GPUs.
const Backend& backend_of(const Stream& stream, const Backend& own) {
    return stream.device() == own.device() ? own : kgen::backend(stream.device());
}

}  // namespace

Storage::Storage(Key,
                 const Backend& backend,
                 std::optional<Stream> home,
                 Ownership ownership,
                 std::shared_ptr<void> owner,
                 void* data,
                 std::size_t size_bytes)
    : backend_(&backend),
      data_(data),
      size_bytes_(size_bytes),
      home_(std::move(home)),
      ownership_(ownership),
      owner_(std::move(owner)),
      last_marked_(home_ ? home_->handle() : nullptr) {}

template <typename... Parts>
std::shared_ptr<Storage> Storage::make(Parts&&... parts) {
    return std::allocate_shared<Storage>(
        RecyclingAllocator<Storage>(), Key(), std::forward<Parts>(parts)...);
}

std::shared_ptr<Storage> Storage::allocate(std::size_t bytes, const Stream& home) {
    return allocate(kgen::backend(home.device()), bytes, home);
}

std::shared_ptr<Storage> Storage::allocate(const Backend& backend,
                                           std::size_t bytes,
                                           const Stream& home) {
    std::shared_ptr<Storage> storage =
        make(backend, home, Ownership::owned, nullptr, nullptr, bytes);
    if (bytes > 0) storage->data_ = backend.allocate(bytes, home.handle());
    if (CaptureRecord* record = CaptureRecord::of_this_thread()) [[unlikely]]
        record->keep(storage);
    return storage;
}

std::shared_ptr<Storage> Storage::borrow(void* pointer,
                                         std::size_t bytes,
                                         Device device,
                                         std::shared_ptr<void> owner,
                                         std::optional<Stream> home) {
    return make(kgen::backend(device),
                std::move(home),
                Ownership::borrowed,
                std::move(owner),
                pointer,
                bytes);
}

std::shared_ptr<Storage> Storage::pinned(void* pointer,
                                         std::size_t bytes,
                                         std::shared_ptr<void> owner) {
    const Backend& host = kgen::backend(Device::host());
    return make(host, std::nullopt, Ownership::pinned, std::move(owner), pointer, bytes);
}

Storage::~Storage() {
    if (is_pinned()) free_pinned();
    if (!home_ || data_ == nullptr) return;
    try {
        // The checks are skipped in the usual case, because they would slow down each free.
        std::erase_if(others_, has_ended);  // their work is done
        if (!others_.empty() || CaptureRecord::is_any_active()) {
            const auto held = backend_->graphs().hold_captures();
            if (is_under_capture()) {
                CaptureRecord::free_later(make_heir());
                return;
            }
            wait_for_other_streams();
        }
    } catch (const std::exception& error) {
        // The block leaks. If it were freed now, it could be reused while another stream still writes to it.
        log().error("{} bytes on {} leak, because they cannot be returned to {}: {}",
                    size_bytes_,
                    to_text(device()),
                    is_borrowed() ? "their owner" : "the pool",
                    error.what());
        leak_owner();
        return;
    }
    if (!is_borrowed()) backend_->free(data_, size_bytes_, living_home().handle());
}

// Records one event for each stream that used the memory. An event for each copy would cost the GPU more than
// a tenth of the time of a small copy.
void Storage::free_pinned() noexcept {
    try {
        std::erase_if(others_, has_ended);
        for (const Stream& stream : others_) {
            const GraphBackend& graphs = kgen::backend(stream.device()).graphs();
            const auto held = graphs.hold_captures();
            if (graphs.is_blocked(stream.handle())) {
                CaptureRecord::free_later(make_heir());
                return;
            }
            PinnedPool::get().used_on(data_, stream);
        }
    } catch (const std::exception& error) {
        // At exit the driver may shut down before static arrays free their memory. That is no error.
        constexpr int deinitialized = 4;  // CUDA_ERROR_DEINITIALIZED
        const auto* failed = dynamic_cast<const DeviceError*>(&error);
        if (failed == nullptr || failed->code() != deinitialized) {
            log().error("{} bytes of pinned memory leak: {}", size_bytes_, error.what());
        }
        leak_owner();
    }
}

// Returns true if freeing the memory now would disturb a capture by kgen or by another library. That is a
// capture of this thread, which may use the memory, or a capture of a stream that the free would use or wait
// for.
bool Storage::is_under_capture() const {
    if (!traits(device()).is_asynchronous) return false;
    if (CaptureRecord::is_active_on(device())) return true;
    const auto is_blocked = [this](const Stream& stream) {
        return backend_of(stream, *backend_).graphs().is_blocked(stream.handle());
    };
    // The home stream is not asked if it belongs to another library and nothing else used the memory. It may
    // be destroyed before the capture ends, so the memory cannot be freed later; backend_->free() leaves it
    // to the graph.
    const Stream home = living_home();
    const bool asks_home = !others_.empty() || home.keeps_handle();
    return (asks_home && is_blocked(home)) ||
           std::any_of(others_.begin(), others_.end(), is_blocked);
}

void Storage::leak_owner() noexcept {
    if (!owner_) return;
    try {
        static_cast<void>(new std::shared_ptr<void>(owner_));
    } catch (const std::bad_alloc&) {
        // If there is no memory for the copy, the owner is released now.
    }
}

// Returns a new Storage that takes over the block from this one, whose destructor cannot free it yet.
std::shared_ptr<Storage> Storage::make_heir() {
    std::shared_ptr<Storage> heir = make(*backend_, home_, ownership_, owner_, data_, size_bytes_);
    heir->others_ = std::move(others_);
    return heir;
}

void Storage::mark(const Stream& stream) {
    const Backend& worker = backend_of(stream, *backend_);
    if (!traits(worker.device()).is_asynchronous) return;  // the work is complete
    const std::lock_guard lock(mutex_);
    if (StreamEnds::count() != 0) std::erase_if(others_, has_ended);
    if (std::find(others_.begin(), others_.end(), stream) == others_.end()) {
        // Captured work does not run on this stream but where the graph is launched.
        if (worker.graphs().is_capturing(stream.handle())) return;
        others_.push_back(stream);
    }
    if (stream.device() == device()) last_marked_.store(stream.handle(), std::memory_order_relaxed);
}

Stream Storage::living_home() const {
    return has_ended(*home_) ? Stream::legacy(device()) : *home_;
}

// The owner of borrowed memory may use it at once, if it was told of the end of the stream in whose order it
// would have used the memory. Then this thread waits.
void Storage::wait_for_other_streams() const {
    const Stream home = living_home();
    const bool waits_here = is_borrowed() && has_ended(*home_);
    for (const Stream& stream : others_) {
        const Backend& worker = backend_of(stream, *backend_);
        void* event = worker.create_event();
        try {
            worker.record_event(event, stream.handle());
            if (waits_here) {
                worker.synchronize_event(event);
            } else {
                backend_->wait_event(home.handle(), event);
            }
        } catch (...) {
            worker.destroy_event(event);
            throw;
        }
        worker.destroy_event(event);  // the driver keeps the event until the wait is done
    }
}

}  // namespace kgen
