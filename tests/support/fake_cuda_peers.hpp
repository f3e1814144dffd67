// SPDX-License-Identifier: MIT
//
// The interface between two parts of the fake CUDA driver: fake_cuda_peers.cpp, which has the pools of several
// GPUs and the copies between them, and fake_cuda.cpp. Nothing is noted if there is one GPU.
#pragma once

#include <cuda.h>

// The caller holds the mutex of the state.
void note_fake_allocation(CUmemoryPool pool);
void note_fake_record(CUevent event, CUstream stream);
void note_fake_wait(CUstream stream, CUevent event);

// The context of a stream or an event is the one that was current when it was made. That of the legacy default stream,
// nullptr, is the current one.
void note_fake_owner(const void* handle);
CUcontext fake_owner_of(const void* handle);
