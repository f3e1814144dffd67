// SPDX-License-Identifier: MIT
//
// MpiLibrary: MPI, opened at run time without its header. Three binary interfaces are in use: Open MPI's, MPICH's (also of
// Intel MPI, MVAPICH and Cray MPICH), and the standard one of MPI 5.0. They differ in the values of the handles.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "shard/runtime_library.hpp"

namespace kgen {

// MPI_Comm, MPI_Datatype, MPI_Request or MPI_Errhandler: a pointer, or in MPICH an int, which lies in the low half.
using MpiHandle = std::uintptr_t;

// The functions of mpi.h. All return 0 or an error code.
struct MpiApi {
    int (*initialized)(int* flag);
    int (*finalized)(int* flag);
    int (*init_thread)(int* argc, char*** argv, int required, int* provided);
    int (*finalize)();
    int (*comm_rank)(MpiHandle comm, int* rank);
    int (*comm_size)(MpiHandle comm, int* size);
    int (*comm_idup)(MpiHandle comm, MpiHandle* copy, MpiHandle* request);
    int (*comm_free)(MpiHandle* comm);
    int (*comm_create_errhandler)(void (*function)(void* comm, int* code, ...), MpiHandle* handler);
    int (*comm_set_errhandler)(MpiHandle comm, MpiHandle handler);
    int (*isend)(const void* data,
                 int count,
                 MpiHandle type,
                 int to,
                 int tag,
                 MpiHandle comm,
                 MpiHandle* request);
    int (*irecv)(void* data,
                 int count,
                 MpiHandle type,
                 int from,
                 int tag,
                 MpiHandle comm,
                 MpiHandle* request);
    int (*ibcast)(
        void* data, int count, MpiHandle type, int root, MpiHandle comm, MpiHandle* request);
    int (*test)(MpiHandle* request, int* flag, void* status);
    int (*cancel)(MpiHandle* request);
    int (*error_string)(int code, char* text, int* length);
};

class MpiLibrary {
public:
    // Returns MPI, opened and initialised. MPI that kgen initialised is finalised at exit, unless a rank gave up
    // (skip_finalize), because MPI_Finalize waits for all ranks without a limit. Throws CommunicationError.
    static MpiLibrary& get();
    // Opens the library without initialising it. Returns "Open MPI v4.1.4, /usr/lib/libmpi.so.40". Throws
    // CommunicationError.
    static std::string description();

    // Every call of MPI holds this lock, so MPI_THREAD_SERIALIZED is enough. No call blocks.
    std::mutex& mutex() noexcept { return mutex_; }
    const MpiApi& api() const noexcept { return api_; }
    MpiHandle world() const noexcept { return world_; }
    MpiHandle byte() const noexcept { return byte_; }
    // An error handler that lets calls return their error code.
    MpiHandle returning_handler() const noexcept { return handler_; }
    const std::string& path() const noexcept { return library_.path(); }
    bool is_finalized() const;
    void skip_finalize() noexcept { finalizes_ = false; }

    std::string error_text(int code) const;
    // Returns whether the request is complete. `code` is 0 or the error of the call.
    bool is_complete(MpiHandle& request, int& code) const;

private:
    MpiLibrary();
    void initialise();

    RuntimeLibrary library_;
    std::string version_;
    MpiApi api_ = {};
    MpiHandle world_ = 0;
    MpiHandle byte_ = 0;
    MpiHandle handler_ = 0;
    int serialized_ = 0;  // MPI_THREAD_SERIALIZED
    bool finalizes_ = false;
    std::mutex mutex_;
};

}  // namespace kgen
