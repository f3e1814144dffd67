// SPDX-License-Identifier: MIT
//
// Creates arrays of nested lists.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <kgen/array_creation.hpp>
#include <string>
#include <vector>

#include "array/elements/filling.hpp"
#include "dtype/conversion.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Returns "[1][0]" for a position in the lists.
std::string place_text(const Dims& path, int depth) {
    std::string text;
    for (int k = 0; k < depth; ++k) text += fmt::format("[{}]", path[k]);
    return text;
}

// The first item at each depth stands at (0, ..., 0).
[[noreturn]] void refuse_depth(const Dims& path, int depth, const char* first, const char* other) {
    refuse<ShapeError>({ErrorKind::shape, {}, first, other},
                       "array: the nested lists differ in depth: {} is {}, but {} is {}",
                       place_text(Dims::filled(depth, 0), depth),
                       first,
                       place_text(path, depth),
                       other);
}

void read_items(const detail::NestedList& list,
                int depth,
                detail::ListShape& shape,
                std::vector<Scalar>& numbers) {
    if (list.is_number()) {
        shape.add_number(depth);
        numbers.push_back(list.number());
        return;
    }
    shape.begin_list(depth, list.items().size());
    for (const detail::NestedList& item : list.items()) {
        read_items(item, depth + 1, shape, numbers);
        shape.next_item(depth);
    }
}

DType dtype_of_numbers(const std::vector<Scalar>& numbers) {
    if (numbers.empty()) return float64;
    const DType first = numbers.front().dtype();
    const auto has_first = [first](const Scalar& number) { return number.dtype() == first; };
    if (first != int32 && std::ranges::all_of(numbers, has_first)) return first;
    DType dtype = int64;
    for (const Scalar& number : numbers) {
        if (kind_of(number.dtype()) == DTypeKind::complex) return complex128;
        if (!holds_integers(number.dtype())) dtype = float64;
    }
    return dtype;
}

}  // namespace

void detail::ListShape::begin_list(int depth, std::size_t length) {
    const auto extent = static_cast<std::int64_t>(length);
    if (depth == shape_.rank()) {
        if (has_numbers_) refuse_depth(path_, depth, "a number", "a list");
        shape_.push_back(extent);
    } else if (shape_[depth] != extent) {
        refuse<ShapeError>(
            {ErrorKind::shape, {}, std::to_string(shape_[depth]), std::to_string(extent)},
            "array: the nested lists differ in length: the list at {} has {} elements, but the "
            "list at {} has {}",
            place_text(path_, depth),
            extent,
            place_text(Dims::filled(depth, 0), depth),
            shape_[depth]);
    }
    path_[depth] = 0;
}

void detail::ListShape::add_number(int depth) {
    if (depth < shape_.rank()) refuse_depth(path_, depth, "a list", "a number");
    has_numbers_ = true;
}

Array array(const detail::NestedList& list,
            std::optional<DType> given,
            const ArrayOptions& options) try {
    std::vector<Scalar> numbers;
    detail::ListShape shape;
    read_items(list, 0, shape, numbers);
    const DType dtype = given.value_or(dtype_of_numbers(numbers));
    const std::size_t item_bytes = item_size(dtype);
    std::vector<std::byte> bytes(numbers.size() * item_bytes);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const Item item = item_of(numbers[k], dtype, "array");
        std::memcpy(bytes.data() + k * item_bytes, item.data(), item_bytes);
    }
    return from_host(bytes.data(), dtype, shape.shape(), options);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
