// SPDX-License-Identifier: MIT
//
// The textures of the fake CUDA driver. Images are blocks of host memory; texture and surface objects are
// numbers. Included by fake_cuda.cpp only.

struct FakeImage {
    CUDA_ARRAY3D_DESCRIPTOR description;
    std::vector<std::byte> bytes;
};

std::size_t image_row_bytes(const CUDA_ARRAY3D_DESCRIPTOR& description) {
    std::size_t bytes = 4;
    switch (description.Format) {
        case CU_AD_FORMAT_SIGNED_INT8:
        case CU_AD_FORMAT_UNSIGNED_INT8:
            bytes = 1;
            break;
        case CU_AD_FORMAT_SIGNED_INT16:
        case CU_AD_FORMAT_UNSIGNED_INT16:
        case CU_AD_FORMAT_HALF:
            bytes = 2;
            break;
        default:
            break;
    }
    return description.Width * bytes * description.NumChannels;
}

FAKE(cuArray3DCreate, CUarray* image, const CUDA_ARRAY3D_DESCRIPTOR* description) {
    ENTER(cuArray3DCreate);
    if (description->Width > 131072) return CUDA_ERROR_INVALID_VALUE;
    auto* made = new FakeImage{*description, {}};
    made->bytes.resize(image_row_bytes(*description) *
                       std::max<std::size_t>(description->Height, 1) *
                       std::max<std::size_t>(description->Depth, 1));
    *image = reinterpret_cast<CUarray>(made);
    return CUDA_SUCCESS;
}
FAKE(cuArrayDestroy, CUarray image) {
    ENTER(cuArrayDestroy);
    delete reinterpret_cast<FakeImage*>(image);
    return CUDA_SUCCESS;
}
// Supports only copies between a whole image and dense memory.
FAKE(cuMemcpy3DAsync, const CUDA_MEMCPY3D* copy, CUstream stream) {
    ENTER_ON(cuMemcpy3DAsync, stream);
    const bool to_image = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    auto* image = reinterpret_cast<FakeImage*>(to_image ? copy->dstArray : copy->srcArray);
    const std::size_t bytes = copy->WidthInBytes * copy->Height * copy->Depth;
    const std::size_t pitch = to_image ? copy->srcPitch : copy->dstPitch;
    const std::size_t height = to_image ? copy->srcHeight : copy->dstHeight;
    if (bytes != image->bytes.size() || pitch != copy->WidthInBytes || height != copy->Height)
        return CUDA_ERROR_INVALID_VALUE;
    if (to_image) {
        std::memcpy(image->bytes.data(), reinterpret_cast<void*>(copy->srcDevice), bytes);
    } else {
        std::memcpy(reinterpret_cast<void*>(copy->dstDevice), image->bytes.data(), bytes);
    }
    return CUDA_SUCCESS;
}
FAKE(cuTexObjectCreate,
     CUtexObject* texture,
     const CUDA_RESOURCE_DESC* resource,
     const CUDA_TEXTURE_DESC* description,
     const CUDA_RESOURCE_VIEW_DESC*) {
    ENTER(cuTexObjectCreate);
    if (resource->resType != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
    record.texture_flags = description->flags;
    record.texture_filter = description->filterMode;
    record.texture_address = description->addressMode[2];
    record.texture_border = description->borderColor[3];
    *texture = reinterpret_cast<std::uintptr_t>(make_handle<void*>());
    return CUDA_SUCCESS;
}
FAKE(cuTexObjectDestroy, CUtexObject) {
    ENTER(cuTexObjectDestroy);
    return CUDA_SUCCESS;
}
FAKE(cuSurfObjectCreate, CUsurfObject* surface, const CUDA_RESOURCE_DESC*) {
    ENTER(cuSurfObjectCreate);
    *surface = reinterpret_cast<std::uintptr_t>(make_handle<void*>());
    return CUDA_SUCCESS;
}
FAKE(cuSurfObjectDestroy, CUsurfObject) {
    ENTER(cuSurfObjectDestroy);
    return CUDA_SUCCESS;
}
