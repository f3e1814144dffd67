// SPDX-License-Identifier: MIT
//
// The interface between two parts of the fake CUDA driver: fake_cuda_graphs.cpp, which has stream priorities,
// host functions, captures and graphs, and fake_cuda.cpp.
#pragma once

#include <cuda.h>

#include "support/fake_cuda.hpp"

// Defined in fake_cuda.cpp. Releases the objects that the graph owns.
void fake_release_graph(const void* graph);

// Defined in fake_cuda_graphs.cpp.
// Returns true if this stream is being captured. If no capture was begun, returns is_capturing of the record.
bool is_fake_captured(CUstream stream);
// Returns the graph that the stream is being captured into; nullptr if the capture was invalidated.
CUgraph fake_graph_of(CUstream stream);
CUresult begin_fake_capture(CUstream stream, CUstreamCaptureMode mode);
CUresult end_fake_capture(CUstream stream, CUgraph* graph);

// Apply the driver's rules for captures: which calls it refuses, and which refusals invalidate a capture. The
// rules were measured on an H200 with driver 580.159. Each fake function must call the first one. Functions
// with a stream must also call the second one, which adds a node if the stream is being captured.
CUresult fake_capture_rule(const char* name);
CUresult fake_capture_rule(const char* name, CUstream stream);
void note_fake_stream(CUstream stream, unsigned flags);
// Must be called when the event is recorded in the stream.
void note_fake_event(CUevent event, CUstream stream);
CUresult wait_for_fake_event(CUstream stream, CUevent event);
CUresult ask_fake_event(CUevent event);

void reset_fake_graphs();
