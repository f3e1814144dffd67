// SPDX-License-Identifier: MIT
#include "cuda/memory/cuda_textures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cuda/stream/captured_stream.hpp"

namespace kgen {

namespace {

CUarray_format format_of(DType dtype) {
    switch (dtype) {
        case DType::int8:
            return CU_AD_FORMAT_SIGNED_INT8;
        case DType::int16:
            return CU_AD_FORMAT_SIGNED_INT16;
        case DType::int32:
            return CU_AD_FORMAT_SIGNED_INT32;
        case DType::uint8:
            return CU_AD_FORMAT_UNSIGNED_INT8;
        case DType::uint16:
            return CU_AD_FORMAT_UNSIGNED_INT16;
        case DType::uint32:
            return CU_AD_FORMAT_UNSIGNED_INT32;
        case DType::float16:
            return CU_AD_FORMAT_HALF;
        default:  // float32; Texture::create refuses all other dtypes
            return CU_AD_FORMAT_FLOAT;
    }
}

CUaddress_mode address_mode(TextureAddress address) {
    return address == TextureAddress::wrap     ? CU_TR_ADDRESS_MODE_WRAP
           : address == TextureAddress::mirror ? CU_TR_ADDRESS_MODE_MIRROR
           : address == TextureAddress::border ? CU_TR_ADDRESS_MODE_BORDER
                                               : CU_TR_ADDRESS_MODE_CLAMP;
}

CUDA_RESOURCE_DESC resource_of(void* image) {
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = static_cast<CUarray>(image);
    return resource;
}

// Describes a copy of the whole image. The caller fills in the source and the destination.
CUDA_MEMCPY3D whole_image(const TextureShape& shape) {
    CUDA_MEMCPY3D copy = {};
    copy.WidthInBytes =
        shape.width * item_size(shape.dtype) * static_cast<unsigned>(shape.channels);
    copy.Height = std::max<std::size_t>(shape.height, 1);
    copy.Depth = std::max<std::size_t>(shape.depth, 1);
    return copy;
}

}  // namespace

void* CudaTextures::create_image(const TextureShape& shape) const {
    const CudaContext::Entered entered = context_.enter();
    CUDA_ARRAY3D_DESCRIPTOR description = {};
    description.Width = shape.width;
    description.Height = shape.height;
    description.Depth = shape.depth;
    description.Format = format_of(shape.dtype);
    description.NumChannels = static_cast<unsigned>(shape.channels);
    description.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    CUarray image = nullptr;
    const CUresult result = context_.api().array_create(&image, &description);
    if (result != CUDA_SUCCESS) {
        context_.fail(
            result,
            "cuArray3DCreate",
            fmt::format("{}: an image of width {}, height {}, depth {} with {} channel{} of {}",
                        context_.text(),
                        shape.width,
                        shape.height,
                        shape.depth,
                        shape.channels,
                        shape.channels == 1 ? "" : "s",
                        to_text(shape.dtype)));
    }
    return image;
}

void CudaTextures::destroy_image(void* image) const noexcept {
    context_.release("an image was not destroyed", [&](const CudaContext::Entered&) {
        context_.check(context_.api().array_destroy(static_cast<CUarray>(image)), "cuArrayDestroy");
    });
}

void CudaTextures::copy_to_image(void* image,
                                 const TextureShape& shape,
                                 const void* elements,
                                 StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    require_captured_along(*entered, context_.device(), stream);
    CUDA_MEMCPY3D copy = whole_image(shape);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = address_of(elements);
    copy.srcPitch = copy.WidthInBytes;
    copy.srcHeight = copy.Height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = static_cast<CUarray>(image);
    context_.check(context_.api().copy_3d_async(&copy, stream), "cuMemcpy3DAsync");
}

void CudaTextures::copy_from_image(void* elements,
                                   void* image,
                                   const TextureShape& shape,
                                   StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    require_captured_along(*entered, context_.device(), stream);
    CUDA_MEMCPY3D copy = whole_image(shape);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = static_cast<CUarray>(image);
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = address_of(elements);
    copy.dstPitch = copy.WidthInBytes;
    copy.dstHeight = copy.Height;
    context_.check(context_.api().copy_3d_async(&copy, stream), "cuMemcpy3DAsync");
}

std::uint64_t CudaTextures::create_texture(void* image, const TextureOptions& options) const {
    const CudaContext::Entered entered = context_.enter();
    const CUDA_RESOURCE_DESC resource = resource_of(image);
    CUDA_TEXTURE_DESC description = {};
    std::fill_n(description.addressMode, 3, address_mode(options.address));
    description.filterMode = options.filter == TextureFilter::linear ? CU_TR_FILTER_MODE_LINEAR
                                                                     : CU_TR_FILTER_MODE_POINT;
    if (options.read == TextureRead::element) description.flags |= CU_TRSF_READ_AS_INTEGER;
    if (options.coordinates == TextureCoordinates::normalized)
        description.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    std::copy(options.border.begin(), options.border.end(), description.borderColor);
    CUtexObject texture = 0;
    context_.check(context_.api().texture_create(&texture, &resource, &description, nullptr),
                   "cuTexObjectCreate");
    return texture;
}

void CudaTextures::destroy_texture(std::uint64_t texture) const noexcept {
    context_.release("a texture was not destroyed", [&](const CudaContext::Entered&) {
        context_.check(context_.api().texture_destroy(texture), "cuTexObjectDestroy");
    });
}

std::uint64_t CudaTextures::create_surface(void* image) const {
    const CudaContext::Entered entered = context_.enter();
    const CUDA_RESOURCE_DESC resource = resource_of(image);
    CUsurfObject surface = 0;
    context_.check(context_.api().surface_create(&surface, &resource), "cuSurfObjectCreate");
    return surface;
}

void CudaTextures::destroy_surface(std::uint64_t surface) const noexcept {
    context_.release("a surface was not destroyed", [&](const CudaContext::Entered&) {
        context_.check(context_.api().surface_destroy(surface), "cuSurfObjectDestroy");
    });
}

bool CudaTextures::wait_for_device() const noexcept {
    if (context_.fault().is_lost()) return true;
    try {
        const CudaContext::Entered entered = context_.enter();
        return entered->memory->wait_for_context().has_value();
    } catch (...) {  // a later call that may throw reports the error
        return true;
    }
}

}  // namespace kgen
