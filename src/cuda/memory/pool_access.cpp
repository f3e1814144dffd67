// SPDX-License-Identifier: MIT
#include "cuda/memory/pool_access.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>

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

std::vector<CUmemAccessDesc> access_of_peers(const DriverLibrary& driver,
                                             CUdevice device,
                                             const std::string& device_text) {
    std::vector<CUmemAccessDesc> peers;
    if (!opens_pools() || driver.device_count() == 1) return peers;
    for (int ordinal = 0; ordinal < driver.device_count(); ++ordinal) {
        CUmemAccessDesc access = {};
        access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        driver.check(
            driver.api().device_get(&access.location.id, ordinal), "cuDeviceGet", device_text);
        if (access.location.id == device) continue;
        int is_peer = 0;
        driver.check(driver.api().device_can_access_peer(&is_peer, access.location.id, device),
                     "cuDeviceCanAccessPeer",
                     device_text);
        if (is_peer != 0) peers.push_back(access);
    }
    return peers;
}

void open_pool(const DriverLibrary& driver,
               CUmemoryPool pool,
               const std::vector<CUmemAccessDesc>& peers,
               const std::string& device_text) {
    if (peers.empty()) return;
    const CUresult result = driver.api().memory_pool_set_access(pool, peers.data(), peers.size());
    if (result == CUDA_SUCCESS) return;
    std::string names;
    for (const CUmemAccessDesc& peer : peers)
        names += fmt::format("{}cuda:{}", names.empty() ? "" : ", ", peer.location.id);
    throw DeviceError(
        fmt::format("{}: cannot open the memory pool to {}: cuMemPoolSetAccess failed: {}"
                    "\nset KGEN_PEER_ACCESS=0 to copy between GPUs through the host",
                    device_text,
                    names,
                    driver.describe(result)),
        "cuMemPoolSetAccess",
        result);
}

}  // namespace kgen
