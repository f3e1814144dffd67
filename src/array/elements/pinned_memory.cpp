// SPDX-License-Identifier: MIT
#include <kgen/error.hpp>
#include <kgen/pinned_memory.hpp>
#include <optional>

#include "array/elements/host_elements.hpp"
#include "device/capture_record.hpp"
#include "device/graph_backend.hpp"
#include "device/memory_backend.hpp"
#include "device/registry.hpp"
#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "memory/pinned_pool.hpp"
#include "memory/storage.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

void check_alike(const Array& destination, const Array& source) {
    require_value(destination, "copy_async");
    require_value(source, "copy_async");
    if (destination.dtype() != source.dtype()) {
        refuse<TypeError>(
            {ErrorKind::dtype,
             {},
             std::string(to_text(destination.dtype())),
             std::string(to_text(source.dtype()))},
            "copy_async: the destination is {}, but the source is {}; use assign(), which converts",
            to_text(destination.dtype()),
            to_text(source.dtype()));
    }
    if (destination.shape() != source.shape()) {
        refuse<ShapeError>(
            {ErrorKind::shape, {}, to_text(destination.shape()), to_text(source.shape())},
            "copy_async: the destination has shape {}, but the source has {}; use "
            "assign(), which broadcasts",
            to_text(destination.shape()),
            to_text(source.shape()));
    }
    if (!destination.is_contiguous() || !source.is_contiguous()) {
        refuse<ShapeError>(
            {ErrorKind::layout,
             destination.is_contiguous() ? "source" : "destination",
             "C-contiguous"},
            "copy_async: the {} is not C-contiguous; pass a copy(), or use assign(), which waits",
            destination.is_contiguous() ? "source" : "destination");
    }
    if (destination.is_read_only())
        refuse<ShapeError>(
            {ErrorKind::read_only, "destination", "a writable array", "a read-only array"},
            "copy_async: the destination is read-only; pass a copy()");
}

// Called before a copy. Keeps the array's memory until the copy is done. Returns false if
// PinnedPool::used_on() must be called after the copy instead.
bool note_use(const Array& array, const Stream& stream) {
    const std::shared_ptr<Storage>& storage = array.storage();
    if (const GraphBackend& graphs = backend(stream.device()).graphs();
        is_on_host(array) && graphs.is_capturing(stream.handle())) {
        if (CaptureRecord* record = CaptureRecord::of_this_thread()) {
            record->keep(storage);
        } else {
            graphs.keep(stream.handle(), storage);
        }
        return true;
    }
    // A Storage records the event for a stream only when it is destroyed, and a stream of another library may
    // no longer exist then. Memory that views a block of the pool through another library is not known to be
    // pinned. In both cases the pool itself must record the use, after the copy.
    if (is_on_host(array) && !(storage->is_pinned() && stream.keeps_handle())) return false;
    storage->used_on(stream);
    return true;
}

void copy_on(const Array& destination, const Array& source, const Stream& stream) {
    const auto bytes = static_cast<std::size_t>(source.size_bytes());
    const Device device = stream.device();
    for (const Array* array : {&destination, &source}) {
        if (is_on_host(*array)) {
            if (is_pinned(*array)) continue;
            refuse<DeviceError>({ErrorKind::device,
                                 array == &source ? "source" : "destination",
                                 "pinned memory",
                                 "host memory"},
                                "copy_async: the {} is host memory that is not pinned; allocate it "
                                "with empty_pinned(), or use assign(), which waits",
                                array == &source ? "source" : "destination");
        }
        if (array->device() == device) continue;
        refuse<DeviceError>({ErrorKind::device,
                             array == &source ? "source" : "destination",
                             to_text(device),
                             to_text(array->device())},
                            "copy_async: the {} is on {}, but the copy runs on {}",
                            array == &source ? "source" : "destination",
                            to_text(array->device()),
                            to_text(device));
    }
    if (bytes == 0) return;
    const CopyDirection direction = is_on_host(source)        ? CopyDirection::host_to_device
                                    : is_on_host(destination) ? CopyDirection::device_to_host
                                                              : CopyDirection::device_to_device;
    const bool is_noted[] = {note_use(destination, stream), note_use(source, stream)};
    backend(device).memory()->copy_pinned(
        destination.data(), source.data(), bytes, direction, stream.handle());
    try {
        if (!is_noted[0]) PinnedPool::get().used_on(destination.data(), stream);
        if (!is_noted[1]) PinnedPool::get().used_on(source.data(), stream);
    } catch (...) {
        stream.synchronize();  // the caller may free the memory after the exception
        throw;
    }
}

}  // namespace

Array empty_pinned(const Dims& shape, DType dtype) try {
    const auto bytes = static_cast<std::size_t>(checked_size_bytes(shape, dtype));
    std::shared_ptr<void> block = PinnedPool::get().allocate(bytes);
    void* const memory = block.get();
    return ArrayAccess::make(Storage::pinned(memory, bytes, std::move(block)),
                             dtype,
                             shape,
                             contiguous_strides(shape, dtype),
                             memory);
} catch (...) {
    rethrow_as_error();
}

bool is_pinned(const Array& array) try {
    require_value(array, "is_pinned");
    if (!is_on_host(array)) return false;
    if (PinnedPool::get().holds(array.data())) return true;
    if (device_count(default_gpu.kind()) == 0) return false;
    return backend(default_gpu).memory()->look_up(array.data()).kind == MemoryKind::host;
} catch (...) {
    rethrow_as_error();
}

void copy_async(const Array& destination, const Array& source) try {
    check_alike(destination, source);
    if (is_on_host(destination) && is_on_host(source)) return destination.assign(source);
    const Array& on_device = is_on_host(destination) ? source : destination;
    copy_on(destination, source, current_stream(on_device.device()));
} catch (...) {
    rethrow_as_error();
}

void copy_async(const Array& destination, const Array& source, const Stream& stream) try {
    check_alike(destination, source);
    if (is_on_host(destination) && is_on_host(source)) return destination.assign(source);
    copy_on(destination, source, stream);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
