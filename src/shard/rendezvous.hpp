// SPDX-License-Identifier: MIT
//
// Rendezvous: how processes get NCCL's id from rank 0 through a path that all of them see.
//
// A file of an earlier run must not be taken, so nothing counts that does not repeat what this run wrote. Each other rank
// writes a random number to the file PATH.RANK. Rank 0 answers in the file PATH with the id and the numbers that it has
// seen. A rank takes the answer that has its own number, and removes its file. When all files are gone, rank 0 removes the
// answer. Files are replaced as a whole by renaming. Processes that use a path at the same time must be of one run.
#pragma once

#include <chrono>
#include <kgen/communicator.hpp>
#include <string>

namespace kgen {

// Gives the id to the `size` - 1 other ranks. Throws CommunicationError if they do not come within the timeout, or have
// another size, or the files cannot be written.
void give_id(const std::string& path,
             const CommunicatorId& id,
             int size,
             std::chrono::milliseconds timeout);
// Returns the id that rank 0 gives. Throws CommunicationError in the same cases.
CommunicatorId take_id(const std::string& path,
                       int rank,
                       int size,
                       std::chrono::milliseconds timeout);

}  // namespace kgen
