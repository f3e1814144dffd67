// SPDX-License-Identifier: MIT
//
// TextureMemory: the image behind textures and surfaces, and the objects that look at it. It goes with
// its last handle, after the work that used it; graphs are handles too.
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
    // Not initialised.
    TextureMemory(Device device, const TextureBackend& backend, const TextureShape& shape);
    ~TextureMemory();
    TextureMemory(const TextureMemory&) = delete;
    TextureMemory& operator=(const TextureMemory&) = delete;

    Device device() const noexcept { return device_; }
    const TextureShape& shape() const noexcept { return shape_; }
    // The objects live as long as the memory.
    std::uint64_t make_texture(const TextureOptions& options);
    std::uint64_t make_surface();

    void copy_from(const Array& elements);  // C-contiguous, of shape(), on the same device
    Array to_array();

    // Before work that uses it is given to the stream. A graph that the stream is captured into keeps it.
    void used_on(const Stream& stream);
    void used_somewhere() noexcept { used_somewhere_.store(true, std::memory_order_relaxed); }

private:
    struct Heir {};
    // Takes the image over from one that cannot be freed yet.
    TextureMemory(Heir, TextureMemory& dropped);
    bool wait_for_users() const noexcept;

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

// The backend of a device's textures. Throws DeviceError where there are none.
const TextureBackend& texture_backend(Device device);

// The shape of an array or of extents as an image. Throws TypeError and ShapeError.
TextureShape texture_shape(const Dims& extents, DType dtype, int channels);

}  // namespace kgen
