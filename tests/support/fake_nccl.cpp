// SPDX-License-Identifier: MIT
//
// A fake NCCL, for tests on machines without GPUs. All ranks must be in this process, and their memory is host memory, as
// that of the fake driver is. Environment variables, read at each call, configure it (the default in parentheses):
//
//     FAKE_NCCL_VERSION  22200     what ncclGetVersion returns (22809)
//     FAKE_NCCL_HANG     1         groups stay in progress for ever
//     FAKE_NCCL_FAIL     6         ncclCommGetAsyncError reports this error
//
// fake_nccl_state() returns what it has counted.
#include "support/fake_nccl.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Comm {
    int rank;
    int size;
};

enum class Kind { allgather, broadcast, send, receive };

struct Operation {
    Kind kind;
    Comm* comm;
    const void* source;
    void* target;
    std::size_t bytes;
    int peer;
};

struct Id {
    char bytes[128];
};

FakeNcclState state;
std::vector<Operation> operations;
int depth = 0;

int number(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
}

void run_operations() {
    for (const Operation& to : operations) {
        for (const Operation& from : operations) {
            const bool is_gathered = to.kind == Kind::allgather && from.kind == Kind::allgather;
            const bool is_broadcast = to.kind == Kind::broadcast && from.kind == Kind::broadcast &&
                                      from.comm->rank == to.peer;
            const bool is_sent = to.kind == Kind::receive && from.kind == Kind::send &&
                                 to.peer == from.comm->rank && from.peer == to.comm->rank;
            if (!is_gathered && !is_broadcast && !is_sent) continue;
            const std::size_t at =
                is_gathered ? static_cast<std::size_t>(from.comm->rank) * from.bytes : 0;
            std::memmove(static_cast<char*>(to.target) + at, from.source, from.bytes);
        }
    }
}

int add(const Operation& operation) {
    if (depth == 0) return 5;  // kgen queues all ranks as one group
    operations.push_back(operation);
    return 0;
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE FakeNcclState* fake_nccl_state() {
    return &state;
}
FAKE int ncclGetVersion(int* version) {
    *version = number("FAKE_NCCL_VERSION", 22809);
    return 0;
}
FAKE int ncclGetUniqueId(Id* id) {
    std::memset(id->bytes, 7, sizeof id->bytes);
    return 0;
}
FAKE int ncclCommInitRankConfig(Comm** comm, int size, Id id, int rank, void*) {
    if (id.bytes[0] != 7) return 4;
    const char* multicast = std::getenv("NCCL_NVLS_ENABLE");
    state.is_multicast_off = multicast != nullptr && std::strcmp(multicast, "0") == 0;
    *comm = new Comm{rank, size};
    ++state.live;
    return 7;
}
FAKE int ncclCommGetAsyncError(Comm*, int* result) {
    *result = number("FAKE_NCCL_FAIL", number("FAKE_NCCL_HANG", 0) != 0 ? 7 : 0);
    return 0;
}
FAKE int ncclCommAbort(Comm* comm) {
    delete comm;
    --state.live;
    ++state.aborted;
    return 0;
}
FAKE int ncclCommFinalize(Comm*) {
    ++state.finalized;
    return 7;
}
FAKE int ncclCommDestroy(Comm* comm) {
    delete comm;
    --state.live;
    return 0;
}
FAKE int ncclGroupStart() {
    ++depth;
    return 0;
}
FAKE int ncclGroupEnd() {
    if (--depth != 0) return 0;
    if (number("FAKE_NCCL_HANG", 0) == 0) run_operations();
    operations.clear();
    return 7;
}
FAKE int ncclAllGather(
    const void* source, void* target, std::size_t bytes, int, Comm* comm, void*) {
    return add({Kind::allgather, comm, source, target, bytes, -1});
}
FAKE int ncclBroadcast(
    const void* source, void* target, std::size_t bytes, int, int root, Comm* comm, void*) {
    return add({Kind::broadcast, comm, source, target, bytes, root});
}
FAKE int ncclSend(const void* source, std::size_t bytes, int, int peer, Comm* comm, void*) {
    return add({Kind::send, comm, source, nullptr, bytes, peer});
}
FAKE int ncclRecv(void* target, std::size_t bytes, int, int peer, Comm* comm, void*) {
    return add({Kind::receive, comm, nullptr, target, bytes, peer});
}
FAKE const char* ncclGetErrorString(int result) {
    return result == 6 ? "remote process exited or there was a network error" : "an error";
}
FAKE const char* ncclGetLastError(Comm*) {
    return "";
}
