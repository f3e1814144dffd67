// SPDX-License-Identifier: MIT
//
// Reads and writes arrays in the .npy format, which is a file of its own or an entry of an .npz file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <kgen/npy.hpp>

#include "array/files/npy_header.hpp"

namespace kgen {

// A source of .npy bytes, which are read in order.
class NpySource {
public:
    NpySource() = default;
    virtual ~NpySource() = default;
    NpySource(const NpySource&) = delete;
    NpySource& operator=(const NpySource&) = delete;

    // Returns the total number of bytes.
    virtual std::uint64_t size_bytes() const noexcept = 0;
    // Reads the next bytes and returns their number, which is less than `bytes` only at the end.
    virtual std::size_t read(void* buffer, std::size_t bytes) = 0;
};

// The part of an .npy file before the data.
struct NpyStart {
    NpyHeader header;
    NpyType type = {};
    std::uint64_t size_bytes = 0;      // size of this part
    std::uint64_t promised_bytes = 0;  // size of the data according to the header
    std::uint64_t present_bytes = 0;   // size of everything that follows; may be less or more
};

// The functions below throw IoErrors that name neither the path nor the entry; the caller adds them.

// Reads the part before the data. Allocates no more memory than the header's length. Throws IoError if
// options.dtype is given and differs from the header's dtype.
NpyStart read_npy_start(NpySource& source, const NpyOptions& options);
// Reads the data that follow. The caller must first compare promised_bytes with present_bytes.
Array read_npy_data(NpySource& source, const NpyStart& start, const NpyOptions& options);

// The contents of an .npy file: the header, and the elements in C order, or in Fortran order if the array is
// contiguous only in that order.
struct NpyImage {
    explicit NpyImage(const Array& array);
    std::string header;
    Array elements;  // written in C order
    std::uint64_t size_bytes() const noexcept;
    void write(const std::function<void(const void* data, std::size_t bytes)>& sink) const;
};

}  // namespace kgen
