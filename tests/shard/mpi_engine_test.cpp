// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/communicator.hpp>
#include <kgen/error.hpp>
#include <random>
#include <string>

#include "support/child_process.hpp"
#include "support/mpi_ranks.hpp"

using namespace kgen;

TEST_CASE("ranks that mpirun started exchange the expected bytes", "[shard]") {
    if (!has_mpirun()) return;
    const auto seed = std::random_device()();
    const std::string arguments = fmt::format("verbs {}", seed);
    for (const MpiRun& run : {run_ranks(arguments), run_eight(arguments)}) {
        INFO("seed " << seed << "\n" << run.output);
        CHECK(run.all_say("good"));
        CHECK(run.exit_status == 0);
    }
}

TEST_CASE("world() knows its ranks", "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("world");
    INFO(run.output);
    for (int rank = 0; rank < 4; ++rank) {
        CHECK(run.says(fmt::format("{}: rank {} of 4 by mpi on host, 1 local", rank, rank)));
        CHECK(run.says(fmt::format(
            "{}: device: rank 4 is not in this process, which has the ranks {}", rank, rank)));
    }
    CHECK(run.exit_status == 0);
}

TEST_CASE("two communicators of the same ranks do not disturb each other", "[shard]") {
    if (!has_mpirun()) return;
    const auto seed = std::random_device()();
    const MpiRun run = run_ranks(fmt::format("two {}", seed));
    INFO("seed " << seed << "\n" << run.output);
    CHECK(run.all_say("good good"));
    CHECK(run.exit_status == 0);
}

TEST_CASE("a communicator that is never destroyed does not disturb the end of MPI", "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("kept");
    INFO(run.output);
    CHECK(run.all_say("kept"));
    CHECK(run.exit_status == 0);
}

TEST_CASE("calls that do not match are errors on all ranks and name both operations", "[shard]") {
    if (!has_mpirun()) return;
    const std::string rule = "; all ranks must call the same operations in the same order";
    const MpiRun verb = run_ranks("mismatch verb");
    INFO(verb.output);
    CHECK(
        verb.says("0: allgather, call 2: rank 0: this rank called allgather (call 2), but rank 1 "
                  "called broadcast from rank "
                  "2 (call 2)" +
                  rule + " [rank 0, peer 1, allgather]"));
    for (int rank = 1; rank < 4; ++rank) {
        CHECK(
            verb.says(fmt::format("{}: broadcast, call 2: rank {}: this rank called broadcast from "
                                  "rank 2 (call 2), but rank "
                                  "0 called allgather (call 2){} [rank {}, peer 0, broadcast]",
                                  rank,
                                  rank,
                                  rule,
                                  rank)));
    }
    // Afterwards the communicator is of no use. MPI is, so that the ranks end well.
    CHECK(
        verb.says("3: barrier: rank 3: the communicator was aborted, or an operation on it has "
                  "failed before; make a new "
                  "communicator [rank 3, peer -1, barrier]"));
    CHECK(verb.exit_status == 0);

    const MpiRun root = run_ranks("mismatch root");
    INFO(root.output);
    CHECK(
        root.says("3: broadcast, call 2: rank 3: this rank called broadcast from rank 1 (call 2), "
                  "but rank 0 called broadcast "
                  "from rank 2 (call 2)" +
                  rule + " [rank 3, peer 0, broadcast]"));
}

TEST_CASE("sizes that do not match are errors on all ranks", "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("mismatch size");
    INFO(run.output);
    for (int rank = 0; rank < 2; ++rank) {
        CHECK(
            run.says(fmt::format("{}: all_to_all, call 2: rank {}: rank 0 expects 5 bytes of rank "
                                 "1, which sends 7 [rank {}, "
                                 "peer {}, all_to_all]",
                                 rank,
                                 rank,
                                 rank,
                                 1 - rank)));
    }
    for (int rank = 2; rank < 4; ++rank) {
        CHECK(
            run.says(fmt::format("{}: all_to_all, call 2: rank {}: two other ranks disagree on the "
                                 "number of bytes between "
                                 "them; their errors name them [rank {}, peer -1, all_to_all]",
                                 rank,
                                 rank,
                                 rank)));
    }
    const MpiRun gather = run_ranks("mismatch allgather");
    INFO(gather.output);
    CHECK(
        gather.says("3: allgather, call 2: rank 3: rank 3 expects 8 bytes of rank 2, which sends 9 "
                    "[rank 3, peer 2, allgather]"));
}

TEST_CASE("a rank that comes late within the timeout is waited for", "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("late 300 60000");
    INFO(run.output);
    CHECK(run.all_say("no error"));
    CHECK(run.all_say("alive"));
    CHECK(run.exit_status == 0);
}

TEST_CASE("a rank that comes after the timeout is named, and learns that it is too late",
          "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("late 1500 500");
    INFO(run.output);
    for (const int rank : {0, 2, 3}) {
        CHECK(
            run.says(fmt::format("{}: allgather, call 2: rank {}: rank 1 did not call it within "
                                 "500 ms [rank {}, peer 1, "
                                 "allgather]",
                                 rank,
                                 rank,
                                 rank)));
        CHECK(run.says(fmt::format("{}: aborted", rank)));
    }
    CHECK(run.output.find("1: allgather, call 2: rank 1: rank ") != std::string::npos);
    CHECK(run.output.find(" gave up: rank 1 did not call it within 500 ms") != std::string::npos);
    CHECK(run.says("1: aborted"));
    // mpirun reports ranks that did not finalise MPI.
    CHECK(run.exit_status != 0);
}

TEST_CASE("a rank that is killed is named by the others", "[shard]") {
    if (!has_mpirun()) return;
    // Without the option mpirun kills the other ranks too.
    const MpiRun run = run_ranks("killed 1000", "--enable-recovery");
    INFO(run.output);
    for (const int rank : {0, 2, 3}) {
        CHECK(run.says(fmt::format(
            "{}: barrier, call 2: rank {}: rank 1 did not call it within 1000 ms [rank {}, peer 1, "
            "barrier]",
            rank,
            rank,
            rank)));
    }
}

TEST_CASE("a rank that throws between operations is named by the others within the timeout",
          "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("throws 1000", "--enable-recovery");
    INFO(run.output);
    CHECK(run.says("1: threw between two operations"));
    for (const int rank : {0, 2, 3}) {
        CHECK(run.says(fmt::format(
            "{}: allgather, call 2: rank {}: rank 1 did not call it within 1000 ms [rank {}, peer "
            "1, allgather]",
            rank,
            rank,
            rank)));
        CHECK(run.says(fmt::format("{}: aborted", rank)));
        CHECK(run.says(fmt::format("{}: still has 2 elements", rank)));
    }
    CHECK(run.output.find("slow") == std::string::npos);
}

TEST_CASE("a rank that is killed while bytes are on their way is an error on the others",
          "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("killed_in_transfer", "--enable-recovery");
    INFO(run.output);
    for (const int rank : {0, 2, 3}) {
        CHECK(run.output.find(fmt::format("{}: allgather, call ", rank)) != std::string::npos);
    }
    const bool is_in_transfer =
        run.output.find("nothing moved between it and rank") != std::string::npos;
    const bool is_before =
        run.output.find(": rank 1 did not call it within 1000 ms") != std::string::npos;
    CHECK((is_in_transfer || is_before));
}

TEST_CASE("abort() reaches the ranks that wait", "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("abort");
    INFO(run.output);
    for (const int rank : {0, 1, 3}) {
        CHECK(
            run.says(fmt::format("{}: barrier, call 2: rank {}: rank 2 gave up: abort() was called "
                                 "there, or an operation "
                                 "failed [rank {}, peer 2, barrier]",
                                 rank,
                                 rank,
                                 rank)));
    }
    CHECK(run.output.find("slow") == std::string::npos);
}

TEST_CASE("abort() ends an operation that waits on another thread", "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("abort_from_thread");
    INFO(run.output);
    CHECK(
        run.says("0: barrier, call 2: rank 0: the communicator was aborted meanwhile [rank 0, peer "
                 "-1, barrier]"));
    for (int rank = 1; rank < 4; ++rank) {
        CHECK(
            run.says(fmt::format("{}: barrier, call 2: rank {}: rank 0 gave up: abort() was called "
                                 "there, or an operation "
                                 "failed [rank {}, peer 0, barrier]",
                                 rank,
                                 rank,
                                 rank)));
    }
}

TEST_CASE("ranks that this MPI's mpirun did not start are told so", "[shard]") {
    if (!has_mpirun()) return;
    const MpiRun run = run_ranks("world", "", "env RANK=0 WORLD_SIZE=2");
    INFO(run.output);
    CHECK(run.output.find("0: threw the environment says rank 0 of 2, but MPI '") !=
          std::string::npos);
    CHECK(
        run.says("' says rank 0 of 1; start the ranks with mpirun of this MPI, or set "
                 "KGEN_MPI_PATH to the library of the "
                 "mpirun that started them"));
    CHECK(run.exit_status == 1);
}

TEST_CASE("an MPI that is missing or is another library is named", "[shard]") {
    const auto message = [](const std::string& path) {
        return said_by_child([&] {
            ::setenv("RANK", "0", 1);
            ::setenv("WORLD_SIZE", "2", 1);
            ::setenv("KGEN_MPI_PATH", path.c_str(), 1);
            return KGEN_MESSAGE_OF(CommunicationError,
                                   Communicator::world({.device = Device::host()}));
        });
    };
    CHECK(message("/nonexistent/libmpi.so.40") ==
          "no MPI: KGEN_MPI_PATH='/nonexistent/libmpi.so.40' cannot be opened: "
          "/nonexistent/libmpi.so.40: cannot open shared "
          "object file: No such file or directory; set it to the file of libmpi.so.40");
    const std::string other = message("libm.so.6");
    CHECK(other.find("libm.so.6' is not MPI, or too old: it has no MPI_Get_library_version; set "
                     "KGEN_MPI_PATH to another file") != std::string::npos);
}
