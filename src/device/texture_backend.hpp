// SPDX-License-Identifier: MIT
//
// TextureBackend: interface to the images, textures and surfaces of a device. Thread safe. Functions throw
// DeviceError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/dtype.hpp>
#include <kgen/texture.hpp>

#include "device/backend.hpp"

namespace kgen {

// Shape of an image. Each element has `channels` numbers; height and depth are 0 if the image does not have
// that axis.
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

    // Allocates an uninitialized image. Surfaces can use it too.
    virtual void* create_image(const TextureShape& shape) const = 0;
    virtual void destroy_image(void* image) const noexcept = 0;
    // Copy between the image and C-contiguous elements on the device, in the order of the stream.
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
    // Waits for all work of the device. Destructors call it, so errors are left to later calls. Returns
    // false, without waiting, if that would invalidate a capture in progress.
    virtual bool wait_for_device() const noexcept = 0;
};

}  // namespace kgen
