// SPDX-License-Identifier: MIT
//
// DLPack: arrays of PyTorch, CuPy, JAX and NumPy become kgen's and the other way round, without a copy. A binding takes the
// tensor out of the capsule that `x.__dlpack__(stream=..., max_version=(1, 1))` gives, and puts kgen's into one. Here
// kgen plays both parts.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

namespace {

// What a binding would offer to Python: takes a tensor, gives a tensor. It owns what it takes; who gets the result owns that.
DLManagedTensorVersioned* relu(DLManagedTensorVersioned* tensor) {
    static const KernelTemplate kernel = kernel_template("relu");
    return to_dlpack(kernel(from_dlpack(tensor)));
}

}  // namespace

int main() {
    // The other library's array, which it hands over.
    Array theirs = linspace(-2, 2, 5, float32);
    const Array result = from_dlpack(relu(to_dlpack(theirs)));
    fmt::print("{}\n", result);

    // It is the same memory: what one side writes, the other reads.
    const Array ours = from_dlpack(to_dlpack(theirs));
    fmt::print("the same memory: {}\n", ours.data() == theirs.data());
    const ElementwiseKernel negate("T x", "T y", "y = -x", "negate");
    negate(ours, out(ours));
    fmt::print("{}\n", theirs);

    // The memory lives as long as anyone has it.
    theirs = {};
    fmt::print("{}\n", ours);

    // Strides, offsets and that it must not be written to go along.
    const Array columns =
        from_dlpack(to_dlpack(arange(6, int32).reshape({2, 3}).transpose().as_read_only()));
    fmt::print("{}\nshape {}, strides {}, read-only {}\n",
               columns,
               to_text(columns.shape()),
               to_text(columns.strides()),
               columns.is_read_only());

    // The number that Python's `stream` argument takes, so that the producer makes its data ready for this stream.
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
