// SPDX-License-Identifier: MIT
//
// Reads and writes .npz files, as NumPy's savez and savez_compressed do: zip archives of named .npy files.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <kgen/npy.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

struct NamedArray {
    std::string name;
    Array array;
};

// Returns the names of the arrays in the order of the file. Reads only the archive's directory.
KGEN_EXPORT std::vector<std::string> npz_names(const std::string& path);

// Reads all arrays in the order of the file, or only the array of the given name. Dtypes, byte order and
// Fortran order are handled as by load_npy; arrays in an archive cannot be mapped. Entries may be stored or
// deflated. An array is at most 1032 times as large as its compressed data, which bounds the memory that a
// hostile file can take.
// Throws an IoError that names the file and the entry: not an .npz file, truncated, damaged
// (wrong checksum), entries that overlap or share a name, a name that leads out of its folder, encryption,
// another compression, and all errors of load_npy.
KGEN_EXPORT std::vector<NamedArray> load_npz(const std::string& path,
                                             const NpyOptions& options = {});
KGEN_EXPORT Array load_npz(const std::string& path,
                           std::string_view name,
                           const NpyOptions& options = {});

enum class NpzCompression : std::uint8_t { stored, deflated };

struct NpzOptions {
    NpzCompression compression = NpzCompression::stored;
};

// Writes the arrays in the given order. The write is atomic: on failure the old file is unchanged. Equal
// arrays give equal files; with compression only if the version of zlib is the same. Throws IoError, also for
// a name that is empty or given twice.
KGEN_EXPORT void save_npz(const std::string& path,
                          std::span<const NamedArray> arrays,
                          const NpzOptions& options = {});
inline void save_npz(const std::string& path,
                     std::initializer_list<NamedArray> arrays,
                     const NpzOptions& options = {}) {
    save_npz(path, std::span<const NamedArray>(arrays.begin(), arrays.size()), options);
}

}  // namespace kgen
