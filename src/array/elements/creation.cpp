// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>

#include "array/elements/filling.hpp"
#include "array/kernels/device_operations.hpp"
#include "dtype/conversion.hpp"
#include "memory/array_access.hpp"
#include "memory/host_order.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

Device device_of(const ArrayOptions& options) {
    return options.device ? *options.device : current_device();
}

// start and step, and their exact integer forms, which are used for integer dtypes.
struct Progression {
    double start = 0;
    double step = 1;
    std::int64_t integer_start = 0;
    std::int64_t integer_step = 1;
};

Array make_arange(std::int64_t count,
                  const Progression& values,
                  DType dtype,
                  const ArrayOptions& options) {
    const Array result = empty({count}, dtype, options);
    if (count == 0) return result;
    if (!is_on_host(result)) {
        arange_on_device(
            result, values.start, values.step, values.integer_start, values.integer_step);
        return result;
    }
    run_on_host([=] {
        visit_dtype(dtype, [&]<typename T>() {
            T* elements = static_cast<T*>(result.data());
            for (std::int64_t k = 0; k < count; ++k) {
                if constexpr (std::is_integral_v<T>) {
                    elements[k] = static_cast<T>(values.integer_start + k * values.integer_step);
                } else {
                    elements[k] =
                        convert_value<T>(values.start + static_cast<double>(k) * values.step);
                }
            }
        });
    });
    return result;
}

std::int64_t exact_integer(double value, const char* name, DType dtype) {
    if (value != std::trunc(value) || std::abs(value) >= 0x1p63) {
        refuse<TypeError>(
            {ErrorKind::value, name, std::string(to_text(dtype)), fmt::format("{}", value)},
            "arange: {} is {}, but {} needs 64-bit integers",
            name,
            value,
            to_text(dtype));
    }
    return static_cast<std::int64_t>(value);
}

}  // namespace

Array empty(const Dims& shape, DType dtype, const ArrayOptions& options) try {
    checked_size_bytes(shape, dtype);  // throws before the device does
    return allocate_array(
        shape, contiguous_strides(shape, dtype), dtype, current_stream(device_of(options)));
} catch (...) {
    rethrow_as_error();
}

Array zeros(const Dims& shape, DType dtype, const ArrayOptions& options) try {
    const Array result = empty(shape, dtype, options);
    fill_with_zeros(result);
    return result;
} catch (...) {
    rethrow_as_error();
}

Array full(const Dims& shape, const Scalar& value, DType dtype, const ArrayOptions& options) try {
    const Item item = item_of(value, dtype, "full");
    const Array result = empty(shape, dtype, options);
    fill_elements(result, item);
    return result;
} catch (...) {
    rethrow_as_error();
}

Array arange(std::int64_t count, DType dtype, const ArrayOptions& options) try {
    if (count < 0)
        refuse<ShapeError>({ErrorKind::option, "count", "0 or more", std::to_string(count)},
                           "arange: the count is negative: {}",
                           count);
    if (count > 0) item_of(Scalar(count - 1), dtype, "arange");
    return make_arange(count, {}, dtype, options);
} catch (...) {
    rethrow_as_error();
}

Array arange(double start, double stop, double step, DType dtype, const ArrayOptions& options) try {
    if (step == 0)
        refuse<ShapeError>({ErrorKind::option, "step", "not 0", "0"}, "arange: the step is 0");
    const double length = std::ceil((stop - start) / step);
    if (!std::isfinite(start) || !std::isfinite(step) || !(length < 0x1p63)) {
        refuse<ShapeError>(
            {ErrorKind::value, {}, {}, fmt::format("{} to {} by {}", start, stop, step)},
            "arange: {} to {} by {} has more elements than fit in 64 bits",
            start,
            stop,
            step);
    }
    const auto count = length > 0 ? static_cast<std::int64_t>(length) : std::int64_t{0};
    Progression values{start, step};
    if (holds_integers(dtype)) {
        values.integer_start = exact_integer(start, "start", dtype);
        values.integer_step = exact_integer(step, "step", dtype);
    }
    if (count > 0 && holds_integers(dtype)) {
        std::int64_t last = 0;
        if (__builtin_mul_overflow(count - 1, values.integer_step, &last) ||
            __builtin_add_overflow(last, values.integer_start, &last)) {
            refuse<TypeError>(
                {ErrorKind::value, {}, "int64", fmt::format("{} to {} by {}", start, stop, step)},
                "arange: {} to {} by {} exceeds the range of int64",
                start,
                stop,
                step);
        }
        item_of(Scalar(values.integer_start), dtype, "arange");
        item_of(Scalar(last), dtype, "arange");
    } else if (count > 0) {
        item_of(Scalar(start), dtype, "arange");
        item_of(Scalar(start + static_cast<double>(count - 1) * step), dtype, "arange");
    }
    return make_arange(count, values, dtype, options);
} catch (...) {
    rethrow_as_error();
}

Array from_host(const void* elements,
                DType dtype,
                const Dims& shape,
                const ArrayOptions& options) try {
    const std::int64_t bytes = checked_size_bytes(shape, dtype);
    if (elements == nullptr && bytes > 0) {
        refuse<ShapeError>({ErrorKind::value, {}, "an address", "null"},
                           "from_host: shape {} needs {} bytes, but the address is null",
                           to_text(shape),
                           bytes);
    }
    const Array result = empty(shape, dtype, options);
    if (bytes > 0) {
        result.storage()->backend().copy(result.data(),
                                         elements,
                                         static_cast<std::size_t>(bytes),
                                         CopyDirection::host_to_device,
                                         current_stream(result.device()).handle());
    }
    return result;
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
