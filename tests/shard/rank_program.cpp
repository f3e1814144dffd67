// SPDX-License-Identifier: MIT
//
// One rank of the tests of communicators: kgen_rank MODE [ARGUMENTS], started by mpirun. Prints lines "rank: text".
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <kgen/kgen.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "shard/mpi_engine.hpp"
#include "shard/world_variables.hpp"
#include "support/sharded_trials.hpp"
#include "support/verb_trials.hpp"

using namespace kgen;

namespace {

int own_rank = 0;

void say(const std::string& text) {
    fmt::print("{}: {}\n", own_rank, text);
    std::fflush(stdout);
}

int ranks() {
    return read_world_variables().size;
}

void pause(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

template <typename Call>
void say_error(Call call) {
    try {
        call();
        say("no error");
    } catch (const CommunicationError& error) {
        say(fmt::format("{} [rank {}, peer {}, {}]",
                        error.what(),
                        error.rank(),
                        error.peer(),
                        error.operation()));
    }
}

// For errors of other types.
template <typename Call>
void say_message(Call call) {
    try {
        call();
        say("no error");
    } catch (const Error& error) {
        say(error.what());
    }
}

// Calls a verb with parts of so many bytes, in memory of its own.
struct Call {
    std::vector<std::byte> memory = std::vector<std::byte>(4096);
    RankTransfer transfer{.stream = Stream::legacy(Device::host())};

    void allgather(Engine& engine, std::size_t bytes) {
        transfer.sends = {std::span<const std::byte>(memory).first(bytes)};
        transfer.receives = {
            std::span(memory).subspan(1024).first(bytes * static_cast<std::size_t>(engine.size()))};
        engine.allgather({&transfer, 1});
    }
    void broadcast(Engine& engine, int root, std::size_t bytes) {
        transfer.sends.clear();
        transfer.receives.clear();
        if (own_rank == root) transfer.sends = {std::span<const std::byte>(memory).first(bytes)};
        if (own_rank != root) transfer.receives = {std::span(memory).first(bytes)};
        engine.broadcast({&transfer, 1}, root);
    }
    // Rank `odd` sends 7 bytes instead of 5 to rank 0.
    void all_to_all(Engine& engine, int odd) {
        for (int peer = 0; peer < engine.size(); ++peer) {
            const std::size_t bytes = own_rank == odd && peer == 0 ? 7 : 5;
            transfer.sends.push_back(std::span<const std::byte>(memory).first(bytes));
            transfer.receives.push_back(
                std::span(memory).subspan(64 + 64 * static_cast<std::size_t>(peer)).first(5));
        }
        engine.all_to_all({&transfer, 1});
    }
};

CommunicatorOptions with_timeout(int ms) {
    return {.timeout = std::chrono::milliseconds(ms), .device = Device::host()};
}

void run_verbs(std::uint64_t seed) {
    MpiEngine engine(own_rank, ranks(), std::chrono::seconds(30), 1000);
    say(test::VerbTrials(engine, seed).run(60));
}

void run_world() {
    const Communicator world = Communicator::world(with_timeout(20000));
    world.barrier();
    say(fmt::format("rank {} of {} by {} on {}, {} local",
                    world.rank(),
                    world.size(),
                    world.engine(),
                    to_text(world.device(world.rank())),
                    world.local_ranks().size()));
    say_message([&] { static_cast<void>(world.device(world.size())); });
}

// On GPUs, which are those of the fake driver.
void run_gpu_world() {
    const Communicator world = Communicator::world();
    world.barrier();
    say(fmt::format("{} {}", world.engine(), to_text(world.device(world.rank()))));
}

void run_mismatch(const std::string& kind) {
    const Communicator world = Communicator::world(with_timeout(5000));
    Engine& engine = CommunicatorAccess::engine(world);
    Call call;
    engine.barrier();
    say_error([&] {
        if (kind == "verb" && own_rank == 0) return call.allgather(engine, 8);
        if (kind == "verb") return call.broadcast(engine, 2, 8);
        if (kind == "root") return call.broadcast(engine, own_rank == 3 ? 1 : 2, 8);
        if (kind == "size") return call.all_to_all(engine, 1);
        call.allgather(engine, own_rank == 2 ? 9 : 8);
    });
    say_error([&] { world.barrier(); });
}

// Rank 1 comes late.
void run_late(int ms, int timeout_ms) {
    const Communicator world = Communicator::world(with_timeout(timeout_ms));
    world.barrier();
    if (own_rank == 1) pause(ms);
    Call call;
    say_error([&] { call.allgather(CommunicatorAccess::engine(world), 8); });
    say(world.is_aborted() ? "aborted" : "alive");
    pause(ms + 500);  // so that no rank ends before the others have spoken
}

void run_abort() {
    const Communicator world = Communicator::world(with_timeout(20000));
    world.barrier();
    if (own_rank == 2) {
        pause(200);
        world.abort();
    }
    const auto start = std::chrono::steady_clock::now();
    say_error([&] { world.barrier(); });
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(5)) say("slow");
    pause(500);
}

// abort() ends a verb that waits on another thread of the same rank.
void run_abort_from_thread() {
    const Communicator world = Communicator::world(with_timeout(20000));
    world.barrier();
    if (own_rank != 0) {
        pause(1500);
        say_error([&] { world.barrier(); });
        return pause(1000);
    }
    std::thread aborting([&] {
        pause(200);
        world.abort();
    });
    say_error([&] { world.barrier(); });
    aborting.join();
    pause(3000);
}

void run_killed(int timeout_ms) {
    const Communicator world = Communicator::world(with_timeout(timeout_ms));
    world.barrier();
    if (own_rank == 1) std::raise(SIGKILL);
    say_error([&] { world.barrier(); });
}

// Rank 1 throws between two operations, and its communicator ends with the stack.
void run_throws(int timeout_ms) {
    const Communicator world = Communicator::world(with_timeout(timeout_ms));
    const ShardedArray x = shard(arange(8, float32), Sharding::split(0), world);
    if (gather(sum(x)).item<float>() != 28) say("wrong");
    if (own_rank == 1) throw std::runtime_error("between two operations");
    const auto start = std::chrono::steady_clock::now();
    say_error([&] { gather(sum(x * 2)); });
    if (std::chrono::steady_clock::now() - start > std::chrono::milliseconds(3 * timeout_ms))
        say("slow");
    say(world.is_aborted() ? "aborted" : "alive");
    say(fmt::format("still has {} elements", x.local().size()));
}

// Rank 1 is killed while bytes are on their way.
void run_killed_in_transfer() {
    MpiEngine engine(own_rank, ranks(), std::chrono::seconds(1), 1 << 16);
    const std::vector<std::byte> part(8 << 20);
    std::vector<std::byte> all(part.size() * static_cast<std::size_t>(ranks()));
    const RankTransfer transfer{
        .sends = {part}, .receives = {all}, .stream = Stream::legacy(Device::host())};
    engine.barrier();
    std::thread killer;
    if (own_rank == 1) {
        killer = std::thread([] {
            pause(60);
            std::raise(SIGKILL);
        });
    }
    say_error([&] {
        for (;;) engine.allgather({&transfer, 1});
    });
}

// Random work on sharded arrays, and 100 runs of a reduction, whose bits rank 0 prints.
void run_sharded(std::uint64_t seed, int count, const std::string& file, Device device) {
    const Communicator world =
        Communicator::world({.timeout = std::chrono::seconds(60), .device = device});
    const DeviceScope scope(device);
    say(test::ShardedTrials(world, seed).run(count, file));
    const Array values = sin(arange(10'007, float32) * 12.9898F) * 43758.5453F;
    const ShardedArray x = shard(values, Sharding::split(0), world);
    const float first = gather(sum(x)).item<float>();
    for (int run = 0; run < 100; ++run)
        if (gather(sum(x)).item<float>() != first) say("other bits");
    say(fmt::format("sum {:a}", first));
}

void run_two(std::uint64_t seed) {
    const Communicator first = Communicator::world(with_timeout(30000));
    const Communicator second = Communicator::world(with_timeout(30000));
    if (first == second) say("equal");
    std::string of_second;
    std::thread other(
        [&] { of_second = test::VerbTrials(CommunicatorAccess::engine(second), seed).run(30); });
    const std::string of_first =
        test::VerbTrials(CommunicatorAccess::engine(first), seed + 1).run(30);
    other.join();
    say(of_first + " " + of_second);
}

// A communicator that is never destroyed does not disturb MPI's end.
void run_kept() {
    auto* const world = new Communicator(Communicator::world(with_timeout(20000)));
    world->barrier();
    say("kept");
}

}  // namespace

int main(int count, char** arguments) {
    own_rank = read_world_variables().rank;
    const std::string mode = arguments[1];
    const auto number = [&](int k) {
        return k < count ? std::strtoull(arguments[k], nullptr, 10) : 0;
    };
    try {
        if (mode == "verbs") run_verbs(number(2));
        if (mode == "world") run_world();
        if (mode == "gpu_world") run_gpu_world();
        if (mode == "mismatch") run_mismatch(arguments[2]);
        if (mode == "late") run_late(static_cast<int>(number(2)), static_cast<int>(number(3)));
        if (mode == "abort") run_abort();
        if (mode == "abort_from_thread") run_abort_from_thread();
        if (mode == "killed") run_killed(static_cast<int>(number(2)));
        if (mode == "throws") run_throws(static_cast<int>(number(2)));
        if (mode == "killed_in_transfer") run_killed_in_transfer();
        if (mode == "sharded" || mode == "gpu_sharded") {
            const int local = read_world_variables().local_rank;
            run_sharded(number(2),
                        static_cast<int>(number(3)),
                        arguments[4],
                        mode == "sharded" ? Device::host() : Device::cuda(local));
        }
        if (mode == "two") run_two(number(2));
        if (mode == "kept") run_kept();
    } catch (const std::exception& error) {
        say(std::string("threw ") + error.what());
        return 1;
    }
}
