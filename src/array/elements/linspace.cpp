// SPDX-License-Identifier: MIT
//
// Evenly spaced numbers between two ends.
#include <cmath>
#include <cstring>
#include <kgen/array_creation.hpp>
#include <type_traits>

#include "array/elements/filling.hpp"
#include "array/kernels/device_operations.hpp"
#include "dtype/conversion.hpp"
#include "memory/host_order.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The product is rounded before the sum, as in NumPy. src/CMakeLists.txt forbids the compiler to fuse them.
struct Spacing {
    double start;
    double stop;
    double intervals;  // 0: `start` alone
    // 0 if it is too small for a float64, or if start == stop.
    double step;
    bool has_stop;  // the last element is `stop` exactly

    double at(std::int64_t k, std::int64_t count) const {
        if (has_stop && k == count - 1 && count > 1) return stop;
        if (intervals == 0) return start;
        const auto position = static_cast<double>(k);
        return (step == 0 ? position / intervals * (stop - start) : position * step) + start;
    }
};

Spacing make_spacing(double start, double stop, std::int64_t count, bool endpoint) {
    const auto intervals = static_cast<double>(endpoint ? count - 1 : count);
    const double step = intervals > 0 ? (stop - start) / intervals : 0;
    return {start, stop, intervals, step, endpoint};
}

bool is_rounded_down(DType dtype) {
    const DTypeKind kind = kind_of(dtype);
    return kind == DTypeKind::signed_integer || kind == DTypeKind::unsigned_integer;
}

template <typename T>
T rounded(double value) {
    return convert_value<T>(std::is_integral_v<T> && !std::is_same_v<T, bool> ? std::floor(value)
                                                                              : value);
}

Array make_on_host(const Spacing& spacing, std::int64_t count, DType dtype) {
    const Array result = empty({count}, dtype, {.device = Device::host()});
    run_on_host([=] {
        visit_dtype(dtype, [&]<typename T>() {
            T* elements = static_cast<T*>(result.data());
            for (std::int64_t k = 0; k < count; ++k) elements[k] = rounded<T>(spacing.at(k, count));
        });
    });
    return result;
}

// Uses the kernel of arange(), and writes the last element separately.
Array make_on_cuda(const Spacing& spacing, std::int64_t count, DType dtype, Device device) {
    const Array result = empty({count}, dtype, {.device = device});
    arange_on_device(result, spacing.start, spacing.step, 0, 0);
    if (spacing.has_stop && count > 1) {
        const Array last = result.slice({{.start = count - 1, .stop = {}}});
        fill_elements(last, item_of(spacing.stop, dtype, "linspace"));
    }
    return result;
}

void check_end(double value, DType dtype) {
    if (dtype == bool_) return;
    item_of(is_rounded_down(dtype) ? std::floor(value) : value, dtype, "linspace");
}

}  // namespace

Array linspace(double start,
               double stop,
               std::int64_t count,
               DType dtype,
               const LinspaceOptions& options) try {
    if (count < 0)
        refuse<ShapeError>({ErrorKind::option, "count", "0 or more", std::to_string(count)},
                           "linspace: the count is negative: {}",
                           count);
    const Device device = options.device ? *options.device : current_device();
    if (count > 0) {
        check_end(start, dtype);
        check_end(stop, dtype);
    }
    const Spacing spacing = make_spacing(start, stop, count, options.endpoint);
    // Integers must be rounded down, which the kernel of arange() does not do. They are computed on the host
    // and copied, and so are bool and the rare spacings with a step of 0.
    const bool by_kernel = !is_rounded_down(dtype) && dtype != bool_ && spacing.step != 0;
    if (traits(device).uses_host_memory || count == 0 || !by_kernel) {
        return make_on_host(spacing, count, dtype).to(device);
    }
    return make_on_cuda(spacing, count, dtype, device);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
