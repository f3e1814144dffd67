// SPDX-License-Identifier: MIT
#include "cuda/memory/pool_access.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <utility>

#include "text/environment.hpp"

namespace kgen {

namespace {

bool opens_pools() {
    const std::optional<std::string> text = environment("KGEN_PEER_ACCESS");
    if (!text || *text == "auto") return true;
    if (*text == "0") return false;
    throw DeviceError(fmt::format("KGEN_PEER_ACCESS is '{}'; expected auto or 0", *text));
}

}  // namespace

PeerAccess find_peers(const DriverLibrary& driver, CUdevice device) {
    PeerAccess access;
    if (!opens_pools() || driver.device_count() == 1) return access;
    const DriverApi& api = driver.api();
    for (int ordinal = 0; ordinal < driver.device_count(); ++ordinal) {
        CUmemAccessDesc peer = {};
        peer.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        peer.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        const char* call = "cuDeviceGet";
        CUresult result = api.device_get(&peer.location.id, ordinal);
        if (result == CUDA_SUCCESS && peer.location.id == device) continue;
        int is_peer = 0;
        if (result == CUDA_SUCCESS) {
            call = "cuDeviceCanAccessPeer";
            result = api.device_can_access_peer(&is_peer, peer.location.id, device);
        }
        if (result != CUDA_SUCCESS) {
            access.failures[ordinal] = fmt::format("{} failed: {}", call, driver.describe(result));
        } else if (is_peer != 0) {
            access.peers.push_back(peer);
        }
    }
    return access;
}

void open_pool(const DriverLibrary& driver, CUmemoryPool pool, PeerAccess& access) {
    if (access.peers.empty()) return;
    const auto open_to = [&](const CUmemAccessDesc* peers, std::size_t count) {
        return driver.api().memory_pool_set_access(pool, peers, count);
    };
    if (open_to(access.peers.data(), access.peers.size()) == CUDA_SUCCESS) return;
    // One of them is the cause; the others get their access.
    for (const CUmemAccessDesc& peer : std::exchange(access.peers, {})) {
        const CUresult result = open_to(&peer, 1);
        if (result == CUDA_SUCCESS) {
            access.peers.push_back(peer);
        } else {
            access.failures[peer.location.id] =
                "cuMemPoolSetAccess failed: " + driver.describe(result);
        }
    }
}

}  // namespace kgen
