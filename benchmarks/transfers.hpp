// SPDX-License-Identifier: MIT
//
// What brings data to arrays: copies between the host and a GPU beside the driver's own, and a file of NumPy's
// beside `cat`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

struct Transfer {
    std::string name;
    double bytes = 0;
    Quartiles kgen_ms = {};
    Quartiles bare_ms = {};
    double speed = 0;                        // the median of the pairs' bare by kgen
    std::optional<double> least_speed = {};  // the target
    bool correct = false;
    std::string problem = {};  // why there are no times, else ""

    std::string_view result() const;
};

// copy_async between pinned memory and the current CUDA device beside cuMemcpyAsync of the same memory, by
// events; assign() from and to memory that is not pinned beside the same.
std::vector<Transfer> measure_copies(Scale scale);

// load_npy of 1 GB float32 into new memory of the host, from a file that the system has in memory, beside
// `cat` of that file into new memory (memfd_create); wall-clock time. The file is made in the system's
// directory for temporary files and removed.
std::vector<Transfer> measure_files(Scale scale);

}  // namespace kgen::bench
