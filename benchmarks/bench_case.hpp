// SPDX-License-Identifier: MIT
//
// A case of the benchmark: a kernel, a reduction or a function on arrays, the memory and the layouts that
// it gets, a reference in float64, and the share of a copy that it should reach. The lists of cases are data;
// what is done with them is in prepared_case.hpp.
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

// `quick` cuts long extents down, so that a host runs all cases in seconds.
enum class Scale { full, quick };

Dims scaled(const Dims& shape, Scale scale);

// Memory of its own for one operand, dense in C order, and the view of it that the kernel is given.
struct Operand {
    DType dtype;
    Dims shape;
    std::function<Array(const Array&)> view = {};  // the whole memory unless given
    std::int64_t offset = 0;                       // elements from the allocation's start
};

// The output from the inputs, in float64; real dtypes have no imaginary part.
using Number = std::complex<double>;
using Reference = std::function<Number(const Number* x)>;

// The outputs of one fold from its elements, in float64 or better.
class Fold {
public:
    virtual ~Fold() = default;
    // The values of the next `count` elements, in C order along the reduced axes: one list an input.
    virtual void add(const double* const* inputs, std::int64_t count) = 0;
    virtual std::vector<double> outputs() const = 0;
};
using FoldReference = std::function<std::unique_ptr<Fold>()>;

// What a target is a share of: a copy, a kernel that only writes, or what another case reaches in the
// same run.
enum class Limit { copy, write, other_case };

struct Target {
    double at_least = 0;
    Limit limit = Limit::copy;
    std::string_view other_case = {};  // stands before this one in the list
};

struct Kernel {
    std::string inputs;
    std::string outputs;
    std::string body;
    Reference reference;
    double tolerance = 0;  // of |found - reference| / max(1, |reference|)
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
    double tolerance = 0;  // as a Kernel's
    ReductionOptions options = {};
};

class OperandMemory;

// One of the library's functions on arrays: copies, joins, slice assignment.
struct ArrayFunction {
    // Writes into `output`, the operand of the case, and returns what of it was written; or returns a new
    // array, where the case has no such operand.
    std::function<Array(const std::vector<Array>& inputs, const Array& output)> call;
    // The element of the result at an index.
    std::function<Number(const std::vector<OperandMemory>& inputs, const Dims& index)> reference;
    bool makes_output = false;
    double tolerance = 0;  // as a Kernel's
};

struct Case {
    std::string name;
    std::string family;
    std::variant<Kernel, Reduction, ArrayFunction> kernel;
    std::vector<Operand> inputs;
    Operand output = {};  // a Reduction's outputs follow from its inputs and axes
    std::optional<Target> target = {};
    std::optional<std::vector<int>> axes = {};  // of a Reduction: all unless given

    double tolerance() const;
};

// All cases, in the order in which they run. Names are unique.
const std::vector<Case>& all_cases();

// One list a family; all_cases() joins them.
std::vector<Case> contiguous_cases();
std::vector<Case> broadcast_cases();
std::vector<Case> transposed_cases();
std::vector<Case> view_cases();
std::vector<Case> full_reduction_cases();
std::vector<Case> axis_reduction_cases();
std::vector<Case> copy_cases();
std::vector<Case> joining_cases();

}  // namespace kgen::bench
