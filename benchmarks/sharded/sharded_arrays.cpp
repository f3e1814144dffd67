// SPDX-License-Identifier: MIT
//
// Measures sharded arrays: kgen_sharded_bench [GPUS] [PART...]. GPUS is a number, or a list such as 0,1,0,1, in which a GPU
// may have several ranks; all GPUs by default. With RANK and its kin, or under mpirun, each process has one GPU; otherwise
// one thread has all. Prints a line for each case: the median time of a call, and what it means.
#include <cstdlib>
#include <set>
#include <string_view>

#include "sharded_bench.hpp"

using namespace kgen;
using bench::bandwidth;
using bench::ShardedBench;

namespace {

constexpr std::int64_t gib = std::int64_t{1} << 28;  // elements of float32

ShardedArray filled(const Dims& shape, const Sharding& sharding, const Communicator& ranks) {
    ShardedArray x = empty_sharded(shape, float32, sharding, ranks);
    for (const int rank : ranks.local_ranks()) x.local(rank).assign(Scalar(1));
    return x;
}

void measure_elementwise(const ShardedBench& bench) {
    const Communicator& ranks = bench.ranks;
    const std::int64_t size = ranks.size();
    const Sharding rows = Sharding::split(0);
    const ShardedArray x = filled({gib * size}, rows, ranks);
    const ShardedArray y = filled({gib * size}, rows, ranks);
    const ShardedArray z = filled({gib * size}, rows, ranks);
    const double us = bench.time_us(10, [&] { z.assign(x * 2 + y); });
    bench.tell("elementwise, 3 arrays of 1 GiB a GPU",
               us,
               bandwidth(3 * 4 * static_cast<double>(gib * size), us));
}

void measure_sums(const ShardedBench& bench) {
    const std::int64_t size = bench.ranks.size();
    for (const std::int64_t elements : {std::int64_t{1} << 20, gib, 4 * gib}) {
        const ShardedArray x = filled({elements * size}, Sharding::split(0), bench.ranks);
        const int calls = elements == 4 * gib ? 5 : 50;
        const double us = bench.time_us(calls, [&] { static_cast<void>(ShardedArray(sum(x))); });
        bench.tell(fmt::format("sum, {} MiB a GPU", elements >> 18),
                   us,
                   bandwidth(4 * static_cast<double>(elements * size), us));
    }
}

void measure_halos(const ShardedBench& bench) {
    for (const std::int64_t width : {1024, 1 << 20}) {
        const ShardedArray x = empty_sharded(
            {64 * bench.ranks.size(), width}, float32, Sharding::split(0), bench.ranks, 1);
        const double us = bench.time_us(100, [&] { exchange_halo(x); });
        bench.tell(fmt::format("exchange_halo, rows of {} KiB", width >> 8),
                   us,
                   bandwidth(4 * static_cast<double>(width), us));
    }
}

void measure_calls(const ShardedBench& bench) {
    const ShardedArray x = filled({1024 * bench.ranks.size()}, Sharding::split(0), bench.ranks);
    const ElementwiseKernel twice("T x", "T z", "z = 2 * x", "twice");
    const double us = bench.time_us(500, [&] { twice(x, out(x)); });
    bench.tell("elementwise call, 4 KiB a GPU", us);
}

void measure_moves(const ShardedBench& bench) {
    const Communicator& ranks = bench.ranks;
    const std::int64_t size = ranks.size();
    const double others = static_cast<double>(size - 1) / static_cast<double>(size);
    // Bandwidths as nccl-tests counts them: what a GPU sends to the others.
    const ShardedArray x = filled({16384 * size, 16384}, Sharding::split(0), ranks);
    const double bytes = 4.0 * 16384 * 16384 * static_cast<double>(size);
    const double turn_us = bench.time_us(5, [&] { reshard(x, Sharding::split(1)); });
    bench.tell("reshard rows to columns, 1 GiB a GPU",
               turn_us,
               bandwidth(bytes / static_cast<double>(size) * others, turn_us));
    const double all_us = bench.time_us(5, [&] { reshard(x, Sharding::replicated()); });
    bench.tell(
        "reshard rows to replicated, 1 GiB a GPU", all_us, bandwidth(bytes * others, all_us));
    const double axis_us =
        bench.time_us(5, [&] { static_cast<void>(ShardedArray(sum(x, axis(0)))); });
    bench.tell("sum along the split axis, 16384 results", axis_us);
}

// The parts in the order of a whole run. One rank exchanges nothing.
struct Part {
    std::string_view name;
    int least_ranks;
    void (*measure)(const ShardedBench&);
};
constexpr Part parts[] = {{"elementwise", 1, measure_elementwise},
                          {"sums", 1, measure_sums},
                          {"calls", 1, measure_calls},
                          {"moves", 2, measure_moves},
                          {"halos", 2, measure_halos},
                          {"copies", 2, bench::measure_peer_copies},
                          {"skew", 2, bench::measure_launch_skew}};

std::vector<Device> read_gpus(const std::string& text) {
    std::vector<Device> gpus;
    if (text.find(',') == std::string::npos) {
        const int count = text.empty() ? device_count(DeviceKind::cuda) : std::stoi(text);
        for (int k = 0; k < count; ++k) gpus.push_back(Device::cuda(k));
        return gpus;
    }
    for (std::size_t at = 0; at < text.size(); at = text.find(',', at) + 1) {
        gpus.push_back(Device::cuda(std::stoi(text.substr(at))));
        if (text.find(',', at) == std::string::npos) break;
    }
    return gpus;
}

}  // namespace

int main(int count, char** arguments) try {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    const bool has_gpus = !words.empty() && std::isdigit(words[0][0]) != 0;
    const std::vector<std::string> chosen(words.begin() + (has_gpus ? 1 : 0), words.end());
    const bool is_started = std::getenv("RANK") || std::getenv("OMPI_COMM_WORLD_RANK");
    const ShardedBench bench{is_started
                                 ? Communicator::world()
                                 : Communicator::of_devices(read_gpus(has_gpus ? words[0] : ""))};
    const Communicator& ranks = bench.ranks;
    if (ranks.rank() == 0) {
        std::set<int> gpus;
        for (const int rank : ranks.local_ranks()) gpus.insert(ranks.device(rank).ordinal());
        fmt::print("# {} ranks on {} GPUs, {}, {}, {}\n",
                   ranks.size(),
                   is_started ? ranks.size() : static_cast<int>(gpus.size()),
                   is_started ? "a process each" : "one thread",
                   ranks.engine(),
                   device_info(ranks.device(0)).name);
    }
    for (const Part& part : parts) {
        const bool is_chosen =
            chosen.empty() || std::find(chosen.begin(), chosen.end(), part.name) != chosen.end();
        if (is_chosen && ranks.size() >= part.least_ranks) part.measure(bench);
    }
} catch (const Error& error) {
    fmt::print(stderr, "kgen_sharded_bench: {}\n", error.what());
    return 1;
}
