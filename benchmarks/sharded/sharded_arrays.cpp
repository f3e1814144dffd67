// SPDX-License-Identifier: MIT
//
// Measures sharded arrays: kgen_sharded_bench [GPUS | reshard]. With RANK and its kin, or under mpirun, each process has one GPU;
// otherwise one thread has all. Prints a line for each case: the median time of a call, and what it means.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

using namespace kgen;

namespace {

struct Bench {
    Communicator ranks;
    int batches = 7;

    void settle() const {
        for (const int rank : ranks.local_ranks()) synchronize(ranks.device(rank));
        ranks.barrier();
    }

    // Returns the median time of a call in microseconds, over batches of `calls` that all ranks begin together.
    double time_us(int calls, const std::function<void()>& call) const {
        std::vector<double> times;
        for (int batch = -2; batch < batches; ++batch) {
            settle();
            const auto start = std::chrono::steady_clock::now();
            for (int k = 0; k < calls; ++k) call();
            for (const int rank : ranks.local_ranks()) synchronize(ranks.device(rank));
            const std::chrono::duration<double, std::micro> took =
                std::chrono::steady_clock::now() - start;
            if (batch >= 0) times.push_back(took.count() / calls);
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

    void tell(const std::string& name, double us, const std::string& meaning = {}) const {
        if (ranks.rank() == 0) fmt::print("{:<44} {:>12.2f} us  {}\n", name, us, meaning);
    }
};

ShardedArray filled(const Dims& shape, const Sharding& sharding, const Communicator& ranks) {
    ShardedArray x = empty_sharded(shape, float32, sharding, ranks);
    for (const int rank : ranks.local_ranks()) x.local(rank).assign(Scalar(1));
    return x;
}

std::string bandwidth(double bytes, double us) {
    return fmt::format("{:.1f} GB/s", bytes / us / 1e3);
}

void measure_moves(const Bench& bench);

void measure(const Bench& bench) {
    const Communicator& ranks = bench.ranks;
    const std::int64_t size = ranks.size();
    const Sharding rows = Sharding::split(0);
    const std::int64_t gib = std::int64_t{1} << 28;  // elements of float32
    {
        const ShardedArray x = filled({gib * size}, rows, ranks);
        const ShardedArray y = filled({gib * size}, rows, ranks);
        const ShardedArray z = filled({gib * size}, rows, ranks);
        const double us = bench.time_us(10, [&] { z.assign(x * 2 + y); });
        bench.tell("elementwise, 3 arrays of 1 GiB a GPU",
                   us,
                   bandwidth(3 * 4 * static_cast<double>(gib * size), us));
        for (const std::int64_t elements : {std::int64_t{1} << 20, gib}) {
            const ShardedArray part = filled({elements * size}, rows, ranks);
            const double sum_us =
                bench.time_us(50, [&] { static_cast<void>(ShardedArray(sum(part))); });
            bench.tell(fmt::format("sum, {} MiB a GPU", elements >> 18),
                       sum_us,
                       bandwidth(4 * static_cast<double>(elements * size), sum_us));
        }
    }
    {
        const ShardedArray x = filled({4 * gib * size}, rows, ranks);
        const double us = bench.time_us(5, [&] { static_cast<void>(ShardedArray(sum(x))); });
        bench.tell("sum, 4 GiB a GPU", us, bandwidth(16 * static_cast<double>(gib * size), us));
    }
    if (size == 1) return;
    measure_moves(bench);
    for (const std::int64_t width : {1024, 1 << 20}) {
        const ShardedArray x = empty_sharded({64 * size, width}, float32, rows, ranks, 1);
        const double us = bench.time_us(100, [&] { exchange_halo(x); });
        bench.tell(fmt::format("exchange_halo, rows of {} KiB", width >> 8),
                   us,
                   bandwidth(4 * static_cast<double>(width), us));
    }
    {
        const ShardedArray x = filled({1024 * size}, rows, ranks);
        const ElementwiseKernel twice("T x", "T z", "z = 2 * x", "twice");
        const double us = bench.time_us(500, [&] { twice(x, out(x)); });
        bench.tell("elementwise call, 4 KiB a GPU", us);
    }
}

void measure_moves(const Bench& bench) {
    const Communicator& ranks = bench.ranks;
    const std::int64_t size = ranks.size();
    const double others = static_cast<double>(size - 1) / static_cast<double>(size);
    const Sharding rows = Sharding::split(0);
    {
        // Bandwidths as nccl-tests counts them: what a GPU sends to the others.
        const ShardedArray x = filled({16384 * size, 16384}, rows, ranks);
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
}

}  // namespace

int main(int count, char** arguments) try {
    const bool is_started = std::getenv("RANK") || std::getenv("OMPI_COMM_WORLD_RANK");
    const std::string first = count > 1 ? arguments[1] : "";
    const bool only_moves = first == "reshard";
    const int gpus =
        first.empty() || only_moves ? device_count(DeviceKind::cuda) : std::stoi(first);
    std::vector<Device> devices;
    for (int k = 0; k < gpus; ++k) devices.push_back(Device::cuda(k));
    (only_moves ? measure_moves : measure)(
        {is_started ? Communicator::world() : Communicator::of_devices(devices)});
} catch (const Error& error) {
    fmt::print(stderr, "kgen_sharded_bench: {}\n", error.what());
    return 1;
}
