// SPDX-License-Identifier: MIT
#include "benchmarks/case_kernels.hpp"

#include <cmath>

namespace kgen::bench {

double rounding(DType dtype) {
    switch (dtype) {
        case DType::float16:
            return 2e-3;
        case DType::bfloat16:
            return 2e-2;
        case DType::float32:
            return 2e-6;
        case DType::complex64:
            return 5e-6;
        case DType::float64:
        case DType::complex128:
            return 1e-13;
        default:
            return 0;
    }
}

namespace {

// Wraps the reference's result modulo 256 for uint8, as C++ does.
Reference wrapped(DType dtype, Reference reference) {
    if (dtype != DType::uint8) return reference;
    return [reference = std::move(reference)](const Number* x) -> Number {
        const double value = std::fmod(reference(x).real(), 256);
        return value < 0 ? value + 256 : value;
    };
}

}  // namespace

Kernel axpb(DType dtype) {
    return {"T x",
            "T y",
            "y = x * T(2) + T(1)",
            wrapped(dtype, [](const Number* x) { return x[0] * 2.0 + 1.0; }),
            rounding(dtype)};
}

Kernel copy_of(DType) {
    return {"T x", "T y", "y = x", [](const Number* x) { return x[0]; }, 0};
}

Kernel squared_difference(DType dtype) {
    return {"T x, T y",
            "T z",
            "z = (x - y) * (x - y)",
            wrapped(dtype, [](const Number* x) { return (x[0] - x[1]) * (x[0] - x[1]); }),
            rounding(dtype)};
}

Kernel sum(DType dtype) {
    return {"T x, T y",
            "T z",
            "z = x + y",
            wrapped(dtype, [](const Number* x) { return x[0] + x[1]; }),
            rounding(dtype)};
}

Kernel product(DType dtype) {
    return {"T x, T y",
            "T z",
            "z = x * y",
            wrapped(dtype, [](const Number* x) { return x[0] * x[1]; }),
            rounding(dtype)};
}

}  // namespace kgen::bench
