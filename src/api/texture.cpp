// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/error.hpp>
#include <kgen/texture.hpp>

#include "memory/texture_memory.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Returns the extents of the image. If there are several channels, they are the array's last axis.
Dims image_extents(const Array& elements, int channels) {
    Dims extents = elements.shape();
    if (channels <= 1) return extents;
    const int last = extents.rank() - 1;
    if (last < 0 || extents[last] != channels) {
        refuse<ShapeError>(
            {ErrorKind::shape, {}, fmt::format("{} channels", channels), to_text(extents)},
            "texture: the last axis holds the channels: got shape {}, expected {} channels",
            to_text(extents),
            channels);
    }
    Dims image;
    for (int axis = 0; axis < last; ++axis) image.push_back(extents[axis]);
    return image;
}

std::shared_ptr<TextureMemory> make_memory(const Array& elements, int channels) {
    if (!elements.has_value())
        refuse<ShapeError>(
            {ErrorKind::argument_type, {}, "an Array that has memory", "an empty Array"},
            "texture: the array is empty (has_value() is false)");
    const TextureBackend& backend = texture_backend(elements.device());
    const TextureShape shape =
        texture_shape(image_extents(elements, channels), elements.dtype(), channels);
    auto memory = std::make_shared<TextureMemory>(elements.device(), backend, shape);
    memory->copy_from(elements.ascontiguous());
    return memory;
}

}  // namespace

Texture Texture::create(const Array& elements, const TextureOptions& options) try {
    const std::shared_ptr<TextureMemory> memory = make_memory(elements, options.channels);
    return Texture(memory, memory->make_texture(options), memory->device());
} catch (...) {
    rethrow_as_error();
}

void Texture::update(const Array& elements) const try {
    const TextureShape& own = memory_->shape();
    if (elements.device() != device_) {
        refuse<ShapeError>({ErrorKind::device, {}, to_text(device_), to_text(elements.device())},
                           "texture: the texture is on {}, but the new elements are on {}",
                           to_text(device_),
                           to_text(elements.device()));
    }
    const TextureShape shape =
        texture_shape(image_extents(elements, own.channels), elements.dtype(), own.channels);
    if (!(shape == own)) {
        refuse<ShapeError>(
            {shape.dtype != own.dtype ? ErrorKind::dtype : ErrorKind::shape,
             {},
             {},
             fmt::format("{} of shape {}", to_text(elements.dtype()), to_text(elements.shape()))},
            "texture: the new elements are {} of shape {}, but the texture was created "
            "with another dtype or shape",
            to_text(elements.dtype()),
            to_text(elements.shape()));
    }
    memory_->copy_from(elements.ascontiguous());
} catch (...) {
    rethrow_as_error();
}

void Texture::record_use(const Stream& stream) const {
    memory_->used_on(stream);
}

void Texture::record_unknown_use() const noexcept {
    memory_->used_somewhere();
}

Surface Surface::create(const Dims& shape, DType dtype, int channels, Device device) try {
    const TextureBackend& backend = texture_backend(device);
    const TextureShape image = texture_shape(shape, dtype, channels);
    const auto memory = std::make_shared<TextureMemory>(device, backend, image);
    return Surface(memory, memory->make_surface(), device);
} catch (...) {
    rethrow_as_error();
}

Surface Surface::from_array(const Array& elements, int channels) try {
    const std::shared_ptr<TextureMemory> memory = make_memory(elements, channels);
    return Surface(memory, memory->make_surface(), memory->device());
} catch (...) {
    rethrow_as_error();
}

Array Surface::to_array() const try { return memory_->to_array(); } catch (...) {
    rethrow_as_error();
}

Texture Surface::texture(const TextureOptions& options) const try {
    return Texture(memory_, memory_->make_texture(options), device_);
} catch (...) {
    rethrow_as_error();
}

void Surface::record_use(const Stream& stream) const {
    memory_->used_on(stream);
}

}  // namespace kgen
