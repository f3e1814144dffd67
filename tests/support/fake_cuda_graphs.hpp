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
// nullptr: an invalidated capture.
CUgraph fake_graph_of(CUstream stream);
CUresult begin_fake_capture(CUstream stream, CUstreamCaptureMode mode);
CUresult end_fake_capture(CUstream stream, CUgraph* graph);

// The rules of captures, as measured on an H200 with driver 580.159: what the driver refuses, and which refusal
// invalidates the capture. To be asked at each call, and at each that is given a stream: it may become a node.
CUresult fake_capture_rule(const char* name);
CUresult fake_capture_rule(const char* name, CUstream stream);
void note_fake_stream(CUstream stream, unsigned flags);
void note_fake_event(CUevent event, CUstream stream);  // it was recorded there
CUresult wait_for_fake_event(CUstream stream, CUevent event);
CUresult ask_fake_event(CUevent event);

void reset_fake_graphs();
