// SPDX-License-Identifier: MIT
//
// Gives the code of an image to the driver.
#pragma once

#include <string>

#include "cuda/driver_api.hpp"
#include "device/image.hpp"

namespace kgen {

struct CudaLibraryResult {
    CUlibrary library = nullptr;
    CUresult result = CUDA_SUCCESS;
    const char* call = "cuLibraryLoadData";  // that gave the result
    std::string log;                         // what the driver's compiler said of PTX
};

// Loads the image's cubin, else its fatbin, else its PTX. The context must be current.
CudaLibraryResult load_cuda_library(const DriverApi& api, const Image& image);

}  // namespace kgen
