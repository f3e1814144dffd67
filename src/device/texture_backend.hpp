// SPDX-License-Identifier: MIT
//
// TextureBackend: images for texture units. Thread safe; throws DeviceError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/dtype.hpp>
#include <kgen/texture.hpp>

#include "device/backend.hpp"

namespace kgen {

// Elements of `channels` numbers each; height and depth are 0 where the image has no such axis.
struct TextureShape {
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t depth = 0;
    DType dtype = DType::float32;
    int channels = 1;
    friend bool operator==(const TextureShape&, const TextureShape&) = default;
};

class TextureBackend {
public:
    virtual ~TextureBackend() = default;

    // Memory of an image, not initialised; usable by surfaces too.
    virtual void* create_image(const TextureShape& shape) const = 0;
    virtual void destroy_image(void* image) const noexcept = 0;
    // Between the image and C-contiguous elements on the device, in the order of the stream.
    virtual void copy_to_image(void* image,
                               const TextureShape& shape,
                               const void* elements,
                               StreamHandle stream) const = 0;
    virtual void copy_from_image(void* elements,
                                 void* image,
                                 const TextureShape& shape,
                                 StreamHandle stream) const = 0;

    virtual std::uint64_t create_texture(void* image, const TextureOptions& options) const = 0;
    virtual void destroy_texture(std::uint64_t texture) const noexcept = 0;
    virtual std::uint64_t create_surface(void* image) const = 0;
    virtual void destroy_surface(std::uint64_t surface) const noexcept = 0;
    // For a destructor: waits for all work of the device; errors are left to later calls. False if a
    // capture is under way that this would invalidate.
    virtual bool wait_for_device() const noexcept = 0;
};

}  // namespace kgen
