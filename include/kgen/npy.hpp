// SPDX-License-Identifier: MIT
//
// .npy files, format versions 1.0 to 3.0, as NumPy reads and writes them.
#pragma once

#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <optional>
#include <string>

namespace kgen {

// How the elements come into memory.
enum class NpyAccess : std::uint8_t {
    // They are read: the array is the caller's own.
    read,
    // The file is mapped: the array is read-only, on the host, and nothing is copied; pages are read when they are first
    // used, and all processes share them. Who replaces the file (as save_npy does) leaves the array as it is. Who overwrites
    // it in place changes the elements, and who makes it shorter ends this process (SIGBUS) where it reads beyond the end.
    mapped,
};

struct NpyOptions {
    std::optional<Device> device = {};  // current_device() unless named; of a mapped file the host
    std::optional<DType> dtype = {};    // which the file must hold
    NpyAccess access = NpyAccess::read;
};

// Reads an array of any dtype of kgen; bfloat16 is stored as '<V2' with no name of its own and is
// read only where `dtype` says so. Byte order is converted. Fortran order is kept by strides.
// Throws IoError: no such file, not an .npy file, truncated, too large, object or unknown dtype; or, for
// NpyAccess::mapped, elements that are not in memory's own form: big-endian, misaligned, a bool that is neither 0 nor 1.
KGEN_EXPORT Array load_npy(const std::string& path, const NpyOptions& options = {});

// Writes in C order (Fortran order if only that is contiguous), atomically: the file is whole or
// the old one. Throws IoError.
KGEN_EXPORT void save_npy(const std::string& path, const Array& array);

}  // namespace kgen
