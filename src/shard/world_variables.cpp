// SPDX-License-Identifier: MIT
#include "shard/world_variables.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <kgen/error.hpp>
#include <optional>

#include "text/environment.hpp"

namespace kgen {

namespace {

struct Launcher {
    const char* rank;
    const char* size;
    const char* local_rank;
    bool is_mpi = false;
};

constexpr std::array<Launcher, 3> launchers = {
    {{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
     {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", true},
     {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", true}}};
constexpr Launcher slurm = {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"};

std::optional<int> read_number(const char* name) {
    const std::optional<std::string> text = environment(name);
    if (!text) return {};
    int value = 0;
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc() || stop != end || value < 0)
        throw CommunicationError(fmt::format("{} is '{}', expected a number from 0", name, *text));
    return value;
}

std::optional<WorldVariables> read(const Launcher& launcher) {
    const std::optional<int> rank = read_number(launcher.rank);
    const std::optional<int> size = read_number(launcher.size);
    if (!rank && !size) return {};
    if (!rank || !size) {
        const char* const present = rank ? launcher.rank : launcher.size;
        throw CommunicationError(fmt::format("{} is {}, but {} is not set; set both, or unset {}",
                                             present,
                                             rank ? *rank : *size,
                                             rank ? launcher.size : launcher.rank,
                                             present));
    }
    if (*rank >= *size) {
        throw CommunicationError(fmt::format("{} is {}, expected a number below {}, which is {}",
                                             launcher.rank,
                                             *rank,
                                             launcher.size,
                                             *size));
    }
    return WorldVariables{.rank = *rank,
                          .size = *size,
                          .local_rank = read_number(launcher.local_rank).value_or(*rank),
                          .has_launcher = true,
                          .is_mpi = launcher.is_mpi};
}

void require_same(const char* first, int a, const char* second, int b) {
    if (a == b) return;
    throw CommunicationError(fmt::format(
        "{} is {}, but {} is {}; unset the variables of one launcher", first, a, second, b));
}

}  // namespace

WorldVariables read_world_variables() {
    std::optional<WorldVariables> found;
    const Launcher* from = nullptr;
    for (const Launcher& launcher : launchers) {
        const std::optional<WorldVariables> next = read(launcher);
        if (!next) continue;
        if (!found) {
            found = next;
            from = &launcher;
            continue;
        }
        require_same(from->rank, found->rank, launcher.rank, next->rank);
        require_same(from->size, found->size, launcher.size, next->size);
        found->is_mpi = found->is_mpi || next->is_mpi;
    }
    // An allocation of Slurm (salloc) sets SLURM_NTASKS alone, for the shell that starts the ranks.
    if (!found && environment(slurm.rank)) found = read(slurm);
    return found.value_or(WorldVariables{});
}

}  // namespace kgen
