// SPDX-License-Identifier: MIT
#include "array/files/npy_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "memory/array_access.hpp"
#include "memory/host_order.hpp"
#include "memory/layout.hpp"
#include "text/advice.hpp"

namespace kgen {

namespace {

std::string read_text(NpySource& source, std::size_t bytes) {
    std::string text(bytes, '\0');
    text.resize(source.read(text.data(), bytes));
    return text;
}

// Converts bytes of a file to their form in memory: little-endian, bool as 0 and 1.
void normalise(unsigned char* bytes, std::size_t size, NpyType type) {
    if (type.dtype == DType::bool_) {
        for (std::size_t k = 0; k < size; ++k) bytes[k] = bytes[k] != 0;
    }
    if (type.order == ByteOrder::little) return;
    const std::size_t number = number_bytes(type.dtype);
    for (std::size_t k = 0; k + number <= size; k += number)
        std::reverse(bytes + k, bytes + k + number);
}

}  // namespace

NpyStart read_npy_start(NpySource& source, const NpyOptions& options) {
    std::string first = read_text(source, npy_shortest_prefix_bytes);
    // Version 1 has a shorter prefix than later versions.
    if (first.size() == npy_shortest_prefix_bytes && first[6] != '\x01') {
        first += read_text(source, npy_longest_prefix_bytes - npy_shortest_prefix_bytes);
    }
    const NpyPrefix prefix = parse_npy_prefix(first);
    const std::string dictionary = read_text(source, prefix.header_bytes);
    if (dictionary.size() != prefix.header_bytes) {
        throw IoError("truncated: it ends within the header");
    }
    NpyStart start;
    start.header = parse_npy_header(dictionary);
    start.type = parse_npy_descr(start.header.descr, options.dtype);
    if (options.dtype && *options.dtype != start.type.dtype) {
        throw IoError(fmt::format("has dtype {}, expected {}; {}",
                                  to_text(start.type.dtype),
                                  to_text(*options.dtype),
                                  advise(Advice::load_as_it_is)));
    }
    try {
        start.promised_bytes =
            static_cast<std::uint64_t>(checked_size_bytes(start.header.shape, start.type.dtype));
    } catch (const ShapeError& error) {
        throw IoError(fmt::format("too large: {}", error.what()));
    }
    start.size_bytes = prefix.size_bytes + prefix.header_bytes;
    start.present_bytes = source.size_bytes() - std::min(source.size_bytes(), start.size_bytes);
    return start;
}

Array read_npy_data(NpySource& source, const NpyStart& start, const NpyOptions& options) {
    const DType dtype = start.type.dtype;
    const Order order = start.header.fortran_order ? Order::f : Order::c;
    const Array array =
        allocate_array(start.header.shape,
                       contiguous_strides(start.header.shape, dtype, order),
                       dtype,
                       current_stream(options.device ? *options.device : current_device()));
    const auto total = static_cast<std::size_t>(start.promised_bytes);
    constexpr std::size_t chunk_bytes = std::size_t{16} << 20;  // a multiple of every item size
    const bool on_host = is_on_host(array);
    require_host_elements(array.device());
    std::vector<unsigned char> buffer(on_host ? 0 : std::min(total, chunk_bytes));
    for (std::size_t at = 0; at < total; at += chunk_bytes) {
        const std::size_t bytes = std::min(chunk_bytes, total - at);
        auto* target = static_cast<unsigned char*>(array.data()) + at;
        unsigned char* chunk = on_host ? target : buffer.data();
        if (source.read(chunk, bytes) != bytes) throw IoError("became shorter while it was read");
        normalise(chunk, bytes, start.type);
        if (on_host) continue;
        array.storage()->backend().copy(target,
                                        chunk,
                                        bytes,
                                        CopyDirection::host_to_device,
                                        current_stream(array.device()).handle());
    }
    return array;
}

NpyImage::NpyImage(const Array& array) {
    const bool is_fortran = !array.is_contiguous(Order::c) && array.is_contiguous(Order::f);
    header = make_npy_header(array.dtype(), is_fortran ? Order::f : Order::c, array.shape());
    elements = is_fortran ? array.transpose() : array;
}

std::uint64_t NpyImage::size_bytes() const noexcept {
    return header.size() + static_cast<std::uint64_t>(elements.size_bytes());
}

void NpyImage::write(const std::function<void(const void*, std::size_t)>& sink) const {
    sink(header.data(), header.size());
    const auto bytes = static_cast<std::size_t>(elements.size_bytes());
    if (is_on_host(elements) && elements.is_contiguous()) {
        sink(elements.data(), bytes);
        return;
    }
    std::vector<std::byte> copied(bytes);
    elements.copy_to_host(copied.data());
    sink(copied.data(), bytes);
}

}  // namespace kgen
