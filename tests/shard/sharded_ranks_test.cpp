// SPDX-License-Identifier: MIT
//
// Sharded arrays of four and of eight processes, which mpirun starts.
#include <fmt/format.h>

#include <random>

#include "support/catch.hpp"
#include "support/mpi_ranks.hpp"
#include "support/rounds.hpp"
#include "support/temp_dir.hpp"

TEST_CASE("random work of processes on sharded arrays gives what one array gives",
          "[shard][random]") {
    if (!has_mpirun()) return;
    const TempDir folder;
    const auto seed = std::random_device()();
    const auto arguments = [&](int trials) {
        return fmt::format("sharded {} {} {}", seed, trials, folder / "trials.npy");
    };
    for (const MpiRun& run :
         {run_ranks(arguments(is_sanitized ? 10 : 20)), run_eight(arguments(6))}) {
        INFO("seed " << seed << ", " << run.ranks << " ranks\n" << run.output);
        CHECK(run.all_say("good"));
        CHECK(run.output.find("other bits") == std::string::npos);
        CHECK(run.exit_status == 0);
    }
}

TEST_CASE("one of eight ranks that is missing is named by the seven others", "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun killed = run_eight("killed 4000", "--enable-recovery");
    const MpiRun throws = run_eight("throws 4000", "--enable-recovery");
    const auto named = [](int rank, const char* operation) {
        return fmt::format(
            "{0}: {1}, call 2: rank {0}: rank 1 did not call it within 4000 ms [rank {0}, peer 1, "
            "{1}]",
            rank,
            operation);
    };
    INFO(killed.output << throws.output);
    for (const int rank : {0, 2, 3, 4, 5, 6, 7}) {
        CHECK(killed.says(named(rank, "barrier")));
        CHECK(throws.says(named(rank, "allgather")));
    }
}
