// SPDX-License-Identifier: MIT
#include "shard/nccl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <kgen/error.hpp>

namespace kgen {

namespace {

constexpr int oldest_nccl = 22300;

LibrarySearch nccl_search() {
    return {.title = "NCCL",
            .variable = "KGEN_NCCL_PATH",
            .names = {"libnccl.so.2"},
            .remedy = "install NCCL 2.23 or newer (package libnccl2 of NVIDIA's repository)",
            .flags = RTLD_LOCAL};
}

// Returns "2.22.3" for 22203.
std::string version_text(int version) {
    return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

}  // namespace

NcclLibrary::NcclLibrary() : library_(nccl_search()) {
    // Before the first call, because NCCL may read its settings in any.
    ::setenv("NCCL_NVLS_ENABLE", "0", 0);
    library_.bind(api_.get_version, "ncclGetVersion");
    check(api_.get_version(&version_), "ncclGetVersion");
    if (version_ < oldest_nccl) {
        throw CommunicationError(fmt::format(
            "NCCL is too old: got {} in '{}', expected {} or newer; install a newer NCCL, or set "
            "KGEN_NCCL_PATH to its libnccl.so.2",
            version_text(version_),
            library_.path(),
            version_text(oldest_nccl)));
    }
    library_.bind(api_.get_unique_id, "ncclGetUniqueId");
    library_.bind(api_.comm_init_rank_config, "ncclCommInitRankConfig");
    library_.bind(api_.comm_get_async_error, "ncclCommGetAsyncError");
    library_.bind(api_.comm_abort, "ncclCommAbort");
    library_.bind(api_.comm_finalize, "ncclCommFinalize");
    library_.bind(api_.comm_destroy, "ncclCommDestroy");
    library_.bind(api_.group_start, "ncclGroupStart");
    library_.bind(api_.group_end, "ncclGroupEnd");
    library_.bind(api_.all_gather, "ncclAllGather");
    library_.bind(api_.broadcast, "ncclBroadcast");
    library_.bind(api_.send, "ncclSend");
    library_.bind(api_.receive, "ncclRecv");
    library_.bind(api_.get_error_string, "ncclGetErrorString");
    library_.bind(api_.get_last_error, "ncclGetLastError");
}

const NcclLibrary& NcclLibrary::get() {
    static const NcclLibrary& opened = *new NcclLibrary;
    return opened;
}

std::string NcclLibrary::description() {
    const NcclLibrary library;
    return fmt::format("NCCL {}, {}", version_text(library.version_), library.library_.path());
}

std::string NcclLibrary::error_text(int result) const {
    if (api_.get_error_string == nullptr) return fmt::format("error {}", result);
    const char* detail = api_.get_last_error(nullptr);
    const std::string name = api_.get_error_string(result);
    return detail == nullptr || *detail == '\0' ? name : fmt::format("{} ({})", name, detail);
}

void NcclLibrary::check(int result, const char* call) const {
    if (result == nccl_success || result == nccl_in_progress) return;
    throw CommunicationError(fmt::format("{} failed: {}", call, error_text(result)));
}

CommunicatorId NcclLibrary::make_id() const {
    NcclId id = {};
    check(api_.get_unique_id(&id), "ncclGetUniqueId");
    return id.bytes;
}

}  // namespace kgen
