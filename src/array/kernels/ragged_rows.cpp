// SPDX-License-Identifier: MIT
#include "array/kernels/ragged_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace kgen {

namespace {

constexpr std::int64_t vector_bytes = 16;
constexpr std::int64_t least_vectors = 64;  // per row

std::int64_t bytes_into_vector(const Array& array) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.data()) % vector_bytes);
}

// Whether the rows are dense and begin at the same offset within a vector as those of the first array.
bool has_rows_like(const Array& first, const Array& array) {
    const auto item = static_cast<std::int64_t>(item_size(array.dtype()));
    const int inner = array.rank() - 1;
    if (array.strides()[inner] != item) return false;
    for (int axis = 0; axis < inner; ++axis) {
        if (array.shape()[axis] > 1 && array.strides()[axis] % vector_bytes != 0) return false;
    }
    return bytes_into_vector(array) == bytes_into_vector(first);
}

// Returns the range of each row that consists of whole vectors. Nothing if it is best to write the arrays at
// once.
std::optional<Range> whole_vectors(const std::vector<Array>& arrays, std::int64_t least_bytes) {
    const Array& first = arrays.front();
    if (first.rank() < 2 || first.size_bytes() < least_bytes) return {};
    const auto item = static_cast<std::int64_t>(item_size(first.dtype()));
    const std::int64_t extent = first.shape()[first.rank() - 1];
    const std::int64_t before = bytes_into_vector(first);
    if (before % item != 0) return {};
    const std::int64_t head = before == 0 ? 0 : (vector_bytes - before) / item;
    const std::int64_t vectors = (extent - head) * item / vector_bytes;
    const std::int64_t end = head + vectors * vector_bytes / item;
    if (vectors < least_vectors || (head == 0 && end == extent)) return {};
    const bool alike = std::all_of(arrays.begin(), arrays.end(), [&](const Array& array) {
        return has_rows_like(first, array);
    });
    if (!alike) return {};
    return Range{.start = head, .stop = end};
}

}  // namespace

void write_in_vectors(const std::vector<Array>& arrays,
                      const std::function<void(std::span<const Array>)>& write,
                      std::int64_t least_bytes) {
    const std::optional<Range> middle = whole_vectors(arrays, least_bytes);
    if (!middle) return write(arrays);
    for (const Range& part :
         {*middle, Range{.start = 0, .stop = middle->start}, Range{.start = middle->stop}}) {
        std::vector<Array> parts;
        for (const Array& array : arrays) parts.push_back(array[{indexing::ellipsis, part}]);
        if (parts.front().size() > 0) write(parts);
    }
}

}  // namespace kgen
