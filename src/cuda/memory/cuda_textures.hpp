// SPDX-License-Identifier: MIT
//
// CudaTextures: the TextureBackend of one GPU. An image is a CUDA array; texture and surface objects access
// it.
#pragma once

#include "cuda/driver/cuda_context.hpp"
#include "device/texture_backend.hpp"

namespace kgen {

class CudaTextures : public TextureBackend {
public:
    explicit CudaTextures(const CudaContext& context) : context_(context) {}

    void* create_image(const TextureShape& shape) const override;
    void destroy_image(void* image) const noexcept override;
    void copy_to_image(void* image,
                       const TextureShape& shape,
                       const void* elements,
                       StreamHandle stream) const override;
    void copy_from_image(void* elements,
                         void* image,
                         const TextureShape& shape,
                         StreamHandle stream) const override;
    std::uint64_t create_texture(void* image, const TextureOptions& options) const override;
    void destroy_texture(std::uint64_t texture) const noexcept override;
    std::uint64_t create_surface(void* image) const override;
    void destroy_surface(std::uint64_t surface) const noexcept override;
    bool wait_for_device() const noexcept override;

private:
    const CudaContext& context_;
};

}  // namespace kgen
