// SPDX-License-Identifier: MIT
//
// .npz files: named arrays, each an .npy file in a zip archive, as NumPy's savez and savez_compressed write them.
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

// The names of the arrays in the order of the file. Reads the archive's directory alone.
KGEN_EXPORT std::vector<std::string> npz_names(const std::string& path);

// Reads all arrays, in the order of the file; or the one of that name, and nothing of the others. Dtypes, byte order and
// Fortran order are as load_npy has them; arrays in an archive cannot be mapped. Entries may be stored or deflated; an array
// is at most 1032 times as large as what it is inflated from, so that a file is no bomb beyond that.
// Throws IoError that names the file and the entry: not an .npz file, truncated, damaged (the checksum differs), entries
// that overlap or share a name, a name that leads out of a folder, encryption, another compression, and all that load_npy
// throws.
KGEN_EXPORT std::vector<NamedArray> load_npz(const std::string& path,
                                             const NpyOptions& options = {});
KGEN_EXPORT Array load_npz(const std::string& path,
                           std::string_view name,
                           const NpyOptions& options = {});

enum class NpzCompression : std::uint8_t { stored, deflated };

struct NpzOptions {
    NpzCompression compression = NpzCompression::stored;
};

// Writes the arrays in their order, atomically: the file is whole or the old one. The same arrays give the same bytes (with
// the same zlib, where they are deflated). Throws IoError, also for a name that is empty or given twice.
KGEN_EXPORT void save_npz(const std::string& path,
                          std::span<const NamedArray> arrays,
                          const NpzOptions& options = {});
inline void save_npz(const std::string& path,
                     std::initializer_list<NamedArray> arrays,
                     const NpzOptions& options = {}) {
    save_npz(path, std::span<const NamedArray>(arrays.begin(), arrays.size()), options);
}

}  // namespace kgen
