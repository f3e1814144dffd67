// SPDX-License-Identifier: MIT
//
// A case of the benchmark: a kernel, the memory and the layouts that it gets, a reference in
// float64, and the share of a copy that it should reach. The lists of cases are data; what is done
// with them is in run_case.hpp.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <kgen/kgen.hpp>
#include <optional>
#include <string>
#include <string_view>
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

// What a target is a share of: a copy, or a kernel that only writes.
enum class Limit { copy, write };

struct Target {
    double at_least = 0;
    Limit limit = Limit::copy;
};

struct Kernel {
    std::string inputs;
    std::string outputs;
    std::string body;
    Reference reference;
    double tolerance = 0;  // of |found - reference| / max(1, |reference|)
};

struct Case {
    std::string name;
    std::string family;
    Kernel kernel;
    std::vector<Operand> inputs;
    Operand output;
    std::optional<Target> target = {};
};

// All cases, in the order in which they run. Names are unique.
const std::vector<Case>& all_cases();

// One list a family; all_cases() joins them.
std::vector<Case> contiguous_cases();
std::vector<Case> broadcast_cases();
std::vector<Case> transposed_cases();
std::vector<Case> view_cases();

}  // namespace kgen::bench
