// SPDX-License-Identifier: MIT
//
// TextureMemory: the image of textures and surfaces, and the driver's texture and surface objects for it. It
// is freed after its last owner is destroyed and the work that used it has finished. Graphs are owners too.
#pragma once

#include <atomic>
#include <cstdint>
#include <kgen/array.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "device/texture_backend.hpp"

namespace kgen {

class TextureMemory : public std::enable_shared_from_this<TextureMemory> {
public:
    // Allocates the image. Its elements are not initialised.
    TextureMemory(Device device, const TextureBackend& backend, const TextureShape& shape);
    ~TextureMemory();
    TextureMemory(const TextureMemory&) = delete;
    TextureMemory& operator=(const TextureMemory&) = delete;

    Device device() const noexcept { return device_; }
    const TextureShape& shape() const noexcept { return shape_; }
    // Make a texture or surface object, which lives as long as this memory.
    std::uint64_t make_texture(const TextureOptions& options);
    std::uint64_t make_surface();

    void copy_from(const Array& elements);  // C-contiguous, of shape(), on the same device
    Array to_array();

    // Must be called before work that uses the image is given to the stream. If the stream is being captured,
    // the graph keeps the image.
    void used_on(const Stream& stream);
    // Must be called if the image is used on a stream that is not known. The destructor then waits for the
    // device.
    void used_somewhere() noexcept { used_somewhere_.store(true, std::memory_order_relaxed); }

private:
    struct Heir {};
    // Takes over the image of a TextureMemory whose destructor cannot free it yet.
    TextureMemory(Heir, TextureMemory& dropped);
    bool wait_for_users() noexcept;

    Device device_;
    const TextureBackend& backend_;
    TextureShape shape_;
    void* image_ = nullptr;
    std::atomic<bool> used_somewhere_ = false;
    std::mutex mutex_;
    std::vector<Stream> streams_;  // guarded by mutex_, as are the following
    std::vector<std::uint64_t> textures_;
    std::vector<std::uint64_t> surfaces_;
};

// Returns the texture backend of a device. Throws DeviceError if the device has no textures.
const TextureBackend& texture_backend(Device device);

// Returns the shape of an image with these extents. Throws TypeError if textures do not support the dtype,
// and ShapeError if they do not support the extents or the number of channels.
TextureShape texture_shape(const Dims& extents, DType dtype, int channels);

}  // namespace kgen
