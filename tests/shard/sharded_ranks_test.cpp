// SPDX-License-Identifier: MIT
//
// Sharded arrays of four processes, which mpirun starts.
#include <fmt/format.h>

#include <random>

#include "support/catch.hpp"
#include "support/mpi_ranks.hpp"
#include "support/rounds.hpp"
#include "support/temp_dir.hpp"

TEST_CASE("random work of four processes on sharded arrays gives what one array gives",
          "[shard][random]") {
    if (!has_mpirun()) return;
    const TempDir folder;
    const auto seed = std::random_device()();
    const MpiRun run = run_ranks(
        fmt::format("sharded {} {} {}", seed, is_sanitized ? 10 : 40, folder / "trials.npy"));
    INFO("seed " << seed << "\n" << run.output);
    CHECK(run.all_say("good"));
    CHECK(run.output.find("other bits") == std::string::npos);
    CHECK(run.exit_status == 0);
}
