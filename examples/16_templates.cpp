// SPDX-License-Identifier: MIT
//
// Templates are kernels with names. kgen has 138 of them (kgen list). Others are written in JSON.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    const Array x = from_vector<float>({3, 4, 6, 8}).reshape({2, 2});
    fmt::print("{}\n", kernel_template("l2norm")(x, axis(1)));

    // A template may have several forms. The first form that fits the dtypes of a call is used.
    const KernelTemplate sum = kernel_template("sum");
    const Array bytes = full({1000}, 100, int8);
    fmt::print("{} has {} forms; of int8: {}\n", sum.name(), sum.overload_count(), sum(bytes));

    // Each form is an ordinary kernel.
    const ReductionKernel sum_of_floats = sum.reduction({float32});
    fmt::print("{}\n", sum_of_floats(x, axis(0), keepdims));

    // Your own templates have the same format. This one is a text. A template may also be a file, for example
    // in a folder of KGEN_TEMPLATE_PATH.
    const KernelTemplate huber = KernelTemplate::from_json(R"({
        "kind": "elementwise", "name": "huber", "description": "quadratic near 0, linear far away",
        "inputs": "T x, T width", "outputs": "T y",
        "operation": ["const T size = fabs(x);",
                      "y = size < width ? x * x / 2 : width * size - width * width / 2"],
        "where": {"T": ["float32", "float64"]}})");
    fmt::print("{}: {}\n{}\n", huber.name(), huber.description(), huber(x, 4));

    try {
        huber(bytes, 4);
    } catch (const TypeError& error) {
        fmt::print("{}\n", error.what());
    }
    try {
        kernel_template("softpuls");
    } catch (const SignatureError& error) {
        fmt::print("{}\n", error.what());
    }
    try {
        KernelTemplate::from_json("{\"kind\": \"elementwise\",\n \"nmae\": \"mine\"}");
    } catch (const SignatureError& error) {
        fmt::print("{}\n", error.what());
    }
}

// Output:
// [ 5. 10.]
// sum has 4 forms; of int8: 100000
// [[ 9. 12.]]
// huber: quadratic near 0, linear far away
// [[ 4.5  8. ]
//  [16.  24. ]]
// template 'huber': no overload accepts int8, number int32; it has
//   T x, T width -> T y with T = float32 | float64
// no template is called 'softpuls'; did you mean 'softplus'?
// <text>:2:2: unknown field 'nmae'; did you mean 'name'?
