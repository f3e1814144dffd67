// SPDX-License-Identifier: MIT
//
// The cases of the benchmark. A case is a kernel, a reduction or a function on arrays, with the memory and
// layout of its operands, a reference in float64, and the share of a copy's speed that it should reach.
// prepared_case.hpp runs them.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <kgen/kgen.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kgen::bench {

// `quick` shortens long extents, so that the host device runs all cases in seconds.
enum class Scale { full, quick };

Dims scaled(const Dims& shape, Scale scale);

// One operand: memory of its own, dense in C order, and the view of it that is passed to the kernel.
struct Operand {
    DType dtype;
    Dims shape;
    std::function<Array(const Array&)> view = {};  // default: the whole memory
    std::int64_t offset = 0;                       // elements from the begin of the allocation
};

// Computes the output from the inputs in float64. The imaginary part is 0 for real dtypes.
using Number = std::complex<double>;
using Reference = std::function<Number(const Number* x)>;

class OperandMemory;

// One element of an output, for references that use more than the elements of the inputs at the same index.
struct PlaceView {
    const std::vector<OperandMemory>& inputs;
    const Dims& index;
    std::int64_t i;  // the index in C order
    std::size_t output = 0;

    Number value(std::size_t input) const;
    // Returns element `at` of an input of one axis, modulo its size.
    Number gathered(std::size_t input, std::int64_t at) const;
};

// Computes the outputs of one fold in float64 or more precisely.
class Fold {
public:
    virtual ~Fold() = default;
    // Adds the next `count` elements in C order along the reduced axes. `inputs` has a list of real parts for
    // each input, then a list of imaginary parts for each, which is null unless the input is complex.
    virtual void add(const double* const* inputs, std::int64_t count) = 0;
    virtual std::vector<Number> outputs() const = 0;
    // Returns the number to which errors are relative if it is greater than the results: of a sum whose terms
    // cancel, the sum of their absolute values.
    virtual double magnitude() const { return 0; }
};
using FoldReference = std::function<std::unique_ptr<Fold>()>;

// The speed of which a target is a share: that of a copy, of a kernel that only writes, or of another case in
// the same run.
enum class Limit { copy, write, other_case };

struct Target {
    double at_least = 0;
    Limit limit = Limit::copy;
    std::string_view other_case = {};  // must precede this case in the list
};

struct Kernel {
    std::string inputs;
    std::string outputs;
    std::string body;
    Reference reference;
    double tolerance = 0;  // greatest |found - reference| / max(1, |reference|)
    std::function<Number(const PlaceView&)> place_reference = {};  // instead of `reference`
};

struct Reduction {
    std::string inputs;
    std::string outputs;
    std::string map;
    std::string reduce;
    std::string post_map;
    std::string identity;
    std::vector<DType> output_dtypes;
    FoldReference reference;
    double tolerance = 0;  // see Kernel
    ReductionOptions options = {};
};

// A function of the library on arrays: a copy, a join or a slice assignment.
struct ArrayFunction {
    // If `makes_output`, returns a new array. Otherwise writes into `output`, the operand of the case, and
    // returns the part that was written.
    std::function<Array(const std::vector<Array>& inputs, const Array& output)> call;
    // Returns the expected element of the result at an index.
    std::function<Number(const std::vector<OperandMemory>& inputs, const Dims& index)> reference;
    bool makes_output = false;
    double tolerance = 0;  // see Kernel
};

struct Case {
    std::string name;
    std::string family;
    std::variant<Kernel, Reduction, ArrayFunction> kernel;
    std::vector<Operand> inputs;
    Operand output = {};  // unused by a Reduction, whose inputs and axes decide the outputs
    std::optional<Target> target = {};
    std::optional<std::vector<int>> axes = {};  // axes that a Reduction reduces; default: all
    std::vector<Operand> more_outputs = {};     // of a Kernel, behind `output`

    double tolerance() const;
};

// Returns all cases in the order in which they run. Names are unique.
const std::vector<Case>& all_cases();

// The cases of each family, which all_cases() joins.
std::vector<Case> contiguous_cases();
std::vector<Case> broadcast_cases();
std::vector<Case> transposed_cases();
std::vector<Case> view_cases();
std::vector<Case> full_reduction_cases();
std::vector<Case> axis_reduction_cases();
std::vector<Case> copy_cases();
std::vector<Case> joining_cases();
std::vector<Case> noise_cases();

}  // namespace kgen::bench
