// SPDX-License-Identifier: MIT
//
// Runs shard/rank_program.cpp as several processes, by mpirun.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/catch.hpp"

struct MpiRun {
    int ranks = 4;
    int exit_status = 0;
    std::string output;

    bool says(const std::string& line) const {
        return output.find(line + "\n") != std::string::npos;
    }
    bool all_say(const std::string& text) const {
        bool is_said = true;
        for (int rank = 0; rank < ranks; ++rank)
            is_said = is_said && says(fmt::format("{}: {}", rank, text));
        return is_said;
    }
};

inline bool has_mpirun() {
    const bool has = std::system("command -v mpirun >/dev/null") == 0;
    if (!has) WARN("SKIPPED: no mpirun");
    return has;
}

// Debian's Open MPI refuses root, and looks for ssh, unless told otherwise. Containers forbid its copies between processes.
// It loses memory when it ends, which AddressSanitizer would report. A rank whose peers ended early may wait in MPI_Finalize for ever,
// so runs that recover from lost ranks have less time.
inline MpiRun run_ranks(const std::string& arguments,
                        const std::string& options = "",
                        const std::string& launcher = "mpirun --oversubscribe -n 4") {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command = fmt::format(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "OMPI_MCA_plm_rsh_agent=/bin/false "
        "OMPI_MCA_btl_vader_single_copy_mechanism=none KGEN_HOST_THREADS=1 "
        "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" "
        "timeout {} {} {} '{}' {} </dev/null 2>&1",
        options.empty() ? 120 : 40,
        launcher,
        options,
        (program.parent_path() / "kgen_rank").string(),
        arguments);
    MpiRun run;
    FILE* const pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buffer[4096];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) run.output += buffer;
    const int status = ::pclose(pipe);
    run.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return run;
}

inline MpiRun run_eight(const std::string& arguments, const std::string& options = "") {
    MpiRun run = run_ranks(arguments, options, "mpirun --oversubscribe -n 8");
    run.ranks = 8;
    return run;
}
