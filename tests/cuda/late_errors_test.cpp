// SPDX-License-Identifier: MIT
//
// Verbs that a GPU has queued and that wait for a rank which does not come, on the fake driver.
#include <array>
#include <chrono>
#include <kgen/kgen.hpp>
#include <memory>
#include <thread>

#include "shard/guarded_engine.hpp"
#include "support/fresh_driver.hpp"

using namespace kgen;

namespace {

// One of two ranks. What it queues is never done.
class LonelyEngine final : public Engine {
public:
    std::string_view name() const noexcept override { return "lonely"; }
    int size() const noexcept override { return 2; }
    std::span<const int> local_ranks() const noexcept override { return ranks_; }
    std::span<const Device> devices() const noexcept override { return devices_; }
    void allgather(std::span<const RankTransfer>) override {}
    void all_to_all(std::span<const RankTransfer>) override {}
    void broadcast(std::span<const RankTransfer>, int) override {}
    void barrier() override {}
    bool poll() override {
        if (++questions_ < 3) return false;
        throw CommunicationError("allgather: rank 0: not all ranks took part within 1 ms", 0);
    }
    void wait() override {}
    void abort() noexcept override { is_aborted_ = true; }
    bool is_aborted() const noexcept override { return is_aborted_; }

private:
    std::array<int, 1> ranks_ = {0};
    std::array<Device, 1> devices_ = {Device::cuda(0)};
    int questions_ = 0;
    std::atomic<bool> is_aborted_ = false;
};

}  // namespace

TEST_CASE("an operation that waits for a missing rank ends, and the next wait for the GPU tells it",
          "[cuda][shard]") {
    if (!in_new_process("1")) return;
    GuardedEngine engine(std::make_unique<LonelyEngine>());
    const Array memory = zeros({12}, uint8, {.device = Device::cuda(0)});
    auto* const data = static_cast<std::byte*>(memory.data());
    const RankTransfer transfer{.sends = {std::span<const std::byte>(data, 4)},
                                .receives = {std::span<std::byte>(data + 4, 8)},
                                .stream = Stream::legacy(Device::cuda(0))};
    engine.allgather({&transfer, 1});
    for (int k = 0; k < 1000 && !engine.is_aborted(); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(engine.is_aborted());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(KGEN_MESSAGE_OF(CommunicationError, synchronize(Device::cuda(0))) ==
          "allgather: rank 0: not all ranks took part within 1 ms");
    synchronize(Device::cuda(0));  // it is told once
    CHECK(KGEN_MESSAGE_OF(CommunicationError, engine.barrier())
              .starts_with("barrier: rank 0: the communicator was aborted"));
    report("ok");
}
