// SPDX-License-Identifier: MIT
#include <kgen/communicator.hpp>
#include <kgen/error.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "shard/world_variables.hpp"
#include "support/catch.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Sets these variables of launchers, and removes the others.
class Launched {
public:
    explicit Launched(const Variables& variables) {
        for (const char* name : {"RANK",
                                 "WORLD_SIZE",
                                 "LOCAL_RANK",
                                 "OMPI_COMM_WORLD_RANK",
                                 "OMPI_COMM_WORLD_SIZE",
                                 "OMPI_COMM_WORLD_LOCAL_RANK",
                                 "PMI_RANK",
                                 "PMI_SIZE",
                                 "MPI_LOCALRANKID",
                                 "SLURM_PROCID",
                                 "SLURM_NTASKS",
                                 "SLURM_LOCALID"}) {
            std::optional<std::string> value;
            for (const auto& [variable, text] : variables) {
                if (variable == name) value = text;
            }
            scopes_.push_back(std::make_unique<ScopedVariable>(name, value));
        }
    }

private:
    std::vector<std::unique_ptr<ScopedVariable>> scopes_;
};

}  // namespace

TEST_CASE("a process without a launcher is the only rank", "[shard]") {
    const Launched none(Variables{});
    const WorldVariables world = read_world_variables();
    CHECK(world.rank == 0);
    CHECK(world.size == 1);
    CHECK_FALSE(world.has_launcher);
    const Communicator ranks = Communicator::world({.device = Device::host()});
    CHECK(ranks.size() == 1);
    CHECK(ranks.rank() == 0);
    CHECK(ranks.engine() == "process");
    CHECK(ranks.device(0) == Device::host());
}

TEST_CASE("the variables of each launcher are read", "[shard]") {
    const auto check = [](const Variables& variables, bool is_mpi, int local_rank) {
        INFO(variables[0].first);
        const Launched launched(variables);
        const WorldVariables world = read_world_variables();
        CHECK(world.rank == 5);
        CHECK(world.size == 8);
        CHECK(world.local_rank == local_rank);
        CHECK(world.has_launcher);
        CHECK(world.is_mpi == is_mpi);
    };
    check({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}}, false, 1);
    check({{"RANK", "5"}, {"WORLD_SIZE", "8"}}, false, 5);
    check({{"OMPI_COMM_WORLD_RANK", "5"},
           {"OMPI_COMM_WORLD_SIZE", "8"},
           {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}},
          true,
          2);
    check({{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}}, true, 5);
    check({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "3"}}, false, 3);
    // Variables of two launchers may say the same.
    check({{"RANK", "5"},
           {"WORLD_SIZE", "8"},
           {"LOCAL_RANK", "1"},
           {"PMI_RANK", "5"},
           {"PMI_SIZE", "8"}},
          true,
          1);
    // A launcher within a job of Slurm passes the variables of the job's task on.
    check({{"RANK", "5"},
           {"WORLD_SIZE", "8"},
           {"LOCAL_RANK", "1"},
           {"SLURM_PROCID", "0"},
           {"SLURM_NTASKS", "2"}},
          false,
          1);
}

TEST_CASE("an allocation of Slurm without a task starts no rank", "[shard]") {
    const Launched launched(Variables{{"SLURM_NTASKS", "8"}});
    CHECK_FALSE(read_world_variables().has_launcher);
}

TEST_CASE("variables that contradict each other or are missing are errors", "[shard]") {
    const auto message = [](const Variables& variables) {
        const Launched launched(variables);
        return KGEN_MESSAGE_OF(CommunicationError, Communicator::world({.device = Device::host()}));
    };
    CHECK(message({{"RANK", "1"},
                   {"WORLD_SIZE", "4"},
                   {"OMPI_COMM_WORLD_RANK", "2"},
                   {"OMPI_COMM_WORLD_SIZE", "4"}}) ==
          "RANK is 1, but OMPI_COMM_WORLD_RANK is 2; unset the variables of one launcher");
    CHECK(message({{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "5"}}) ==
          "WORLD_SIZE is 4, but PMI_SIZE is 5; unset the variables of one launcher");
    CHECK(message({{"RANK", "1"}}) ==
          "RANK is 1, but WORLD_SIZE is not set; set both, or unset RANK");
    CHECK(message({{"WORLD_SIZE", "3"}}) ==
          "WORLD_SIZE is 3, but RANK is not set; set both, or unset WORLD_SIZE");
    CHECK(message({{"SLURM_PROCID", "3"}}) ==
          "SLURM_PROCID is 3, but SLURM_NTASKS is not set; set both, or unset SLURM_PROCID");
    CHECK(message({{"RANK", "4"}, {"WORLD_SIZE", "4"}}) ==
          "RANK is 4, expected a number below WORLD_SIZE, which is 4");
    CHECK(message({{"RANK", "x"}, {"WORLD_SIZE", "4"}}) == "RANK is 'x', expected a number from 0");
    CHECK(message({{"RANK", "-1"}, {"WORLD_SIZE", "4"}}) ==
          "RANK is '-1', expected a number from 0");
}

TEST_CASE("join() wants a GPU and a rank below the size", "[shard]") {
    CHECK(KGEN_MESSAGE_OF(CommunicationError, Communicator::join({}, 2, 2)) ==
          "join: got rank 2 of 2, expected a rank from 0 to below the size");
    CHECK(KGEN_MESSAGE_OF(CommunicationError,
                          Communicator::join({}, 0, 2, {.device = Device::host()})) ==
          "join: rank 0 is on host, expected a GPU; ranks on the host find each other by MPI, in "
          "Communicator::world()");
}
