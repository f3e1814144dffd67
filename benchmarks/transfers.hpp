// SPDX-License-Identifier: MIT
//
// Measures how data reach arrays: copies between the host and a GPU and between two GPUs, compared with the
// driver's, and reading a .npy file, compared with `cat`.
#pragma once

#include <functional>
#include <kgen/device.hpp>
#include <kgen/stream.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

struct Transfer {
    std::string name;
    double bytes = 0;
    Quartiles kgen_ms = {};
    Quartiles bare_ms = {};  // the driver or `cat`
    double speed = 0;        // median of bare time divided by kgen's, over pairs of runs
    std::optional<double> least_speed = {};  // the target
    bool correct = false;
    std::string problem = {};  // the reason if there are no times, else empty

    std::string_view result() const;
};

// Times kgen's and the driver's copies in turn, by events of the stream, and sets the row's times and speed.
// Batches take about 10 ms if the bytes move at `bytes_per_ms`.
void compare_transfers(Transfer& row,
                       const Stream& stream,
                       Scale scale,
                       double bytes_per_ms,
                       const std::function<void()>& ours,
                       const std::function<void()>& bare);

// Compares copy_async between pinned memory and the current CUDA device with cuMemcpyAsync of the same
// memory, and assign() from and to memory that is not pinned with the same. Times are measured by events.
std::vector<Transfer> measure_copies(Scale scale);

// Returns a GPU that the current device and this GPU can access each other's memory with, if there is one.
std::optional<Device> peer_of_current_device();

// Compares assign() between the current CUDA device and its peer, each way and both ways at once, with
// cuMemcpyPeerAsync of the same memory. Returns no row if there is no peer.
std::vector<Transfer> measure_gpu_copies(Scale scale);

// Compares load_npy of 1 GB of float32 into new memory of the host with `cat` of the same file into new
// memory (memfd_create), in wall-clock time. The file is in the page cache. It is created in the system's
// directory for temporary files and removed afterwards.
std::vector<Transfer> measure_files(Scale scale);

}  // namespace kgen::bench
