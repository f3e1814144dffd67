// SPDX-License-Identifier: MIT
//
// Textures and surfaces: images in the layout that the GPU's texture units read, with addressing and
// filtering done by them. CUDA alone; the host device has none and says so.
#pragma once

#include <array>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <memory>
#include <utility>

namespace kgen {

class TextureMemory;  // src/memory/texture_memory.hpp

// What a coordinate outside of the image means. wrap and mirror need normalized coordinates.
enum class TextureAddress : std::uint8_t { wrap, clamp, mirror, border };
enum class TextureFilter : std::uint8_t { point, linear };
// What a fetch gives: the element itself, or, for 8- and 16-bit integers, a float of [0, 1] or [-1, 1].
enum class TextureRead : std::uint8_t { element, normalized_float };
enum class TextureCoordinates : std::uint8_t { element, normalized };

struct TextureOptions {
    TextureAddress address = TextureAddress::clamp;
    TextureFilter filter = TextureFilter::point;  // linear needs float elements or normalized_float
    TextureRead read = TextureRead::element;
    TextureCoordinates coordinates = TextureCoordinates::element;
    std::array<float, 4> border = {};  // of TextureAddress::border
    // Above 1 (2 or 4): the array's last axis holds the channels of an element, read as float4 or the like.
    int channels = 1;
};

// A read-only image of 1 to 3 dimensions: the array's axes are (width), (height, width) or
// (depth, height, width). A copyable handle; it owns a copy of the elements.
//
//     Texture image = Texture::create(pixels, {.filter = TextureFilter::linear});
//     kernel.launch(config, image, out, width, height);    // cudaTextureObject_t in the kernel
//
// An ElementwiseKernel or ReductionKernel takes one as a number: "U image" with a letter of its own.
class KGEN_EXPORT Texture {
public:
    // Copies the elements, in the order of current_stream(). Throws TypeError for dtypes that
    // textures do not have (bool, 64 bits, bfloat16, complex), ShapeError for shapes that are too
    // large or not 1-D to 3-D, DeviceError for arrays of the host.
    static Texture create(const Array& elements, const TextureOptions& options = {});

    // Copies new elements of the same dtype and shape into it.
    void update(const Array& elements) const;

    std::uint64_t handle() const noexcept { return handle_; }  // cudaTextureObject_t
    Device device() const noexcept { return device_; }

    // To be called by whoever gives the handle to work of his own, before: the texture then waits for that
    // stream before it goes, and a graph that the stream is captured into keeps it. Kernels of kgen do it.
    void used_on(const Stream& stream) const;
    // Likewise where the stream is not known: it then waits for all work of the device.
    void used_somewhere() const noexcept;
    const std::shared_ptr<TextureMemory>& memory() const noexcept { return memory_; }

private:
    friend class Surface;
    Texture(std::shared_ptr<TextureMemory> memory, std::uint64_t handle, Device device)
        : memory_(std::move(memory)), handle_(handle), device_(device) {}
    std::shared_ptr<TextureMemory> memory_;
    std::uint64_t handle_;
    Device device_;
};

// An image that kernels write to with surf1Dwrite and its like. A copyable handle.
class KGEN_EXPORT Surface {
public:
    // Not initialised. `shape` is as of Texture, without channels. Throws as Texture::create does.
    static Surface create(const Dims& shape,
                          DType dtype,
                          int channels = 1,
                          Device device = current_device());
    static Surface from_array(const Array& elements, int channels = 1);

    // The elements, in the order of current_stream().
    Array to_array() const;
    // A texture that reads the same memory.
    Texture texture(const TextureOptions& options = {}) const;

    std::uint64_t handle() const noexcept { return handle_; }  // cudaSurfaceObject_t
    Device device() const noexcept { return device_; }
    void used_on(const Stream& stream) const;
    const std::shared_ptr<TextureMemory>& memory() const noexcept { return memory_; }

private:
    Surface(std::shared_ptr<TextureMemory> memory, std::uint64_t handle, Device device)
        : memory_(std::move(memory)), handle_(handle), device_(device) {}
    std::shared_ptr<TextureMemory> memory_;
    std::uint64_t handle_;
    Device device_;
};

}  // namespace kgen
