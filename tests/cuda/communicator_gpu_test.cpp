// SPDX-License-Identifier: MIT
//
// Communicators of real GPUs, by the real NCCL.
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <kgen/kgen.hpp>
#include <random>
#include <thread>

#include "support/devices.hpp"
#include "support/fresh_process.hpp"
#include "support/sharded_trials.hpp"
#include "support/temp_dir.hpp"
#include "support/verb_trials.hpp"

using namespace kgen;

namespace {

bool has_two_gpus() {
    const bool has = device_count(DeviceKind::cuda) >= 2;
    if (!has) WARN("SKIPPED: fewer than two GPUs");
    return has;
}

std::vector<int> all_gpus(int ranks_each = 1) {
    std::vector<int> gpus;
    for (int k = 0; k < ranks_each * device_count(DeviceKind::cuda); ++k)
        gpus.push_back(k % device_count(DeviceKind::cuda));
    return gpus;
}

Communicator ranks_of(const std::vector<int>& gpus) {
    std::vector<Device> devices;
    for (const int k : gpus) devices.push_back(Device::cuda(k));
    return Communicator::of_devices(devices);
}

// Runs a hidden test case as two ranks. Returns what each reports.
std::vector<std::string> run_two(const std::string& test_case, const std::string& argument) {
    const TempDir folder;
    std::vector<std::string> reports(2);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            const FreshResult result = run_fresh(test_case,
                                                 {{"RANK", std::to_string(rank)},
                                                  {"WORLD_SIZE", "2"},
                                                  {"LOCAL_RANK", std::to_string(rank)},
                                                  {"KGEN_RENDEZVOUS_FILE", folder / "meeting"},
                                                  {"KGEN_TEST_ARGUMENT", argument}});
            reports[static_cast<std::size_t>(rank)] =
                result.text.empty() ? result.output : result.text;
        });
    }
    for (std::thread& thread : threads) thread.join();
    return reports;
}

}  // namespace

TEST_CASE("gpu: the GPUs of one process exchange the expected bytes by NCCL", "[gpu][shard]") {
    if (!has_two_gpus()) return;
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    const Communicator ranks = ranks_of(all_gpus());
    CHECK(ranks.engine() == "nccl");
    ranks.barrier();
    CHECK(test::VerbTrials(CommunicatorAccess::engine(ranks), seed).run(200) == "good");
    CHECK(test::VerbTrials(CommunicatorAccess::engine(ranks), seed, 30'000'000).run(20) == "good");
    ranks.abort();
    CHECK_THROWS_AS(ranks.barrier(), CommunicationError);
    // A second communicator after an abort, with the GPUs in another order.
    const Communicator others = Communicator::of_devices({1, 0});
    CHECK(test::VerbTrials(CommunicatorAccess::engine(others), seed).run(50) == "good");
}

TEST_CASE("gpu: ranks that share GPUs exchange the expected bytes by copies", "[gpu][shard]") {
    if (!has_two_gpus()) return;
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    const Communicator ranks = ranks_of(all_gpus(2));
    CHECK(ranks.engine() == "process");
    CHECK(test::VerbTrials(CommunicatorAccess::engine(ranks), seed).run(200) == "good");
    CHECK(test::VerbTrials(CommunicatorAccess::engine(ranks), seed, 3'000'000).run(20) == "good");
}

TEST_CASE("gpu: verbs run in the order of the ranks' streams", "[gpu][shard]") {
    if (!has_two_gpus()) return;
    const Communicator ranks = Communicator::of_devices({0, 1});
    constexpr std::int64_t count = 1 << 22;
    const ElementwiseKernel add("float32 x, float32 y", "float32 z", "z = x + y", "add");
    std::vector<Stream> streams;
    std::vector<Array> parts;
    std::vector<Array> results;
    std::vector<RankTransfer> transfers;
    for (int rank = 0; rank < 2; ++rank) {
        const Device device = Device::cuda(rank);
        streams.push_back(Stream::create(device));
        const StreamScope scope(streams.back());
        Array part = full({count}, 1.0, float32, {.device = device});
        for (int k = 0; k < 50; ++k)
            part = add(part, part);  // 2^50, at a time when the host is far ahead
        parts.push_back(part);
        results.push_back(zeros({2 * count}, float32, {.device = device}));
        const auto bytes = static_cast<std::size_t>(part.size_bytes());
        transfers.push_back(
            {.sends = {{static_cast<const std::byte*>(part.data()), bytes}},
             .receives = {{static_cast<std::byte*>(results.back().data()), 2 * bytes}},
             .stream = streams.back()});
    }
    CommunicatorAccess::engine(ranks).allgather(transfers);
    for (int rank = 0; rank < 2; ++rank) {
        const StreamScope scope(streams[static_cast<std::size_t>(rank)]);
        const Array result = results[static_cast<std::size_t>(rank)];
        const std::vector<float> doubled = add(result, result).to_vector<float>();
        CHECK(doubled == std::vector<float>(2 * count, 0x1p51F));
    }
    CommunicatorAccess::engine(ranks).wait();
}

TEST_CASE("one of two ranks on GPUs", "[.fresh]") {
    const std::string argument = std::getenv("KGEN_TEST_ARGUMENT");
    const bool is_late_test = argument == "late";
    const Communicator world =
        Communicator::world({.timeout = is_late_test ? std::chrono::milliseconds(3000)
                                                     : std::chrono::milliseconds(60000)});
    if (!is_late_test) {
        report(fmt::format("{} {} ", world.engine(), to_text(world.device(world.rank()))));
        return report(
            test::VerbTrials(CommunicatorAccess::engine(world), std::stoull(argument)).run(100));
    }
    if (world.rank() == 1) {
        std::this_thread::sleep_for(std::chrono::seconds(8));
        return report("late");
    }
    const auto start = std::chrono::steady_clock::now();
    try {
        world.barrier();
        report("no error");
    } catch (const CommunicationError& error) {
        const bool is_quick = std::chrono::steady_clock::now() - start < std::chrono::seconds(7);
        report(std::string(is_quick ? "" : "slow: ") + error.what());
    }
}

TEST_CASE("gpu: two processes find each other by a file and exchange the expected bytes",
          "[gpu][shard]") {
    if (!has_two_gpus()) return;
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    CHECK(run_two("one of two ranks on GPUs", std::to_string(seed)) ==
          std::vector<std::string>{"nccl cuda:0 good", "nccl cuda:1 good"});
}

TEST_CASE("gpu: a process that does not come is an error after the timeout", "[gpu][shard]") {
    if (!has_two_gpus()) return;
    CHECK(run_two("one of two ranks on GPUs", "late") ==
          std::vector<std::string>{"barrier: rank 0: not all ranks took part within 3000 ms",
                                   "late"});
}

TEST_CASE("sharded work of one of two ranks on GPUs", "[.fresh]") {
    const std::string argument = std::getenv("KGEN_TEST_ARGUMENT");
    const Communicator world = Communicator::world({.timeout = std::chrono::seconds(5)});
    set_current_device(world.device(world.rank()));
    if (const auto file = argument.find(' '); file != std::string::npos)
        return report(test::ShardedTrials(world, std::stoull(argument.substr(0, file)))
                          .run(100, argument.substr(file + 1)));
    const ShardedArray x = shard(arange(10, float64), Sharding::split(0), world);
    const ShardedArray z = empty_sharded({10}, float64, Sharding::split(0), world);
    ShardedArray total;
    const auto step = [&] {
        x += 1;
        z.assign(x * 2);
        total = sum(z);
    };
    step();  // compiles, which a capture may not
    if (argument == "killed") {
        synchronize();
        if (world.rank() == 1) std::raise(SIGKILL);
        return report(KGEN_MESSAGE_OF(CommunicationError, (step(), synchronize())) + " " +
                      KGEN_MESSAGE_OF(CommunicationError, world.barrier()));
    }
    const Graph graph = capture(Stream::create(), step);
    for (int k = 0; k < 3; ++k) graph.launch();
    synchronize();
    report(
        fmt::format("{} {}", array_equal(gather(z), (arange(10, float64) + 4) * 2), gather(total)));
}

TEST_CASE("gpu: random work of two processes on sharded arrays gives what one array gives",
          "[gpu][shard]") {
    if (!has_two_gpus()) return;
    const TempDir folder;
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    CHECK(run_two("sharded work of one of two ranks on GPUs",
                  fmt::format("{} {}", seed, folder / "trials.npy")) ==
          std::vector<std::string>{"good", "good"});
}

TEST_CASE("gpu: a captured reduction over ranks is replayed with NCCL", "[gpu][shard]") {
    if (!has_two_gpus()) return;
    CHECK(run_two("sharded work of one of two ranks on GPUs", "graph") ==
          std::vector<std::string>{"true 170.0", "true 170.0"});
}

TEST_CASE("gpu: a rank whose process is killed is noticed within the timeout", "[gpu][shard]") {
    if (!has_two_gpus()) return;
    const auto start = std::chrono::steady_clock::now();
    const std::string text = run_two("sharded work of one of two ranks on GPUs", "killed")[0];
    INFO(text);
    CHECK(text.find("rank 0") != std::string::npos);
    CHECK(text.find("the communicator was aborted, or an operation on it has failed before") !=
          std::string::npos);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("gpu: random work on sharded arrays of several GPUs gives what one array gives",
          "[gpu][shard]") {
    if (!has_two_gpus()) return;
    const TempDir folder;
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    for (const std::vector<int>& gpus : {{0, 1}, {1, 0, 1}, all_gpus(), all_gpus(2)}) {
        CAPTURE(gpus);
        CHECK(test::ShardedTrials(ranks_of(gpus), seed + gpus.size())
                  .run(gpus.size() > 3 ? 50 : 100, folder / "trials.npy") == "good");
    }
}

TEST_CASE("gpu: large arrays that are split over GPUs are moved right", "[gpu][shard]") {
    if (!has_two_gpus()) return;
    const Communicator ranks = ranks_of(all_gpus());
    const Array whole = arange(8192 * 8192, int32).reshape(8192, 8192);
    const ShardedArray rows = shard(whole, Sharding::split(0), ranks);
    for (int round = 0; round < 20; ++round) {
        const ShardedArray columns = reshard(rows, Sharding::split(1));
        rows.assign(rows + 1);  // may not overtake the copies
        CHECK(array_equal(gather(columns), whole + round));
        CHECK(array_equal(gather(reshard(columns, Sharding::split(0))), whole + round));
    }
}
