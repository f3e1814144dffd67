// SPDX-License-Identifier: MIT
//
// What the predictions of several elementwise CUDA loops count.
#pragma once

#include "plan/cost_cuda.hpp"

namespace kgen {

// A multiprocessor waits for the instructions of longer texts than flat has. In launches of less than 6 us on an H200, 44 loops over tiles
// took 1.09 of their time without this wait, 22 over vectors of rows 1.10 (21 of which took less by flat), and 85 flat ones 1.00 (medians).
inline constexpr double text_phases = 0.65;

double loop_count(const PlanContext& context);

// Adds the body of `count` elements of each of `warps` warps' threads.
void add_body(const PlanContext& context, double warps, double count, Cost& cost);

// Adds the blocks of a launch whose threads hold `elements` elements of each array at once.
void add_blocks(const PlanContext& context, double elements, const Geometry& geometry, Cost& cost);

// Reads of operands whose neighbouring elements are read at different times. They pass sectors again to a multiprocessor
// whose L1 cache has lost them.
class ReadAgain {
public:
    // Adds reads of operand k by whole warps. Each of `accesses` reads has every `step`-th element of `lanes`. A block reads the elements
    // of `box`, and all of them together those of `boxes` whole boxes.
    void add(const PlanContext& context,
             std::size_t k,
             double accesses,
             const Dims& lanes,
             std::int64_t step,
             const Dims& box,
             double boxes,
             Cost& cost);
    void finish(const Geometry& geometry, Cost& cost) const;

private:
    double again_ = 0;     // sectors of the launch
    double requests_ = 0;  // for them
    double lines_ = 0;     // cache lines of a block
};

}  // namespace kgen
