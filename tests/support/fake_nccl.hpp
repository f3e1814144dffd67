// SPDX-License-Identifier: MIT
//
// What the fake NCCL (support/fake_nccl.cpp) has counted.
#pragma once

struct FakeNcclState {
    int live = 0;  // communicators
    int aborted = 0;
    int finalized = 0;
    bool is_multicast_off = false;  // NCCL_NVLS_ENABLE was 0 at the last start of a communicator
};
