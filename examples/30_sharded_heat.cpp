// SPDX-License-Identifier: MIT
//
// The heat equation on a plate whose rows are split over ranks; see 26_heat for one array. A row at the edge of a
// block needs the row beside it, which another rank has. So each block has a halo: room for one row before it and
// one behind it, which exchange_halo() fills. Start the program as it is, or on several ranks:
//
//     mpirun -n 4 build/release/examples/30_sharded_heat
#include <vector>

#include "ranks.hpp"

using namespace kgen;
using namespace kgen::indexing;

namespace {

// A plate that is hot in a ring and a disc. What is around it stays at 0.
Array hot_plate(std::int64_t rows, std::int64_t columns) {
    const Array y = linspace(-1, 1, rows, float32).reshape(rows, 1);
    const Array x = linspace(-1, 1, columns, float32);
    const Array radius = hypot(x, y);
    const Array is_ring = (radius > 0.55) & (radius < 0.75);
    const Array is_disc = hypot(x - 0.15, y + 0.1) < 0.22;
    return where(is_ring | is_disc, 1, 0).astype(float32);
}

// One step from `u`, which has one row more at both ends, to the rows of `next`. The first and the last column keep
// their values.
BoundLaunch plate_step(const Array& u, const Array& next) {
    const Range inner = s(1, -1);
    const Array centre = u[{inner, inner}];
    const Array above = u[{s({}, -2), inner}];
    const Array below = u[{s(2, {}), inner}];
    const Array left = u[{inner, s({}, -2)}];
    const Array right = u[{inner, s(2, {})}];
    return bind(centre + 0.24 * (above + below + left + right - 4 * centre),
                out(next[{all, inner}]));
}

// A plate that is split along its rows, with a halo of one row. The halo beyond the first and the last row of the
// plate belongs to no rank, so it keeps the 0 that is written here.
ShardedArray split_plate(const Array& whole, const Communicator& ranks) {
    const ShardedArray plate =
        empty_sharded(whole.shape(), whole.dtype(), Sharding::split(0), ranks, 1);
    for (const int rank : ranks.local_ranks()) plate.local_with_halo(rank).assign(Scalar(0));
    plate += shard(whole, Sharding::split(0), ranks);
    return plate;
}

// The steps of this process's ranks. Each reads the block of `u` with its halo and writes that of `next`.
std::vector<BoundLaunch> local_steps(const ShardedArray& u, const ShardedArray& next) {
    std::vector<BoundLaunch> steps;
    for (const int rank : u.communicator().local_ranks())
        steps.push_back(plate_step(u.local_with_halo(rank), next.local(rank)));
    return steps;
}

void run(const ShardedArray& u, const std::vector<BoundLaunch>& steps) {
    exchange_halo(u);
    for (const BoundLaunch& step : steps) step();
}

void cool_a_plate(const Communicator& ranks) {
    const Array whole = hot_plate(131, 96);

    // Two arrays take turns, so that no kernel has to copy what it overwrites.
    const ShardedArray u = split_plate(whole, ranks);
    const ShardedArray next = split_plate(whole, ranks);
    const std::vector<BoundLaunch> forth = local_steps(u, next);
    const std::vector<BoundLaunch> back = local_steps(next, u);

    // The same on one array, which has a row of zeros at both ends.
    const Array one = zeros({133, 96}, float32);
    const Range inner = s(1, -1);
    one[{inner}] = whole;
    const Array other = one.copy();
    const BoundLaunch one_forth = plate_step(one, other[{inner}]);
    const BoundLaunch one_back = plate_step(other, one[{inner}]);

    for (const int steps : {0, 40, 200, 800}) {
        for (int k = 0; k < steps; k += 2) {
            run(u, forth);
            run(next, back);
            one_forth();
            one_back();
        }
        const Array gathered = gather(u);
        say(ranks,
            "{} steps later: the mean is {:.3f}, as on one array: {}\n",
            steps,
            gather(mean(u)).as<float>(),
            max(abs(gathered - one[{inner}])).item<float>() < 1e-5F);
    }
}

}  // namespace

int main() {
    return run_on_ranks(cool_a_plate);
}

// Output:
// 0 steps later: the mean is 0.238, as on one array: true
// 40 steps later: the mean is 0.238, as on one array: true
// 200 steps later: the mean is 0.227, as on one array: true
// 800 steps later: the mean is 0.159, as on one array: true
