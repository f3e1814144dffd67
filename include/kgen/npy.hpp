// SPDX-License-Identifier: MIT
//
// .npy files, format versions 1.0 to 3.0, as NumPy reads and writes them.
#pragma once

#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <string>

namespace kgen {

// Reads an array of any dtype of kgen; bfloat16 is stored as '<V2' with no name of its own and is
// read only where `dtype` says so. Byte order is converted. Fortran order is kept by strides.
// Throws IoError: no such file, not an .npy file, truncated, too large, object or unknown dtype.
struct NpyOptions {
    std::optional<Device> device = {};
    std::optional<DType> dtype = {};
};
KGEN_EXPORT Array load_npy(const std::string& path, const NpyOptions& options = {});

// Writes in C order (Fortran order if only that is contiguous), atomically: the file is whole or
// the old one. Throws IoError.
KGEN_EXPORT void save_npy(const std::string& path, const Array& array);

}  // namespace kgen
