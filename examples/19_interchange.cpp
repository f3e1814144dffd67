// SPDX-License-Identifier: MIT
//
// DLPack exchanges arrays with PyTorch, CuPy, JAX and NumPy without a copy. A Python binding takes the tensor
// out of the capsule that `x.__dlpack__(stream=..., max_version=(1, 1))` returns, and puts kgen's tensor into
// a new capsule. In this program kgen is on both sides.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

namespace {

// The function that a binding would offer to Python. It takes ownership of its argument, and the caller owns
// the result.
DLManagedTensorVersioned* relu(DLManagedTensorVersioned* tensor) {
    static const KernelTemplate kernel = kernel_template("relu");
    return to_dlpack(kernel(from_dlpack(tensor)));
}

}  // namespace

int main() {
    // This array stands for one of the other library.
    Array theirs = linspace(-2, 2, 5, float32);
    const Array result = from_dlpack(relu(to_dlpack(theirs)));
    fmt::print("{}\n", result);

    // Both arrays use the same memory. What one side writes, the other reads.
    const Array ours = from_dlpack(to_dlpack(theirs));
    fmt::print("the same memory: {}\n", ours.data() == theirs.data());
    const ElementwiseKernel negate("T x", "T y", "y = -x", "negate");
    negate(ours, out(ours));
    fmt::print("{}\n", theirs);

    // The memory is freed when neither side uses it.
    theirs = {};
    fmt::print("{}\n", ours);

    // Strides, offsets and the read-only flag are preserved.
    const Array columns =
        from_dlpack(to_dlpack(arange(6, int32).reshape({2, 3}).transpose().as_read_only()));
    fmt::print("{}\nshape {}, strides {}, read-only {}\n",
               columns,
               to_text(columns.shape()),
               to_text(columns.strides()),
               columns.is_read_only());

    // Python's `stream` argument takes this number. The other library then makes its data ready for this
    // stream.
    fmt::print("stream {}\n", dlpack_stream(current_stream()));
}

// Output:
// [0. 0. 0. 1. 2.]
// the same memory: true
// [ 2.  1. -0. -1. -2.]
// [ 2.  1. -0. -1. -2.]
// [[0 3]
//  [1 4]
//  [2 5]]
// shape (3, 2), strides (4, 12), read-only true
// stream 1
