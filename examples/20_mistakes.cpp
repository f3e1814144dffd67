// SPDX-License-Identifier: MIT
//
// The messages of common mistakes. A message names the kernel and the parameter, says what was found, what
// was expected and, if possible, what to do. The exception is thrown before anything runs.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

namespace {

template <typename Mistake>
void show(const char* what, const Mistake& mistake) {
    try {
        mistake();
        fmt::print("{}: no mistake\n\n", what);
    } catch (const CompileError& error) {
        // The rest is the compiler's text, which depends on the compiler.
        const std::string message = error.what();
        const bool points_to_the_body = message.find("typo (operation)") != std::string::npos;
        fmt::print("{}: points to the body: {}\n\n", what, points_to_the_body);
    } catch (const Error& error) {  // the base class of all exceptions of kgen
        fmt::print("{}\n{}\n\n", what, error.what());
    }
}

}  // namespace

int main() {
    const Array x = arange(6, float32).reshape({2, 3});
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    const ReductionKernel total("T x", "T y", "x", "a + b", "y = a", "0", "total");

    // Invalid definitions: SignatureError, when the kernel is defined.
    show("a misspelt type", [] { ElementwiseKernel("flaot32 x", "float32 y", "y = x", "typo"); });
    show("a name twice", [] { ElementwiseKernel("T x, T x", "T y", "y = x", "twice"); });
    show("a type that nothing gives", [&] {
        const ElementwiseKernel kernel("T x", "U y", "y = x", "convert");
        kernel(x);
    });

    // Arguments of the wrong dtype or number: TypeError.
    show("two types for one letter", [&] { add(x, x.astype(float64)); });
    show("a number that does not fit", [&] { add(x.astype(int8), 1000); });
    show("too few arguments", [&] { add(x); });

    // Wrong shapes and memory: ShapeError.
    show("shapes that do not broadcast", [&] { add(x, x.transpose()); });
    show("an output of another shape", [&] { add(x, x, out(empty({3, 2}, float32))); });
    show("an output that cannot be written", [&] { add(x, x, out(x.as_read_only())); });
    show("an axis that is not there", [&] { total(x, axis(2)); });
    show("an array that holds nothing", [&] { add(x, Array()); });

    // Errors in the body: CompileError, on the first call.
    show("a body that does not compile", [&] {
        const ElementwiseKernel kernel("T x", "T y", "y = x +* 2", "typo");
        kernel(x);
    });

    // Unknown names and missing files.
    show("a template that is not there", [] { kernel_template("rellu"); });
    show("a file that is not there", [] { load_npy("weights.npy"); });
}

// Output:
// a misspelt type
// kernel 'typo': unknown type 'flaot32' in input 1
//   flaot32 x
//   ^~~~~~~
// did you mean 'float32'?
//
// a name twice
// kernel 'twice': parameter 'x' is defined twice: input 1 and input 2
//
// a type that nothing gives
// kernel 'convert': cannot determine U: it appears only in outputs; pass output 1 ('y') or write a dtype in place of U
//
// two types for one letter
// kernel 'add': T is float32 from argument 1 ('x') but float64 from argument 2 ('y'); convert one of them with astype
//
// a number that does not fit
// kernel 'add': argument 2 ('y'): 1000 does not fit int8 (-128 to 127)
//
// too few arguments
// kernel 'add': expected 2 arguments (x, y) or, with outputs, 3 (x, y, z), but got 1
//
// shapes that do not broadcast
// kernel 'add': shapes do not broadcast: x is (2, 3), y is (3, 2); axis 1 is 3 against 2
//
// an output of another shape
// kernel 'add': output 1 ('z') has shape (3, 2), but the inputs broadcast to (2, 3)
//
// an output that cannot be written
// kernel 'add': output 1 ('z') is read-only; pass a writable array
//
// an axis that is not there
// kernel 'total': axis 2 is out of range: the inputs have shape (2, 3), expected -2 to 1
//
// an array that holds nothing
// kernel 'add': argument 2 ('y') is an empty Array; pass one that has memory
//
// a body that does not compile: points to the body: true
//
// a template that is not there
// no template is called 'rellu'; did you mean 'relu'?
//
// a file that is not there
// weights.npy: cannot be opened: No such file or directory
//
