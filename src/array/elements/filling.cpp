// SPDX-License-Identifier: MIT
#include "array/elements/filling.hpp"

#include <fmt/format.h>

#include <cstring>

#include "array/elements/host_elements.hpp"
#include "array/kernels/device_operations.hpp"
#include "memory/array_access.hpp"
#include "memory/host_order.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

Scalar scalar_of(const Item& item, DType dtype) {
    return visit_dtype(dtype, [&]<typename T>() {
        T value;
        std::memcpy(&value, item.data(), sizeof(T));
        return Scalar(value);
    });
}

}  // namespace

Item item_of(const Scalar& value, DType dtype, const char* operation) {
    alignas(16) Item item{};
    const std::string problem = convert_scalar(value, dtype, item.data());
    if (!problem.empty())
        refuse<TypeError>({ErrorKind::value, {}, std::string(to_text(dtype)), to_text(value)},
                          "{}: {}",
                          operation,
                          problem);
    return item;
}

void fill_elements(const Array& array, const Item& item) {
    if (array.size() == 0) return;
    if (is_on_host(array)) {
        run_on_host([array, item] {
            alignas(16) const Item aligned = item;
            fill_on_host(array, aligned.data());
        });
    } else {
        fill_on_device(array, scalar_of(item, array.dtype()));
    }
}

void fill_with_zeros(const Array& array) {
    if (array.size() == 0) return;
    array.storage()->backend().fill_bytes(array.data(),
                                          0,
                                          static_cast<std::size_t>(array.size_bytes()),
                                          current_stream(array.device()).handle());
}

}  // namespace kgen
