// SPDX-License-Identifier: MIT
//
// NcclLibrary: NCCL, opened at run time without its header.
#pragma once

#include <climits>
#include <cstddef>
#include <kgen/communicator.hpp>
#include <kgen/stream.hpp>
#include <string>

#include "shard/runtime_library.hpp"

namespace kgen {

// ncclComm_t
struct NcclComm;
using NcclHandle = NcclComm*;

// ncclResult_t; other values are errors.
constexpr int nccl_success = 0;
constexpr int nccl_in_progress = 7;
// ncclDataType_t of bytes
constexpr int nccl_char = 0;

// ncclConfig_t of NCCL 2.23. Later versions append members, and read `size` to know that they are missing.
struct NcclConfig {
    std::size_t size = sizeof(NcclConfig);
    unsigned magic = 0xcafebeef;
    unsigned version = 22300;
    int blocking =
        1;  // a call returns when its work is in the streams; the other way takes a thread a call
    int cga_cluster_size = INT_MIN;  // INT_MIN means the default
    int min_ctas = INT_MIN;
    int max_ctas = INT_MIN;
    const char* net_name = nullptr;
    int split_share = INT_MIN;
};

// ncclUniqueId, which is passed by value
struct NcclId {
    CommunicatorId bytes;
};

using NcclStream = decltype(Stream::legacy().handle());

struct NcclApi {
    int (*get_version)(int* version);
    int (*get_unique_id)(NcclId* id);
    int (*comm_init_rank_config)(
        NcclHandle* comm, int size, NcclId id, int rank, NcclConfig* config);
    int (*comm_get_async_error)(NcclHandle comm, int* result);
    int (*comm_abort)(NcclHandle comm);
    int (*comm_finalize)(NcclHandle comm);
    int (*comm_destroy)(NcclHandle comm);
    int (*group_start)();
    int (*group_end)();
    int (*all_gather)(const void* send,
                      void* receive,
                      std::size_t count,
                      int type,
                      NcclHandle comm,
                      NcclStream stream);
    int (*broadcast)(const void* send,
                     void* receive,
                     std::size_t count,
                     int type,
                     int root,
                     NcclHandle comm,
                     NcclStream stream);
    int (*send)(
        const void* data, std::size_t count, int type, int to, NcclHandle comm, NcclStream stream);
    int (*receive)(
        void* data, std::size_t count, int type, int from, NcclHandle comm, NcclStream stream);
    const char* (*get_error_string)(int result);
    const char* (*get_last_error)(NcclHandle comm);
};

class NcclLibrary {
public:
    // Opens the library. Switches NVLink multicast (NVLS) off unless NCCL_NVLS_ENABLE is set already: NCCL reads the
    // variable at its first communicator. Throws CommunicationError if NCCL is missing or older than 2.23: before that it
    // writes to memory of other GPUs directly without asking whether a pool gives access.
    static const NcclLibrary& get();
    // Returns "NCCL 2.28.9, /usr/lib/libnccl.so.2". Throws CommunicationError.
    static std::string description();

    const NcclApi& api() const noexcept { return api_; }
    // Returns "unhandled system error (...)".
    std::string error_text(int result) const;
    // Throws CommunicationError unless the result is success, or is in progress.
    void check(int result, const char* call) const;
    CommunicatorId make_id() const;

private:
    NcclLibrary();

    RuntimeLibrary library_;
    NcclApi api_ = {};
    int version_ = 0;
};

}  // namespace kgen
