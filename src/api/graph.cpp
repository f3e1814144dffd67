// SPDX-License-Identifier: MIT
#include <algorithm>
#include <kgen/error.hpp>
#include <kgen/graph.hpp>
#include <mutex>
#include <utility>
#include <vector>

#include "device/capture_record.hpp"
#include "device/graph_backend.hpp"
#include "device/registry.hpp"
#include "memory/storage.hpp"
#include "memory/texture_memory.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

struct Graph::Impl {
    const GraphBackend& backend;
    Device device;
    std::vector<std::shared_ptr<Storage>> storages;
    std::vector<std::shared_ptr<TextureMemory>> images;
    std::vector<std::shared_ptr<const void>> objects;
    std::shared_ptr<const LoadedGraph> loaded;  // destroyed before the members above, which it uses

    mutable std::mutex mutex;
    mutable std::vector<Stream> marked;  // streams on which the memory is marked; guarded by mutex

    // Marks memory and images as used on the stream, so that they are freed only after earlier replays.
    void mark(const Stream& stream) const {
        const std::lock_guard lock(mutex);
        if (std::find(marked.begin(), marked.end(), stream) != marked.end()) return;
        for (const auto& storage : storages) storage->used_on(stream);
        for (const auto& image : images) image->used_on(stream);
        marked.push_back(stream);
    }
};

namespace {

// Abandons the capture in the destructor unless finish() was called.
class CaptureInProgress {
public:
    CaptureInProgress(const GraphBackend& backend, const Stream& stream)
        : backend_(backend), stream_(stream) {
        backend_.begin_capture(stream_.handle());
    }
    ~CaptureInProgress() {
        if (!is_finished_) backend_.abandon_capture(stream_.handle());
    }
    CaptureInProgress(const CaptureInProgress&) = delete;
    CaptureInProgress& operator=(const CaptureInProgress&) = delete;

    std::shared_ptr<const LoadedGraph> finish() {
        is_finished_ = true;  // even if end_capture throws
        return backend_.end_capture(stream_.handle());
    }

private:
    const GraphBackend& backend_;
    const Stream& stream_;
    bool is_finished_ = false;
};

}  // namespace

Graph capture(const Stream& stream, const std::function<void()>& work) try {
    if (!work)
        throw DeviceError("capture: the function to capture is empty; pass one that can be called");
    const GraphBackend& backend = kgen::backend(stream.device()).graphs();
    CaptureRecord record(stream.device());  // destroyed last: freeing would break the capture
    CaptureInProgress capture(backend, stream);
    {
        const StreamScope scope(stream);
        call_user(work);
    }
    std::shared_ptr<const LoadedGraph> loaded = capture.finish();
    if (loaded->node_count() == 0) throw captured_nothing(stream.device());
    record.stop();
    return Graph(std::shared_ptr<const Graph::Impl>(new Graph::Impl{.backend = backend,
                                                                    .device = stream.device(),
                                                                    .storages = record.storages(),
                                                                    .images = record.images(),
                                                                    .objects = record.objects(),
                                                                    .loaded = std::move(loaded),
                                                                    .mutex = {},
                                                                    .marked = {}}));
} catch (...) {
    rethrow_as_error();
}

void Graph::launch(const Stream& stream) const try {
    if (stream.device() != impl_->device) {
        refuse<DeviceError>(
            {ErrorKind::device, "stream", to_text(impl_->device), to_text(stream.device())},
            "the graph is on {}, but the stream is on {}",
            to_text(impl_->device),
            to_text(stream.device()));
    }
    if (!impl_->backend.is_capturing(stream.handle())) {
        impl_->mark(stream);
    } else if (CaptureRecord* record = CaptureRecord::of_this_thread()) {
        for (const auto& storage : impl_->storages) record->keep(storage);
        for (const auto& image : impl_->images) record->keep(image);
        record->keep_object(impl_);
    } else {
        impl_->backend.keep(stream.handle(), impl_);
    }
    impl_->backend.launch(*impl_->loaded, stream.handle());
} catch (...) {
    rethrow_as_error();
}

void Graph::launch() const try { launch(current_stream(impl_->device)); } catch (...) {
    rethrow_as_error();
}

Device Graph::device() const noexcept {
    return impl_->device;
}

int Graph::node_count() const noexcept {
    return impl_->loaded->node_count();
}

void* Graph::handle() const noexcept {
    return impl_->loaded->native();
}

}  // namespace kgen
