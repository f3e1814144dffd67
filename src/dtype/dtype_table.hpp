// SPDX-License-Identifier: MIT
//
// The table of dtypes: what texts, files and other libraries call each, and the facts that rules about all
// dtypes need.
#pragma once

#include <kgen/dtype.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace kgen {

namespace dlpack {

// DLPack's DLDataTypeCode.
enum TypeCode : std::uint8_t {
    code_int = 0,
    code_uint = 1,
    code_float = 2,
    code_bfloat = 4,
    code_complex = 5,
    code_bool = 6,
};

}  // namespace dlpack

// What only real dtypes have.
struct RealFacts {
    int digits = 0;              // bits of the significand
    std::string_view largest;    // the largest finite value, for messages
    double exponent_cutoff = 0;  // arrays with this or a larger value are printed in exponent form
    std::string_view cuda_struct;  // in CUDA's headers
};

struct DTypeRow {
    std::string_view name;      // NumPy's
    std::string_view cpp_name;  // in device code: "signed char", "float16", "complex<float>"
    DTypeKind kind;
    std::string_view npy_code;  // in .npy files; other dtypes may have the same if it begins with V
    dlpack::TypeCode dlpack_code;
    std::string_view aliases[9];  // other names in C, CUDA, Thrust and NumPy; empty ones at the end
    RealFacts real = {};
};

const DTypeRow& row_of(DType dtype) noexcept;

// Returns the name of the C++ type in device code.
std::string_view cpp_name(DType dtype) noexcept;

// Whether a real dtype has no type in C++ but a class of its name, in device code a section of the prelude.
bool is_narrow_float(DType dtype) noexcept;

// Returns the dtype of a big-endian NumPy code, such as ">f4", which parse_dtype does not accept.
std::optional<DType> parse_big_endian(std::string_view name) noexcept;

// Returns every name that parse_dtype accepts, NumPy's names first, but without byte orders ("<f4"). Messages suggest the nearest of them.
std::vector<std::string_view> dtype_names();

// clang-format off
#define KGEN_DTYPE(name, type) DType::name,
inline constexpr DType all_dtypes[] = {KGEN_DTYPES(KGEN_DTYPE)};
#undef KGEN_DTYPE
// clang-format on

}  // namespace kgen
