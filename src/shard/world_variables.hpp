// SPDX-License-Identifier: MIT
//
// WorldVariables: which rank this process is, as its launcher (mpirun, srun, torchrun) says by environment variables.
#pragma once

namespace kgen {

struct WorldVariables {
    int rank = 0;
    int size = 1;
    int local_rank =
        0;  // the number among the ranks of this machine; the rank if the launcher does not say it
    bool has_launcher = false;  // whether any variable was found
    bool is_mpi = false;        // whether the launcher started MPI
};

// Reads RANK, WORLD_SIZE and LOCAL_RANK, and the variables of Open MPI, MPICH (PMI) and Slurm. Slurm's are read only if
// there are no others, because launchers within a job of Slurm pass its variables on, with the numbers of another task.
// Throws CommunicationError if a rank or a size is missing or is no number, or if two launchers contradict each other.
WorldVariables read_world_variables();

}  // namespace kgen
