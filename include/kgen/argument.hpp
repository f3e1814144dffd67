// SPDX-License-Identifier: MIT
//
// Argument: one argument of a kernel call. ArraySpec: an array described without memory.
#pragma once

#include <kgen/array.hpp>
#include <kgen/scalar.hpp>
#include <kgen/texture.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace kgen {

// Describes an array without memory, for explain(). The strides are in bytes, C order if not given.
// The memory is assumed to be aligned and to overlap no other array.
struct ArraySpec {
    DType dtype = DType::float32;
    Dims shape = {};
    std::optional<Dims> strides = {};
};

// One argument of a kernel call. A number is converted to its parameter's dtype (see convert_scalar).
class Argument {
public:
    Argument(Array array) : value_(std::move(array)) {}     // NOLINT: implicit on purpose
    Argument(ArraySpec spec) : value_(std::move(spec)) {}   // NOLINT
    Argument(Scalar scalar) : value_(std::move(scalar)) {}  // NOLINT
    Argument(Expression&& expression);                      // NOLINT: computed; see expression.hpp
    template <ScalarType T>
    Argument(T value) : value_(Scalar(value)) {}  // NOLINT
    // Passes a texture or surface to the kernel as its CUDA handle. The Argument keeps the image alive.
    Argument(const Texture& texture)  // NOLINT
        : value_(Scalar(texture.handle())), image_(texture.memory()) {}
    Argument(const Surface& surface)  // NOLINT
        : value_(Scalar(surface.handle())), image_(surface.memory()) {}

    const Array* array() const noexcept { return std::get_if<Array>(&value_); }
    const ArraySpec* spec() const noexcept { return std::get_if<ArraySpec>(&value_); }
    const Scalar* scalar() const noexcept { return std::get_if<Scalar>(&value_); }

    // Returns the image of a texture or surface; empty for other arguments.
    const std::shared_ptr<TextureMemory>& image() const noexcept { return image_; }

private:
    std::variant<Array, ArraySpec, Scalar> value_;
    std::shared_ptr<TextureMemory> image_;
};

}  // namespace kgen
