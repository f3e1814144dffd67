// SPDX-License-Identifier: MIT
//
// NcclEngine on the fake driver and the fake NCCL.
#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <kgen/communicator.hpp>
#include <random>

#include "support/fake_nccl.hpp"
#include "support/fresh_driver.hpp"
#include "support/mpi_ranks.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"
#include "support/verb_trials.hpp"

using namespace kgen;

namespace {

const CommunicatorOptions impatient = {.timeout = std::chrono::milliseconds(200)};

void use_fake_nccl() {
    ::setenv("KGEN_NCCL_PATH", KGEN_FAKE_NCCL, 1);
    ::unsetenv("NCCL_NVLS_ENABLE");
}

const FakeNcclState& nccl() {
    static void* const library = ::dlopen(KGEN_FAKE_NCCL, RTLD_NOW | RTLD_NOLOAD);
    const auto state = reinterpret_cast<FakeNcclState* (*)()>(::dlsym(library, "fake_nccl_state"));
    return *state();
}

}  // namespace

TEST_CASE("GPUs that all differ exchange the expected bytes by NCCL", "[cuda][shard]") {
    if (!in_new_process("3")) return;
    use_fake_nccl();
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    {
        const Communicator ranks = Communicator::of_devices({0, 2, 1});
        CHECK(ranks.engine() == "nccl");
        CHECK(ranks.device(1) == Device::cuda(2));
        CHECK(nccl().live == 3);
        CHECK(nccl().is_multicast_off);
        const std::string result =
            test::VerbTrials(CommunicatorAccess::engine(ranks), seed).run(100);
        CHECK(result == "good");
        if (result != "good") return;
    }
    CHECK(nccl().live == 0);
    CHECK(nccl().finalized == 3);
    CHECK(nccl().aborted == 0);
    report("ok");
}

TEST_CASE("a GPU that is given twice needs no NCCL", "[cuda][shard]") {
    if (!in_new_process("2")) return;
    ::setenv("KGEN_NCCL_PATH", "/nonexistent/libnccl.so.2", 1);
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    const Communicator ranks = Communicator::of_devices({0, 1, 0});
    CHECK(ranks.engine() == "process");
    CHECK(test::VerbTrials(CommunicatorAccess::engine(ranks), seed).run(100) == "good");
    CHECK(Communicator::of_devices({1}).engine() == "process");
    const std::string text = KGEN_MESSAGE_OF(CommunicationError, Communicator::of_devices({0, 1}));
    CHECK(text.starts_with("no NCCL: KGEN_NCCL_PATH='/nonexistent/libnccl.so.2' cannot be opened"));
    report("ok");
}

TEST_CASE("processes on GPUs get NCCL's id by MPI or by a file", "[cuda][shard]") {
    if (!has_mpirun()) return;
    const TempDir folder;
    const ScopedVariable driver("KGEN_CUDA_PATH", FakeCuda::path());
    const ScopedVariable library("KGEN_NCCL_PATH", KGEN_FAKE_NCCL);
    const ScopedVariable gpus("FAKE_CUDA_DEVICES", "3");
    const ScopedVariable device("KGEN_DEVICE", std::nullopt);
    for (const std::string& path : std::vector<std::string>{"", folder / "meeting"}) {
        const ScopedVariable meeting("KGEN_RENDEZVOUS_FILE", path);
        const MpiRun run = run_ranks("gpu_world");
        INFO(path << run.output);
        for (int rank = 0; rank < 4; ++rank)
            CHECK(run.says(fmt::format("{}: nccl cuda:{}", rank, rank % 3)));
        CHECK(run.exit_status == 0);
    }
}

TEST_CASE("processes on GPUs need MPI or a file to find each other", "[cuda][shard]") {
    if (!in_new_process("2")) return;
    use_fake_nccl();
    ::unsetenv("KGEN_RENDEZVOUS_FILE");
    ::setenv("RANK", "1", 1);
    ::setenv("WORLD_SIZE", "2", 1);
    CHECK(KGEN_MESSAGE_OF(CommunicationError, Communicator::world()) ==
          "rank 1 of 2 cannot find the others: MPI did not start the ranks, and there is no "
          "rendezvous file; set "
          "KGEN_RENDEZVOUS_FILE to a path that all ranks see, or start the ranks with mpirun");
    report("ok");
}

TEST_CASE("a rank that does not come is an error after the timeout", "[cuda][shard]") {
    if (!in_new_process("2")) return;
    use_fake_nccl();
    {
        const ScopedVariable hang("FAKE_NCCL_HANG", "1");
        CHECK(KGEN_MESSAGE_OF(CommunicationError, Communicator::of_devices({0, 1}, impatient)) ==
              "the start of NCCL: rank 0: not all ranks came within 200 ms");
        CHECK(nccl().live == 0);
        CHECK(KGEN_MESSAGE_OF(CommunicationError,
                              Communicator::join(Communicator::make_id(), 1, 2, impatient)) ==
              "the start of NCCL: rank 1: not all ranks came within 200 ms");
    }
    const Communicator ranks = Communicator::of_devices({0, 1}, impatient);
    {
        const ScopedVariable hang("FAKE_NCCL_HANG", "1");
        CHECK(KGEN_MESSAGE_OF(CommunicationError, ranks.barrier()) ==
              "barrier: rank 0: not all ranks came within 200 ms");
    }
    CHECK(ranks.is_aborted());
    CHECK(nccl().live == 0);
    CHECK(KGEN_MESSAGE_OF(CommunicationError, ranks.barrier()) ==
          "barrier: rank 0: the communicator was aborted, or an operation on it has failed before; "
          "make a new communicator");
    report("ok");
}

TEST_CASE("errors of NCCL are errors of the communicator", "[cuda][shard]") {
    if (!in_new_process("2")) return;
    use_fake_nccl();
    const Communicator ranks = Communicator::of_devices({0, 1});
    {
        const ScopedVariable fail("FAKE_NCCL_FAIL", "6");
        CHECK(KGEN_MESSAGE_OF(CommunicationError, CommunicatorAccess::engine(ranks).poll()) ==
              "poll: rank 0: NCCL failed: remote process exited or there was a network error");
    }
    CHECK(ranks.is_aborted());
    CHECK(nccl().aborted == 2);
    const Communicator others = Communicator::of_devices({0, 1});
    others.abort();
    CHECK(nccl().aborted == 4);
    CHECK(nccl().live == 0);
    report("ok");
}
