// SPDX-License-Identifier: MIT
//
// What a kernel is called with: arrays, numbers, and (where nothing runs) descriptions of arrays.
#pragma once

#include <kgen/array.hpp>
#include <kgen/scalar.hpp>
#include <kgen/texture.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace kgen {

// An array that is only described, for source() and explain(): dtype, shape, and strides in bytes
// (C order unless given). Its memory is taken to be aligned and apart from all others.
struct ArraySpec {
    DType dtype = DType::float32;
    Dims shape = {};
    std::optional<Dims> strides = {};
};

// One argument of a kernel. Numbers are weak: they take the parameter's dtype (see convert_scalar).
class Argument {
public:
    Argument(Array array) : value_(std::move(array)) {}     // NOLINT: arguments are written bare
    Argument(ArraySpec spec) : value_(std::move(spec)) {}   // NOLINT
    Argument(Scalar scalar) : value_(std::move(scalar)) {}  // NOLINT
    template <ScalarType T>
    Argument(T value) : value_(Scalar(value)) {}  // NOLINT
    // A texture or surface is the number that CUDA knows it by; the image lives as long as this.
    Argument(const Texture& texture)  // NOLINT
        : value_(Scalar(texture.handle())), image_(texture.memory()) {}
    Argument(const Surface& surface)  // NOLINT
        : value_(Scalar(surface.handle())), image_(surface.memory()) {}

    const Array* array() const noexcept { return std::get_if<Array>(&value_); }
    const ArraySpec* spec() const noexcept { return std::get_if<ArraySpec>(&value_); }
    const Scalar* scalar() const noexcept { return std::get_if<Scalar>(&value_); }

    // The image that the number stands for; empty if this is no texture or surface.
    const std::shared_ptr<TextureMemory>& image() const noexcept { return image_; }

private:
    std::variant<Array, ArraySpec, Scalar> value_;
    std::shared_ptr<TextureMemory> image_;
};

}  // namespace kgen
