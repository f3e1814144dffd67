// SPDX-License-Identifier: MIT
//
// The fake driver's streams with priorities, host functions and graphs (fake_cuda_graphs.cpp), and what
// they need of the rest of it (fake_cuda.cpp).
#pragma once

#include <cuda.h>

#include "support/fake_cuda.hpp"

// Of fake_cuda.cpp. Counts the call; the result that FAKE_CUDA_FAIL asks for, else success.
CUresult fake_enter(const char* name);
FakeCudaRecord& fake_record();
// Lets go of what the graph owns.
void fake_release_graph(const void* graph);

// Of fake_cuda_graphs.cpp. nullptr if it has none of that name.
void* find_fake_graph_entry(const char* name);
// Whether this stream is being captured: any is, where a test says so by the record alone.
bool is_fake_captured(CUstream stream);
// What a call does to a capture that is not allowed in one.
CUresult invalidate_fake_capture();
// A call of that name became a node, if the stream is being captured.
void note_fake_node(const char* name);
void reset_fake_graphs();
