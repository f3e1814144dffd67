// SPDX-License-Identifier: MIT
//
// Cases: copies within a device, and slice assignment.
#include "benchmarks/case_kernels.hpp"
#include "benchmarks/operand_memory.hpp"

namespace kgen::bench {

namespace {

using View = std::function<Array(const Array&)>;
using Inputs = std::vector<Array>;
using Memory = std::vector<OperandMemory>;
using indexing::all;
using indexing::s;

constexpr std::int64_t side = 16384;
constexpr Target near_copy{0.97};

Number same_place(const Memory& x, const Dims& index) {
    return x[0].value_at(index);
}

// A case that copies a view of the input into a new array.
Case copied(std::string name,
            DType dtype,
            const Dims& shape,
            View view = {},
            std::optional<Target> target = near_copy) {
    return {
        std::move(name),
        "copies",
        ArrayFunction{[](const Inputs& x, const Array&) { return x[0].copy(); }, same_place, true},
        {{dtype, shape, std::move(view)}},
        {},
        target};
}

Case converted(std::string name, DType from, DType to) {
    return {std::move(name),
            "copies",
            ArrayFunction{[to](const Inputs& x, const Array&) { return x[0].astype(to); },
                          same_place,
                          true,
                          rounding(to)},
            {{from, {side, side}}},
            {},
            Target{0.96}};
}

// A case that assigns the input to a slice of a 16384 x 16384 array.
Case assigned(std::string name,
              View slice,
              Operand input,
              std::optional<Target> target = near_copy) {
    return {std::move(name),
            "copies",
            ArrayFunction{[slice](const Inputs& x, const Array& y) {
                              const Array part = slice(y);
                              part.assign(x[0]);
                              return part;
                          },
                          same_place},
            {std::move(input)},
            {float32, {side, side}},
            target};
}

}  // namespace

std::vector<Case> copy_cases() {
    const Dims square{side, side};
    const View transposed = [](const Array& x) { return x.transpose(); };
    const View inner = [](const Array& x) { return x[{s(1, {}), s(1, {})}]; };
    const View without_first_column = [](const Array& x) { return x[{all, s(1, {})}]; };
    const View even_rows = [](const Array& x) { return x[s({}, {}, 2)]; };
    // The result is the slice, because nothing else is written.
    const Case number = {"set_slice_to_number_f32",
                         "copies",
                         ArrayFunction{[inner](const Inputs&, const Array& y) {
                                           y.set({s(1, {}), s(1, {})}, 1.5f);
                                           return inner(y);
                                       },
                                       [](const Memory&, const Dims&) -> Number { return 1.5; }},
                         {},
                         {float32, square},
                         Target{0.97, Limit::write}};
    const Case imaginary = {
        "copy_imag_c64",
        "copies",
        ArrayFunction{[](const Inputs& x, const Array&) { return x[0].imag().copy(); },
                      [](const Memory& x, const Dims& index) -> Number {
                          return x[0].value_at(index).imag();
                      },
                      true},
        {{complex64, {8192, 16384}}},
        {},
        near_copy};
    return {
        copied("copy_f32_2^28", float32, {std::int64_t{1} << 28}),
        copied("copy_slice_f32", float32, square, inner, Target{0.96}),
        copied("copy_flipped_f32", float32, square, [](const Array& x) { return flip(x); }),
        copied("copy_transposed_f32", float32, square, transposed),
        copied("copy_transposed_f16", float16, square, transposed),
        copied("copy_transposed_c64", complex64, {8192, 16384}, transposed),
        copied("copy_transposed_c128", complex128, {8192, 8192}, transposed),
        copied("copy_slice_c64", complex64, {8192, 16384}, inner, Target{0.96}),
        imaginary,
        converted("astype_f32_to_f16", float32, float16),
        converted("astype_f16_to_f32", float16, float32),
        converted("astype_i32_to_f32", int32, float32),
        assigned("set_slice_f32", inner, {float32, square, inner}, Target{0.96}),
        assigned("set_even_rows_f32", even_rows, {float32, square, even_rows}),
        assigned("set_slice_to_row_f32",
                 inner,
                 {float32, {1, side}, without_first_column},
                 Target{0.97, Limit::write}),
        number,
    };
}

}  // namespace kgen::bench
