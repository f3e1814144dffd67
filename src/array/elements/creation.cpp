// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

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

std::int64_t exact_integer(const Scalar& number, const char* name, DType dtype) {
    std::int64_t value = 0;
    if (!convert_scalar(number, int64, &value).empty()) {
        refuse<TypeError>({ErrorKind::value, name, std::string(to_text(dtype)), to_text(number)},
                          "arange: {} is {}, but {} needs 64-bit integers",
                          name,
                          number,
                          dtype);
    }
    return value;
}

double real_number(const Scalar& number, const char* name) {
    double value = 0;
    if (!convert_scalar(number, float64, &value).empty()) {
        refuse<TypeError>({ErrorKind::value, name, "a real number", to_text(number)},
                          "arange: {} is {}, but a real number is expected",
                          name,
                          number);
    }
    return value;
}

[[noreturn]] void refuse_length(const Progression& values, double stop) {
    const std::string numbers = fmt::format("{} to {} by {}", values.start, stop, values.step);
    refuse<ShapeError>({ErrorKind::value, {}, {}, numbers},
                       "arange: {} has more elements than fit in 64 bits",
                       numbers);
}

// Returns the number of elements. Differences of integers are exact without a sign.
std::int64_t exact_length(const Progression& values, std::int64_t stop) {
    const bool is_up = values.integer_step > 0;
    if (is_up ? values.integer_start >= stop : values.integer_start <= stop) return 0;
    const auto start = static_cast<std::uint64_t>(values.integer_start);
    const auto end = static_cast<std::uint64_t>(stop);
    const auto step = static_cast<std::uint64_t>(values.integer_step);
    const std::uint64_t steps = is_up ? (end - start - 1) / step : (start - end - 1) / (0 - step);
    if (steps >= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        refuse_length(values, static_cast<double>(stop));
    return static_cast<std::int64_t>(steps) + 1;
}

std::int64_t real_length(const Progression& values, double stop) {
    const double length = std::ceil((stop - values.start) / values.step);
    if (!std::isfinite(values.start) || !std::isfinite(values.step) || !(length < 0x1p63))
        refuse_length(values, stop);
    return length > 0 ? static_cast<std::int64_t>(length) : 0;
}

// Throws TypeError if the dtype cannot hold the first or the last element.
void check_ends(const Progression& values, std::int64_t count, double stop, DType dtype) {
    if (!holds_integers(dtype)) {
        item_of(Scalar(values.start), dtype, "arange");
        item_of(
            Scalar(values.start + static_cast<double>(count - 1) * values.step), dtype, "arange");
        return;
    }
    std::int64_t last = 0;
    if (__builtin_mul_overflow(count - 1, values.integer_step, &last) ||
        __builtin_add_overflow(last, values.integer_start, &last)) {
        const std::string numbers = fmt::format("{} to {} by {}", values.start, stop, values.step);
        refuse<TypeError>({ErrorKind::value, {}, "int64", numbers},
                          "arange: {} exceeds the range of int64",
                          numbers);
    }
    item_of(Scalar(values.integer_start), dtype, "arange");
    item_of(Scalar(last), dtype, "arange");
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

Array full(const Dims& shape,
           const Scalar& value,
           std::optional<DType> dtype,
           const ArrayOptions& options) try {
    const DType own = value.dtype() == int32 ? int64 : value.dtype();
    const DType chosen = dtype.value_or(own);
    const Item item = item_of(value, chosen, "full");
    const Array result = empty(shape, chosen, options);
    fill_elements(result, item);
    return result;
} catch (...) {
    rethrow_as_error();
}

Array arange(const Scalar& stop, std::optional<DType> dtype, const ArrayOptions& options) try {
    if (kind_of(stop.dtype()) == DTypeKind::signed_integer && stop.signed_value() < 0)
        refuse<ShapeError>({ErrorKind::option, "count", "0 or more", to_text(stop)},
                           "arange: the count is negative: {}",
                           stop);
    return arange(0, stop, 1, dtype, options);
} catch (...) {
    rethrow_as_error();
}

Array arange(const Scalar& start,
             const Scalar& stop,
             std::optional<DType> dtype,
             const ArrayOptions& options) try {
    return arange(start, stop, 1, dtype, options);
} catch (...) {
    rethrow_as_error();
}

Array arange(const Scalar& start,
             const Scalar& stop,
             const Scalar& step,
             std::optional<DType> given,
             const ArrayOptions& options) try {
    Progression values{real_number(start, "start"), real_number(step, "step")};
    const double end = real_number(stop, "stop");
    if (values.step == 0)
        refuse<ShapeError>({ErrorKind::option, "step", "not 0", "0"}, "arange: the step is 0");
    const bool integers = holds_integers(start.dtype()) && holds_integers(stop.dtype()) &&
                          holds_integers(step.dtype());
    const DType dtype = given.value_or(integers ? int64 : float64);
    if (integers || holds_integers(dtype)) {
        values.integer_start = exact_integer(start, "start", dtype);
        values.integer_step = exact_integer(step, "step", dtype);
    }
    const std::int64_t count = integers ? exact_length(values, exact_integer(stop, "stop", dtype))
                                        : real_length(values, end);
    if (count > 0) check_ends(values, count, end, dtype);
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
