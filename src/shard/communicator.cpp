// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <kgen/communicator.hpp>
#include <kgen/error.hpp>
#include <vector>

#include "device/registry.hpp"
#include "shard/communicator_access.hpp"
#include "shard/guarded_engine.hpp"
#include "shard/mpi_engine.hpp"
#include "shard/nccl_engine.hpp"
#include "shard/process_engine.hpp"
#include "shard/rendezvous.hpp"
#include "shard/world_variables.hpp"
#include "text/environment.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

Communicator guarded(std::unique_ptr<Engine> engine) {
    return CommunicatorAccess::make(std::make_shared<GuardedEngine>(std::move(engine)));
}

bool can_use_nccl(std::span<const Device> devices) {
    for (std::size_t k = 0; k < devices.size(); ++k) {
        if (devices[k].kind() != DeviceKind::cuda) return false;
        if (std::count(devices.begin(), devices.end(), devices[k]) > 1) return false;
    }
    return devices.size() > 1;
}

Device device_of_rank(const CommunicatorOptions& options, int local_rank) {
    if (options.device) return *options.device;
    if (const auto name = environment("KGEN_DEVICE")) return parse_device(*name);
    const int gpus = device_count(DeviceKind::cuda);
    return gpus > 0 ? Device::cuda(local_rank % gpus) : Device::host();
}

// Rank 0 makes the id and sends it to the others by MPI.
CommunicatorId share_id_by_mpi(const WorldVariables& world, std::chrono::milliseconds timeout) {
    MpiEngine engine(world.rank, world.size, timeout);
    CommunicatorId id = {};
    if (world.rank == 0) id = NcclLibrary::get().make_id();
    RankTransfer transfer{.stream = Stream::legacy(Device::host())};
    if (world.rank == 0) transfer.sends = {std::span<const std::byte>(id)};
    if (world.rank != 0) transfer.receives = {std::span<std::byte>(id)};
    engine.broadcast({&transfer, 1}, 0);
    return id;
}

// Returns why MPI cannot share the id, or nothing.
std::string mpi_absence(const WorldVariables& world) {
    if (!world.is_mpi) return "MPI did not start the ranks";
    try {
        MpiLibrary::get();
        return "";
    } catch (const CommunicationError& error) {
        return error.what();
    }
}

CommunicatorId share_id(const WorldVariables& world, const CommunicatorOptions& options) {
    const std::string path = options.rendezvous_file.empty()
                                 ? environment("KGEN_RENDEZVOUS_FILE").value_or("")
                                 : options.rendezvous_file;
    if (path.empty()) {
        const std::string absence = mpi_absence(world);
        if (absence.empty()) return share_id_by_mpi(world, options.timeout);
        throw CommunicationError(
            fmt::format(
                "rank {} of {} cannot find the others: {}, and there is no rendezvous file; set "
                "KGEN_RENDEZVOUS_FILE to a path that all ranks see, or start the ranks with mpirun",
                world.rank,
                world.size,
                absence),
            world.rank);
    }
    if (world.rank != 0) return take_id(path, world.rank, world.size, options.timeout);
    const CommunicatorId id = NcclLibrary::get().make_id();
    give_id(path, id, world.size, options.timeout);
    return id;
}

}  // namespace

Communicator Communicator::of_devices(std::span<const Device> devices,
                                      const CommunicatorOptions& options) try {
    if (devices.empty()) throw CommunicationError("a communicator needs at least one device");
    std::vector<Device> list(devices.begin(), devices.end());
    if (!can_use_nccl(devices))
        return guarded(std::make_unique<ProcessEngine>(std::move(list), options.timeout));
    for (const Device device : devices) backend(device);
    const int size = static_cast<int>(devices.size());
    return guarded(
        std::make_unique<NcclEngine>(make_id(), 0, size, std::move(list), options.timeout));
} catch (...) {
    rethrow_as_error();
}

Communicator Communicator::of_devices(std::initializer_list<int> gpus,
                                      const CommunicatorOptions& options) try {
    std::vector<Device> devices;
    for (const int ordinal : gpus) devices.push_back(Device::cuda(ordinal));
    return of_devices(devices, options);
} catch (...) {
    rethrow_as_error();
}

Communicator Communicator::world(const CommunicatorOptions& options) try {
    const WorldVariables world = read_world_variables();
    const Device device = device_of_rank(options, world.local_rank);
    backend(device);  // throws if it is not present
    if (world.size == 1) return of_devices({&device, 1}, options);
    if (device.kind() != DeviceKind::cuda)
        return guarded(std::make_unique<MpiEngine>(world.rank, world.size, options.timeout));
    CommunicatorOptions chosen = options;
    chosen.device = device;
    return join(share_id(world, options), world.rank, world.size, chosen);
} catch (...) {
    rethrow_as_error();
}

CommunicatorId Communicator::make_id() try { return NcclLibrary::get().make_id(); } catch (...) {
    rethrow_as_error();
}

Communicator Communicator::join(const CommunicatorId& id,
                                int rank,
                                int size,
                                const CommunicatorOptions& options) try {
    if (size < 1 || rank < 0 || rank >= size) {
        throw CommunicationError(fmt::format(
            "join: got rank {} of {}, expected a rank from 0 to below the size", rank, size));
    }
    const WorldVariables world = read_world_variables();
    const Device device = device_of_rank(options, world.has_launcher ? world.local_rank : rank);
    if (device.kind() != DeviceKind::cuda) {
        throw CommunicationError(
            fmt::format(
                "join: rank {} is on {}, expected a GPU; ranks on the host find each other by MPI, "
                "in Communicator::world()",
                rank,
                to_text(device)),
            rank);
    }
    backend(device);
    return guarded(
        std::make_unique<NcclEngine>(id, rank, size, std::vector<Device>{device}, options.timeout));
} catch (...) {
    rethrow_as_error();
}

int Communicator::size() const noexcept {
    return engine_->size();
}

std::span<const int> Communicator::local_ranks() const noexcept {
    return engine_->local_ranks();
}

Device Communicator::device(int rank) const try {
    const std::span<const int> local = engine_->local_ranks();
    const auto found = std::find(local.begin(), local.end(), rank);
    if (found == local.end()) {
        throw ShapeError(
            fmt::format("device: rank {} is not in this process, which has the ranks {}",
                        rank,
                        fmt::join(local, ", ")));
    }
    return engine_->devices()[static_cast<std::size_t>(found - local.begin())];
} catch (...) {
    rethrow_as_error();
}

std::string_view Communicator::engine() const noexcept {
    return engine_->name();
}

void Communicator::barrier() const try { engine_->barrier(); } catch (...) {
    rethrow_as_error();
}

void Communicator::abort() const {
    engine_->abort();
}

bool Communicator::is_aborted() const noexcept {
    return engine_->is_aborted();
}

}  // namespace kgen
