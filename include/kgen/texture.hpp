// SPDX-License-Identifier: MIT
//
// Textures and surfaces: images in the memory layout of the GPU's texture units, which do the addressing and
// the filtering. CUDA only; on the host the functions throw DeviceError.
#pragma once

#include <array>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <memory>
#include <utility>

namespace kgen {

class TextureMemory;  // src/memory/texture_memory.hpp

// How coordinates outside the image are handled. wrap and mirror need normalized coordinates.
enum class TextureAddress : std::uint8_t { wrap, clamp, mirror, border };
enum class TextureFilter : std::uint8_t { point, linear };
// What a fetch returns: the element itself or, for 8- and 16-bit integers, a float in [0, 1] or [-1, 1].
enum class TextureRead : std::uint8_t { element, normalized_float };
enum class TextureCoordinates : std::uint8_t { element, normalized };

struct TextureOptions {
    TextureAddress address = TextureAddress::clamp;
    TextureFilter filter = TextureFilter::point;  // linear needs float elements or normalized_float
    TextureRead read = TextureRead::element;
    TextureCoordinates coordinates = TextureCoordinates::element;
    std::array<float, 4> border = {};  // for TextureAddress::border
    // 1, 2 or 4. With 2 or 4 the array's last axis holds the channels of an element, which is read as float2,
    // float4 or the like.
    int channels = 1;
};

// A read-only image of 1 to 3 dimensions, made from an array with the axes (width), (height, width) or
// (depth, height, width). A copyable handle that owns a copy of the elements.
//
//     Texture image = Texture::create(pixels, {.filter = TextureFilter::linear});
//     kernel.launch(config, image, out, width, height);    // cudaTextureObject_t in the kernel
//
// An ElementwiseKernel or ReductionKernel takes a texture as a number: "U image", where only this parameter
// has the placeholder U.
class KGEN_EXPORT Texture {
public:
    // Copies the elements in the order of current_stream(). Throws TypeError for dtypes that textures do not
    // support (bool, 64 bits, bfloat16, complex), ShapeError for shapes that are too large or not 1-D to 3-D,
    // DeviceError for arrays on the host.
    static Texture create(const Array& elements, const TextureOptions& options = {});

    // Replaces the elements by those of an array of the same dtype and shape on the same device.
    void update(const Array& elements) const;

    std::uint64_t handle() const noexcept { return handle_; }  // cudaTextureObject_t
    Device device() const noexcept { return device_; }

    // Call this before passing handle() to work that kgen does not launch. The texture is then destroyed only
    // after the stream's work, and a graph that captures the stream keeps it alive. kgen's kernels call it.
    void record_use(const Stream& stream) const;
    // Call this instead of record_use if the stream is unknown. The texture is then destroyed only after all
    // work of the device.
    void record_unknown_use() const noexcept;
    [[deprecated("use record_use")]] void used_on(const Stream& stream) const {
        record_use(stream);
    }
    [[deprecated("use record_unknown_use")]] void used_somewhere() const noexcept {
        record_unknown_use();
    }
    const std::shared_ptr<TextureMemory>& memory() const noexcept { return memory_; }

private:
    friend class Surface;
    Texture(std::shared_ptr<TextureMemory> memory, std::uint64_t handle, Device device)
        : memory_(std::move(memory)), handle_(handle), device_(device) {}
    std::shared_ptr<TextureMemory> memory_;
    std::uint64_t handle_;
    Device device_;
};

// An image that kernels write with surf1Dwrite and similar functions. A copyable handle.
class KGEN_EXPORT Surface {
public:
    // Returns an uninitialised surface. `shape` has the axes of a Texture, without the channels. Throws as
    // Texture::create does.
    static Surface create(const Dims& shape,
                          DType dtype,
                          int channels = 1,
                          Device device = current_device());
    static Surface from_array(const Array& elements, int channels = 1);

    // Returns a copy of the elements, made in the order of current_stream().
    Array to_array() const;
    // Returns a texture that reads the same memory.
    Texture texture(const TextureOptions& options = {}) const;

    std::uint64_t handle() const noexcept { return handle_; }  // cudaSurfaceObject_t
    Device device() const noexcept { return device_; }
    void record_use(const Stream& stream) const;
    [[deprecated("use record_use")]] void used_on(const Stream& stream) const {
        record_use(stream);
    }
    const std::shared_ptr<TextureMemory>& memory() const noexcept { return memory_; }

private:
    Surface(std::shared_ptr<TextureMemory> memory, std::uint64_t handle, Device device)
        : memory_(std::move(memory)), handle_(handle), device_(device) {}
    std::shared_ptr<TextureMemory> memory_;
    std::uint64_t handle_;
    Device device_;
};

}  // namespace kgen
