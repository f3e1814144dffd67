// SPDX-License-Identifier: MIT
//
// Indexing with arrays, named as in NumPy. Indices are integers; negative ones count from the end, and indices out of
// range wrap around, as in CuPy. The work runs on the current stream of the array's device.
//
//     Array rows = x[indices];   // take(x, indices, axis(0))
//     x[indices] = values;       // put(x, indices, values, axis(0))
//     x[x < 0] = 0;              // one kernel
#pragma once

#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/call_options.hpp>
#include <kgen/export.hpp>
#include <kgen/expression.hpp>
#include <kgen/scalar.hpp>
#include <optional>
#include <span>
#include <utility>
#include <variant>

namespace kgen {

// Returns the elements at these C-order indices, or with axis(k) those along one axis. The result has the shape of the
// indices, in place of that axis. Throws TypeError if the indices are not integers, ShapeError if the axis does not
// exist, more than one is given, or an array without elements is indexed.
KGEN_EXPORT Array take(const Array& array, const Array& indices);
KGEN_EXPORT Array take(const Array& array, const Array& indices, const AxesArgument& axis);

// Writes the values to the elements at these C-order indices, or with axis(k) along one axis. The values broadcast to
// the shape that take() returns, and are converted as Array::assign does. If an index is repeated, one of its values
// is kept. Throws as take() does, and ShapeError if the array is read-only.
KGEN_EXPORT void put(const Array& array, const Array& indices, const Array& values);
KGEN_EXPORT void put(const Array& array, const Array& indices, const Scalar& value);
KGEN_EXPORT void put(const Array& array,
                     const Array& indices,
                     const Array& values,
                     const AxesArgument& axis);

// Returns choices[k] where the index is k, as a part of an expression. Indices out of range select the first or the
// last choice, as with NumPy's mode="clip". Throws ShapeError if there are no choices.
[[nodiscard]] KGEN_EXPORT Expression choose(const Array& index, std::span<const Array> choices);
[[nodiscard]] inline Expression choose(const Array& index, std::initializer_list<Array> choices) {
    return choose(index, std::span<const Array>(choices.begin(), choices.size()));
}

// What x[indices] and x[mask] return: the elements that an array or an expression selects. It is used within its
// statement.
class KGEN_EXPORT SelectedArray {
public:
    SelectedArray(const SelectedArray&) = delete;
    SelectedArray& operator=(const SelectedArray&) = delete;

    // Returns the elements along axis 0. Throws TypeError for a mask, because the number of elements is not known
    // before they are counted.
    operator Array() && { return taken(); }  // NOLINT: like any view
    const Array& taken() const;

    // Write elements: x[indices] = values along axis 0, or x[mask] = number where the mask is true. A mask of fewer
    // axes than x selects along the leading ones. Throw TypeError for x[mask] = array, ShapeError if the mask does not
    // broadcast to these axes.
    void operator=(const Array& values) &&;
    void operator=(const Scalar& value) &&;
    void operator=(Expression&& values) && { std::move(*this) = std::move(values).compute(); }
    // Writes function(selected elements, operand), for operators such as +=.
    void update(detail::Function function, const detail::OperandView& operand) &&;

private:
    friend class Array;
    SelectedArray(Array array, std::variant<Array, Expression>&& index)
        : array_(std::move(array)), index_(std::move(index)) {}
    // Returns nothing if the index is no mask.
    std::optional<Dims> mask_shape() const;
    // Returns the array with the axes that the mask does not have in front, so that the mask broadcasts to the others.
    Array masked_view(const Dims& mask) const;
    const Array& indices() const;

    Array array_;
    mutable std::variant<Array, Expression> index_;
    mutable std::optional<Array> taken_;
};

inline SelectedArray Array::operator[](const Array& index) const {
    return {*this, index};
}
inline SelectedArray Array::operator[](Expression&& index) const {
    return {*this, std::move(index)};
}

}  // namespace kgen

template <>
struct fmt::formatter<kgen::SelectedArray> : fmt::formatter<kgen::Array> {
    template <typename Context>
    auto format(const kgen::SelectedArray& selected, Context& context) const {
        return fmt::formatter<kgen::Array>::format(selected.taken(), context);
    }
};
