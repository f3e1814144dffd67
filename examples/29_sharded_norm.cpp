// SPDX-License-Identifier: MIT
//
// An array that several ranks share. A rank is a GPU or a process; each has a block of the rows. Kernels and
// expressions take sharded arrays as they take arrays. Start the program as it is, or on four ranks:
//
//     mpirun -n 4 build/release/examples/29_sharded_norm
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ranks.hpp"

using namespace kgen;

namespace {

void run(const Communicator& ranks) {
    // Every rank has the whole array and keeps its rows. 1003 rows are not divided evenly among most numbers
    // of ranks: the first blocks have one row more.
    const Array whole = (arange(1003 * 4) % 13 - 5).reshape(1003, 4).astype(float64);
    const ShardedArray x = shard(whole, Sharding::split(0), ranks);
    const auto blocks = x.sharding().blocks();
    say(ranks,
        "the blocks differ by at most one row: {}\n",
        *std::max_element(blocks.begin(), blocks.end()) -
                *std::min_element(blocks.begin(), blocks.end()) <=
            1);

    // A sum over the rows goes over all ranks: each folds its block, the partial results are exchanged and
    // folded in the order of the ranks. The result is replicated: every rank has all of it.
    const ShardedArray norm = sqrt(sum(x * x));
    say(ranks, "the norm is {:.6f}\n", gather(norm).item<double>());
    const ShardedArray columns = mean(x, axis(0));
    say(ranks,
        "the means of the columns, {}, are {}\n",
        to_text(columns.sharding()),
        to_text(gather(columns), {.precision = 4}));

    // A sum along each row needs no exchange. Its result is split like the rows.
    const ReductionKernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm");
    const ShardedArray rows = l2norm(x, axis(1), keepdims);
    const ShardedArray unit = x / rows;
    say(ranks,
        "the rows' norms are 1: {}\n",
        gather(all(abs(sum(unit * unit, axis(1)) - 1) < 1e-12)).item<bool>());

    // Each rank's block is an array on its device, for work that concerns the rank alone. i and _ind in a kernel's
    // texts are those of the whole array.
    const ElementwiseKernel number("T x", "int64 k", "k = _ind.get()[0]", "number");
    const ShardedArray numbers = number(x);
    bool counts_from_start = true;
    for (const int rank : ranks.local_ranks()) {
        const std::int64_t first = numbers.local(rank)[{0, 0}].item<std::int64_t>();
        counts_from_start = counts_from_start && first == x.block_start(rank);
    }
    say(ranks, "rows are numbered from the start of the block: {}\n", counts_from_start);

    // Blocks may have any extents. Arrays that are used together must be divided in the same way; kgen moves no data
    // that you have not asked it to move.
    std::vector<std::int64_t> extents(static_cast<std::size_t>(ranks.size()), 1);
    extents.front() = 1003 - (ranks.size() - 1);
    const ShardedArray uneven = reshard(x, Sharding::split(0, extents));
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    try {
        add(x, uneven);
    } catch (const ShapeError& error) {
        const std::string message = error.what();
        say(ranks, "blocks that differ: {}\n", message.substr(message.find("call ")));
    }
    const ShardedArray twice = add(x, reshard(uneven, Sharding::split(0)));
    say(ranks, "after that: {}\n", array_equal(gather(twice), 2 * whole));
}

}  // namespace

int main() {
    return run_on_ranks(run);
}

// Output:
// the blocks differ by at most one row: true
// the norm is 245.193801
// the means of the columns, replicated, are [0.992 0.994 0.996 0.998]
// the rows' norms are 1: true
// rows are numbered from the start of the block: true
// blocks that differ: call reshard(y, Sharding::split(0)) first
// after that: true
