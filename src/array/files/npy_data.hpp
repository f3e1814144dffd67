// SPDX-License-Identifier: MIT
//
// .npy bytes from wherever they come, and to wherever they go: a file of their own, or an entry of an .npz file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <kgen/npy.hpp>

#include "array/files/npy_header.hpp"

namespace kgen {

// Where .npy bytes are read from, in order.
class NpySource {
public:
    NpySource() = default;
    virtual ~NpySource() = default;
    NpySource(const NpySource&) = delete;
    NpySource& operator=(const NpySource&) = delete;

    // How many bytes there are in all.
    virtual std::uint64_t size_bytes() const noexcept = 0;
    // Returns how many bytes were read: fewer than asked for at the end alone.
    virtual std::size_t read(void* buffer, std::size_t bytes) = 0;
};

// What stands before the data.
struct NpyStart {
    NpyHeader header;
    NpyType type = {};
    std::uint64_t size_bytes = 0;      // of itself
    std::uint64_t promised_bytes = 0;  // of data
    std::uint64_t present_bytes = 0;   // all that follows in the source; may be fewer, or more
};

// All throw IoError that names neither path nor entry.
// Allocates no more than the header's own length. Throws if options.dtype is another than the header's.
NpyStart read_npy_start(NpySource& source, const NpyOptions& options);
// Reads the data that follow. The caller has compared promised_bytes with present_bytes.
Array read_npy_data(NpySource& source, const NpyStart& start, const NpyOptions& options);

// The header and the elements in the order in which they are stored: C order, or Fortran order if only that is contiguous.
struct NpyImage {
    explicit NpyImage(const Array& array);
    std::string header;
    Array elements;  // to be written in C order
    std::uint64_t size_bytes() const noexcept;
    void write(const std::function<void(const void* data, std::size_t bytes)>& sink) const;
};

}  // namespace kgen
