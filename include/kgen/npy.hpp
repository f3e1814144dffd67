// SPDX-License-Identifier: MIT
//
// Reads and writes NumPy's .npy files, format versions 1.0 to 3.0.
#pragma once

#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <optional>
#include <string>

namespace kgen {

// How load_npy brings the elements into memory.
enum class NpyAccess : std::uint8_t {
    // Copies the elements into a new array that the caller may write.
    read,
    // Maps the file: the array is on the host and read-only, and nothing is copied. Pages are read on first
    // use and shared by all processes. If the file is replaced, as by save_npy, the array keeps the old
    // contents. If it is overwritten in place, the elements change. If it is truncated, an access beyond its
    // new end raises SIGBUS and ends this process.
    mapped,
};

struct NpyOptions {
    std::optional<Device> device = {};  // default: current_device(); for mapped files the host
    std::optional<DType> dtype = {};    // load_npy throws if the file has another dtype
    NpyAccess access = NpyAccess::read;
};

// Reads an array of any dtype that kgen supports. The format has no name for bfloat16: it is stored as '<V2'
// and read only if options.dtype is bfloat16. Byte order is converted. Strides preserve Fortran order.
// Throws IoError if the file does not exist, is not an .npy file, is truncated or too large, or holds objects
// or an unsupported dtype. NpyAccess::mapped also throws IoError for big-endian or misaligned elements, for a
// bool that is neither 0 nor 1, and for a GPU in options.device.
KGEN_EXPORT Array load_npy(const std::string& path, const NpyOptions& options = {});

// Writes the array in C order, or in Fortran order if the array is contiguous only in that order. The write
// is atomic: on failure the old file is unchanged. Throws IoError.
KGEN_EXPORT void save_npy(const std::string& path, const Array& array);

}  // namespace kgen
