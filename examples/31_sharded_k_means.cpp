// SPDX-License-Identifier: MIT
//
// k-means with points that are split over ranks; see 25_k_means for one array. Each rank has a block of the points
// and all centres. The sums over the points of a cluster go over all ranks, so every rank gets the same new
// centres, and takes the same decision to stop. Start the program as it is, or on several ranks:
//
//     mpirun -n 4 build/release/examples/31_sharded_k_means
#include <cstdint>
#include <random>
#include <vector>

#include "ranks.hpp"

using namespace kgen;

namespace {

constexpr std::int64_t clusters = 5;

// Points around five places, the same on all ranks.
Array make_points(std::int64_t count) {
    const float places[clusters][2] = {{20, 25}, {70, 18}, {112, 40}, {45, 66}, {95, 72}};
    std::mt19937 random(1);
    std::vector<float> numbers;
    for (std::int64_t k = 0; k < 2 * count; ++k) {
        // The sum of four uniform numbers is nearly normal.
        double sum = 0;
        for (int j = 0; j < 4; ++j) sum += static_cast<double>(random()) / 4294967296.0 - 0.5;
        numbers.push_back(places[k / 2 % clusters][k % 2] + static_cast<float>(13 * sum));
    }
    return array(numbers).reshape(count, 2);
}

// (N, 1, 2) with (K, 2): whether each of N points belongs to each of K centres, as (N, K, 1). Split like the points,
// and computed without any exchange. The (N, K, 2) differences are never stored.
ShardedArray find_members(const ShardedArray& points, const ShardedArray& centres) {
    const ShardedArray nearest =
        argmin(sum(square(points - centres), axis(2), keepdims), axis(1), keepdims);
    return nearest == replicate(arange(clusters).reshape(clusters, 1), points.communicator());
}

// The mean of each cluster's points, (K, 2). Both sums go over the ranks.
ShardedArray means(const ShardedArray& points, const ShardedArray& members) {
    const ShardedArray sums = sum(where(members, points, 0), axis(0));
    const ShardedArray counts = maximum(sum(members, axis(0)), 1);
    return (sums / counts).astype(float32);
}

void run(const Communicator& ranks) {
    constexpr std::int64_t count = 2003;
    const ShardedArray points =
        shard(make_points(count).reshape(count, 1, 2), Sharding::split(0), ranks);
    // The first guess: five centres on a line.
    ShardedArray centres = replicate(
        stack({linspace(10, 118, clusters, float32), full({clusters}, 48, float32)}, 1), ranks);
    for (int step = 0; step < 20; ++step) {
        const ShardedArray moved = means(points, find_members(points, centres));
        const double distance =
            gather(sqrt(max(sum(square(moved - centres), axis(1))))).as<double>();
        say(ranks, "step {}: the centres move by {:.2f}\n", step, distance);
        centres = moved;
        if (distance < 0.01) break;
    }
    const ShardedArray members = find_members(points, centres);
    say(ranks, "{}\n", to_text(gather(centres), {.precision = 1}));
    say(ranks, "the clusters have {} points\n", to_text(gather(sum(members, axis({0, 2})))));
}

}  // namespace

int main() {
    return run_on_ranks(run);
}

// Output:
// step 0: the centres move by 23.76
// step 1: the centres move by 14.10
// step 2: the centres move by 0.85
// step 3: the centres move by 0.09
// step 4: the centres move by 0.07
// step 5: the centres move by 0.00
// [[ 20.4  24.8]
//  [ 44.4  66.4]
//  [ 69.8  18.5]
//  [ 94.8  72.5]
//  [111.7  39.6]]
// the clusters have [400 401 401 400 401] points
