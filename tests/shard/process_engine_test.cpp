// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <kgen/communicator.hpp>
#include <kgen/error.hpp>
#include <random>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/verb_trials.hpp"

using namespace kgen;

namespace {

RankTransfer on_host() {
    return {.stream = Stream::legacy(Device::host())};
}

}  // namespace

TEST_CASE("ranks of one process exchange the expected bytes", "[shard]") {
    const auto seed = std::random_device()();
    for (const Device device : test::present_devices()) {
        for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{8}}) {
            INFO(fmt::format("seed {}, {} ranks on {}", seed, size, to_text(device)));
            const Communicator ranks = Communicator::of_devices(std::vector<Device>(size, device));
            CHECK(ranks.engine() == "process");
            CHECK(ranks.size() == static_cast<int>(size));
            CHECK(ranks.local_ranks().size() == size);
            CHECK(ranks.device(ranks.size() - 1) == device);
            CHECK(test::VerbTrials(CommunicatorAccess::engine(ranks), seed).run(100) == "good");
        }
    }
}

TEST_CASE("a communicator may have ranks on the host and on a GPU", "[shard]") {
    if (!test::has_gpu()) {
        WARN("SKIPPED: no CUDA device");
        return;
    }
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    const std::array devices = {Device::host(), Device::cuda(0), Device::host(), Device::cuda(0)};
    const Communicator ranks = Communicator::of_devices(devices);
    CHECK(test::VerbTrials(CommunicatorAccess::engine(ranks), seed).run(100) == "good");
}

TEST_CASE("copies of a communicator are the same one", "[shard]") {
    const std::array devices = {Device::host(), Device::host()};
    const Communicator ranks = Communicator::of_devices(devices);
    const Communicator copy = ranks;
    CHECK(copy == ranks);
    CHECK_FALSE(copy == Communicator::of_devices(devices));
    CHECK(KGEN_MESSAGE_OF(ShapeError, ranks.device(2)) ==
          "device: rank 2 is not in this process, which has the ranks 0, 1");
    CHECK(
        KGEN_MESSAGE_OF(CommunicationError, Communicator::of_devices(std::span<const Device>())) ==
        "a communicator needs at least one device");
    CHECK(KGEN_MESSAGE_OF(DeviceError, Communicator::of_devices({4711, 4711})) !=
          "(nothing of type DeviceError thrown)");
}

TEST_CASE("an aborted communicator refuses every operation", "[shard]") {
    const std::array devices = {Device::host(), Device::host()};
    const Communicator ranks = Communicator::of_devices(devices);
    CHECK_FALSE(ranks.is_aborted());
    ranks.barrier();
    ranks.abort();
    CHECK(ranks.is_aborted());
    CHECK(KGEN_MESSAGE_OF(CommunicationError, ranks.barrier()) ==
          "barrier: rank 0: the communicator was aborted, or an operation on it has failed before; "
          "make a new communicator");
    CHECK_THROWS_AS(CommunicatorAccess::engine(ranks).wait(), CommunicationError);
}

TEST_CASE("sizes of two ends that disagree are errors that name both ranks", "[shard]") {
    const std::vector<std::byte> source(100);
    std::vector<std::byte> target(100);
    const auto sent = [&](std::size_t bytes) {
        return std::span<const std::byte>(source).first(bytes);
    };
    const auto place = [&](std::size_t bytes) { return std::span<std::byte>(target).first(bytes); };
    const std::array devices = {Device::host(), Device::host()};
    std::vector<RankTransfer> transfers = {on_host(), on_host()};
    const auto message = [&](auto call) {
        const Communicator ranks = Communicator::of_devices(devices);
        const std::string text =
            KGEN_MESSAGE_OF(CommunicationError, call(CommunicatorAccess::engine(ranks)));
        CHECK(ranks.is_aborted());
        return text;
    };

    for (RankTransfer& each : transfers) {
        each.sends = {sent(8)};
        each.receives = {place(16)};
    }
    transfers[1].sends = {sent(4)};
    transfers[1].receives = {place(8)};
    CHECK(message([&](Engine& engine) { engine.allgather(transfers); }) ==
          "allgather: rank 1 expects 4 bytes of rank 0, which sends 8");

    for (RankTransfer& each : transfers) {
        each.sends = {sent(8), sent(8)};
        each.receives = {place(8), place(8)};
    }
    transfers[0].sends[1] = sent(9);
    CHECK(message([&](Engine& engine) { engine.all_to_all(transfers); }) ==
          "all_to_all: rank 1 expects 8 bytes of rank 0, which sends 9");
    transfers[0].sends.pop_back();
    CHECK(message([&](Engine& engine) { engine.all_to_all(transfers); }) ==
          "all_to_all: rank 0: got 1 parts to send, expected 2");

    transfers[0].receives = {place(5)};
    transfers[1].sends = {sent(6)};
    CHECK(message([&](Engine& engine) { engine.broadcast(transfers, 1); }) ==
          "broadcast: rank 0 expects 5 bytes of rank 1, which sends 6");
    CHECK(message([&](Engine& engine) { engine.broadcast(transfers, 2); }) ==
          "broadcast: got root 2, expected a rank from 0 to 1");
    CHECK(message([&](Engine& engine) {
              engine.broadcast({transfers.data(), 1}, 0);
          }) == "broadcast: got parts of 1 ranks, expected those of the 2 ranks of this process");
}
