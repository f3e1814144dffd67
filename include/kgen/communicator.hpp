// SPDX-License-Identifier: MIT
//
// Communicator: the ranks among which arrays are sharded. A rank is a GPU, or a process that computes on the host.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <kgen/device.hpp>
#include <kgen/export.hpp>
#include <kgen/system.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kgen {

class Engine;  // src/shard/engine.hpp

struct CommunicatorOptions {
    // How long an operation waits for the other ranks. After that it throws CommunicationError, and the communicator is
    // aborted on this rank.
    std::chrono::milliseconds timeout = std::chrono::seconds(30);
    // The device of this process's rank. Default: the GPU numbered by the local rank, unless KGEN_DEVICE names a device;
    // the host if there is no GPU.
    std::optional<Device> device = {};
    // world(): a path that all ranks see, where ranks on GPUs find each other. Default: KGEN_RENDEZVOUS_FILE. Not needed if
    // MPI started the ranks, but used instead of MPI if it is given. All ranks must give the same path, or none.
    std::string rendezvous_file = {};
};

// What ranks on GPUs must share to find each other: NCCL's unique id.
using CommunicatorId = std::array<std::byte, 128>;

// A copyable handle; copies are the same communicator. All ranks must call the same operations of a communicator in the
// same order. Operations are thread-safe, but two threads must not call them at once, because their order would differ
// between ranks. Transfers run on the current streams of the ranks' devices.
class KGEN_EXPORT Communicator {
public:
    // Makes a communicator of which this process has all ranks, one for each device. GPUs exchange data by NCCL if all
    // of them differ. A device may be given several times; its ranks then exchange data by copies. Throws
    // CommunicationError if NCCL is needed and is not found, DeviceError if a device is not present. If two GPUs cannot
    // exchange data, the DeviceError names both, and a communicator of the others can be made.
    static Communicator of_devices(std::span<const Device> devices,
                                   const CommunicatorOptions& = {});
    static Communicator of_devices(std::initializer_list<int> gpus,
                                   const CommunicatorOptions& = {});

    // Makes the communicator of all processes that were started together: by mpirun, srun, or torchrun, or with the
    // variables RANK, WORLD_SIZE and LOCAL_RANK. Each process has one rank. Ranks on GPUs exchange data by NCCL, ranks
    // on the host by MPI. Without any of these variables, the process is the only rank. Throws CommunicationError if
    // the variables contradict each other, a library is missing, or the other ranks do not come within the timeout.
    static Communicator world(const CommunicatorOptions& = {});

    // Makes a communicator of `size` processes on GPUs that have got the id by other means. One of them made it with
    // make_id().
    static CommunicatorId make_id();
    static Communicator join(const CommunicatorId& id,
                             int rank,
                             int size,
                             const CommunicatorOptions& = {});

    int size() const noexcept;
    // Returns the ranks of this process, in ascending order.
    std::span<const int> local_ranks() const noexcept;
    // Returns the first rank of this process.
    int rank() const noexcept { return local_ranks().front(); }
    // Returns the device of one of the ranks of this process. Throws ShapeError for another rank.
    Device device(int rank) const;
    // Returns how the ranks exchange data: "nccl", "mpi", or "process" if this process copies.
    std::string_view engine() const noexcept;

    // Waits until all ranks have called it. Work that was queued on the ranks' devices before may still run.
    void barrier() const;

    // Gives up: operations that wait for this rank fail on the others as soon as their engine tells them, at the latest
    // after their timeout. Each later operation throws CommunicationError.
    void abort() const;
    bool is_aborted() const noexcept;

    friend bool operator==(const Communicator& a, const Communicator& b) noexcept {
        return a.engine_ == b.engine_;
    }

private:
    friend struct CommunicatorAccess;  // src/shard/communicator_access.hpp
    explicit Communicator(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
    std::shared_ptr<Engine> engine_;
};

// Looks for the libraries that ranks exchange data with, NCCL and MPI, as `kgen doctor` prints them. Opens those that it
// finds. Never throws.
KGEN_EXPORT std::vector<Finding> inspect_communication();

}  // namespace kgen
