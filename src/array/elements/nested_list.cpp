// SPDX-License-Identifier: MIT
//
// Creates arrays from nested lists.
#include <fmt/format.h>

#include <cstring>
#include <kgen/array_creation.hpp>
#include <string>

#include "array/elements/filling.hpp"

namespace kgen::detail {

namespace {

// Returns "[1][0]" for a position in the lists.
std::string place_text(const Dims& path, int depth) {
    std::string text;
    for (int k = 0; k < depth; ++k) text += fmt::format("[{}]", path[k]);
    return text;
}

}  // namespace

void NestedList::enter(int depth, std::int64_t length) {
    path_[depth] = 0;
    if (depth == shape_.rank()) {
        shape_.push_back(length);
    } else if (shape_[depth] != length) {
        throw ShapeError(
            fmt::format("array: the nested lists differ in length: the list at {} has {} elements, "
                        "but the list at {} has {}",
                        place_text(path_, depth),
                        length,
                        place_text(Dims::filled(depth, 0), depth),
                        shape_[depth]));
    }
}

Array NestedList::make_array(DType dtype, const ArrayOptions& options) const {
    const std::size_t item_bytes = item_size(dtype);
    std::vector<std::byte> bytes(values_.size() * item_bytes);
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Item item = item_of(values_[k], dtype, "array");
        std::memcpy(bytes.data() + k * item_bytes, item.data(), item_bytes);
    }
    return from_host(bytes.data(), dtype, shape_, options);
}

}  // namespace kgen::detail
