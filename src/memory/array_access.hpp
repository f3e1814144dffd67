// SPDX-License-Identifier: MIT
//
// ArrayAccess: makes Arrays from their parts, for use inside kgen. It checks nothing. The caller passes a
// shape and strides that have been checked, for example by the functions in layout.hpp.
#pragma once

#include <kgen/array.hpp>
#include <memory>
#include <utility>

#include "device/device_traits.hpp"
#include "memory/storage.hpp"

namespace kgen {

inline bool is_on_host(const Array& array) noexcept {
    return traits(array.device()).uses_host_memory;
}

class ArrayAccess {
public:
    // Makes an array. `data` is the address of element (0, ..., 0), which may be anywhere in the storage.
    static Array make(std::shared_ptr<Storage> storage,
                      DType dtype,
                      const Dims& shape,
                      const Dims& strides,
                      void* data,
                      Mutability mutability = Mutability::writable) {
        Array array;
        array.storage_ = std::move(storage);
        array.data_ = static_cast<std::byte*>(data);
        array.dtype_ = dtype;
        array.mutability_ = mutability;
        array.shape_ = shape;
        array.strides_ = strides;
        return array;
    }

    // Makes another view of the same storage, with the same dtype and mutability.
    static Array view_of(const Array& array, const Dims& shape, const Dims& strides, void* data) {
        return make(array.storage_, array.dtype_, shape, strides, data, array.mutability_);
    }
};

}  // namespace kgen
