// SPDX-License-Identifier: MIT
#include "memory/texture_memory.hpp"

#include <algorithm>
#include <array>
#include <kgen/error.hpp>
#include <utility>

#include "device/capture_record.hpp"
#include "device/graph_backend.hpp"
#include "device/registry.hpp"
#include "memory/layout.hpp"
#include "memory/storage.hpp"
#include "text/error_parts.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

constexpr std::array texture_dtypes = {DType::int8,
                                       DType::int16,
                                       DType::int32,
                                       DType::uint8,
                                       DType::uint16,
                                       DType::uint32,
                                       DType::float16,
                                       DType::float32};

}  // namespace

TextureShape texture_shape(const Dims& extents, DType dtype, int channels) {
    if (!is_one_of(dtype, texture_dtypes)) {
        refuse<TypeError>(
            {ErrorKind::dtype,
             {},
             "int8, int16, int32, uint8, uint16, uint32, float16 or float32",
             std::string(to_text(dtype))},
            "texture: textures do not support {}: expected int8, int16, int32, uint8, "
            "uint16, uint32, float16 or float32",
            to_text(dtype));
    }
    if (channels != 1 && channels != 2 && channels != 4) {
        refuse<ShapeError>({ErrorKind::option, "channels", "1, 2 or 4", std::to_string(channels)},
                           "texture: got {} channels, expected 1, 2 or 4",
                           channels);
    }
    if (extents.rank() < 1 || extents.rank() > 3) {
        refuse<ShapeError>({ErrorKind::shape, {}, "1 to 3 axes", to_text(extents)},
                           "texture: an image has 1 to 3 axes{}, not {}: the shape is {}",
                           channels > 1 ? " before that of the channels" : "",
                           extents.rank(),
                           to_text(extents));
    }
    for (const std::int64_t extent : extents) {
        if (extent > 0) continue;
        refuse<ShapeError>({ErrorKind::shape, {}, "extents of at least 1", to_text(extents)},
                           "texture: an extent is 0: got shape {}, expected at least 1",
                           to_text(extents));
    }
    const auto extent = [&](int from_last) {
        return static_cast<std::size_t>(extents[extents.rank() - 1 - from_last]);
    };
    TextureShape shape{.width = extent(0), .dtype = dtype, .channels = channels};
    if (extents.rank() > 1) shape.height = extent(1);
    if (extents.rank() > 2) shape.depth = extent(2);
    return shape;
}

const TextureBackend& texture_backend(Device device) {
    const TextureBackend* textures = backend(device).textures();
    if (textures == nullptr) {
        refuse<DeviceError>({ErrorKind::device, {}, "a GPU", to_text(device)},
                            "texture: {} does not support textures: use a GPU (Device::cuda)",
                            to_text(device));
    }
    return *textures;
}

TextureMemory::TextureMemory(Device device,
                             const TextureBackend& backend,
                             const TextureShape& shape)
    : device_(device), backend_(backend), shape_(shape), image_(backend.create_image(shape)) {}

TextureMemory::TextureMemory(Heir, TextureMemory& dropped)
    : device_(dropped.device_),
      backend_(dropped.backend_),
      shape_(dropped.shape_),
      image_(std::exchange(dropped.image_, nullptr)),
      used_somewhere_(dropped.used_somewhere_.load()),
      streams_(std::move(dropped.streams_)),
      textures_(std::move(dropped.textures_)),
      surfaces_(std::move(dropped.surfaces_)) {}

TextureMemory::~TextureMemory() {
    if (image_ == nullptr) return;
    if (!wait_for_users()) {
        std::shared_ptr<TextureMemory> heir;
        try {
            heir.reset(new TextureMemory(Heir(), *this));
            CaptureRecord::free_later(heir);
        } catch (...) {  // if there is no memory for the list, the image leaks
            if (heir != nullptr) heir->image_ = nullptr;
        }
        return;
    }
    for (const std::uint64_t texture : textures_) backend_.destroy_texture(texture);
    for (const std::uint64_t surface : surfaces_) backend_.destroy_surface(surface);
    backend_.destroy_image(image_);
}

// Waits for the work that used the image. Returns false if waiting would invalidate a capture.
bool TextureMemory::wait_for_users() noexcept {
    bool is_unknown = used_somewhere_.load(std::memory_order_relaxed);
    try {
        const GraphBackend& graphs = backend(device_).graphs();
        const auto is_blocked = [&](const Stream& stream) {
            return graphs.is_blocked(stream.handle());
        };
        std::vector<Event> users;
        {
            const auto held = graphs.hold_captures();
            std::erase_if(streams_, has_ended);  // their work is done
            if (std::any_of(streams_.begin(), streams_.end(), is_blocked)) return false;
            for (const Stream& stream : streams_) users.emplace_back(device_).record(stream);
        }
        for (const Event& user : users) user.synchronize();
    } catch (const std::exception&) {  // a lost device
        is_unknown = true;
    }
    return !is_unknown || backend_.wait_for_device();
}

std::uint64_t TextureMemory::make_texture(const TextureOptions& options) {
    const bool is_float = shape_.dtype == DType::float16 || shape_.dtype == DType::float32;
    if (options.read == TextureRead::normalized_float &&
        (is_float || item_size(shape_.dtype) == 4)) {
        refuse<TypeError>({ErrorKind::dtype,
                           {},
                           "int8, int16, uint8 or uint16",
                           std::string(to_text(shape_.dtype))},
                          "texture: {} cannot be read as a normalized float: expected int8, int16, "
                          "uint8 or uint16",
                          to_text(shape_.dtype));
    }
    if (options.filter == TextureFilter::linear && !is_float &&
        options.read == TextureRead::element) {
        refuse<TypeError>(
            {ErrorKind::dtype, {}, "float16 or float32", std::string(to_text(shape_.dtype))},
            "texture: {} cannot be filtered: use TextureRead::normalized_float, or "
            "float16 or float32",
            to_text(shape_.dtype));
    }
    const bool repeats =
        options.address == TextureAddress::wrap || options.address == TextureAddress::mirror;
    if (repeats && options.coordinates == TextureCoordinates::element) {
        refuse<TypeError>(
            {ErrorKind::option,
             "address",
             "clamp or border",
             options.address == TextureAddress::wrap ? "wrap" : "mirror"},
            "texture: wrap and mirror need TextureCoordinates::normalized (without it CUDA "
            "clamps)");
    }
    const std::lock_guard lock(mutex_);
    textures_.reserve(textures_.size() + 1);
    textures_.push_back(backend_.create_texture(image_, options));
    return textures_.back();
}

std::uint64_t TextureMemory::make_surface() {
    const std::lock_guard lock(mutex_);
    surfaces_.reserve(surfaces_.size() + 1);
    surfaces_.push_back(backend_.create_surface(image_));
    return surfaces_.back();
}

void TextureMemory::copy_from(const Array& elements) {
    const Stream stream = current_stream(device_);
    elements.storage()->used_on(stream);
    used_on(stream);
    backend_.copy_to_image(image_, shape_, elements.data(), stream.handle());
}

Array TextureMemory::to_array() {
    const Stream stream = current_stream(device_);
    Dims extents;
    if (shape_.depth > 0) extents.push_back(static_cast<std::int64_t>(shape_.depth));
    if (shape_.height > 0) extents.push_back(static_cast<std::int64_t>(shape_.height));
    extents.push_back(static_cast<std::int64_t>(shape_.width));
    if (shape_.channels > 1) extents.push_back(shape_.channels);
    const Dims strides = contiguous_strides(extents, shape_.dtype);
    Array elements = allocate_array(extents, strides, shape_.dtype, stream);
    used_on(stream);
    backend_.copy_from_image(elements.data(), image_, shape_, stream.handle());
    return elements;
}

void TextureMemory::used_on(const Stream& stream) {
    if (const GraphBackend& graphs = backend(device_).graphs();
        graphs.is_capturing(stream.handle())) {
        if (CaptureRecord* record = CaptureRecord::of_this_thread()) {
            record->keep(shared_from_this());
        } else {
            graphs.keep(stream.handle(), shared_from_this());
        }
        return;  // captured work does not run on this stream
    }
    const std::lock_guard lock(mutex_);
    if (StreamEnds::count() != 0) std::erase_if(streams_, has_ended);
    add_once(streams_, stream);
}

}  // namespace kgen
