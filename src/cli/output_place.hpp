// SPDX-License-Identifier: MIT
//
// The destinations of the outputs of a run: files, or stdout as text.
#pragma once

#include <functional>
#include <kgen/device.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/kernel_arguments.hpp"
#include "cli/options/common_options.hpp"

namespace kgen::cli {

// Measures how long a call takes on the wall clock, until its work on the device is done.
struct Timing {
    // Includes what is done once: compiling or reading the cache, and loading.
    double first_ms = 0;
    double later_ms = 0;  // the median of the later calls
    int later_calls = 0;
};

double time_call(const std::function<void()>& call, Device device);

// Times the calls after the first one: up to 20, for about a second, at least one.
void time_later_calls(Timing& timing, const std::function<void()>& call, Device device);

// Returns a text such as "first call 61.2 ms, then 0.0123 ms (median of 20 calls)".
std::string to_text(const Timing& timing);

// One output of a kernel and the file it is written to. If the path is empty, the output is printed.
struct OutputPlace {
    std::string name;
    std::string path;
    std::string array = {};  // its name in an .npz file
};

// `texts` are NAME=FILE.npy or NAME=FILE.npz[:ARRAY]; an array in an .npz file is called like the output if
// the text does not name it. Throws UsageError if an output does not exist or is given twice, or if two
// outputs have the same file, or the same name in an .npz file.
std::vector<OutputPlace> read_output_places(const Parameters& parameters,
                                            const std::vector<std::string>& texts);

// The result of a run.
struct RunResult {
    std::string kernel;
    Device device;
    std::vector<OutputPlace> places;
    std::vector<Array> outputs;        // one for each place
    std::optional<Timing> timing;      // for --time
    std::vector<Device> devices = {};  // of --devices
};

// Writes the files, then prints the outputs without a file as in NumPy, each with its name if there are
// several, and the times to stderr; or with --json one object. Throws IoError.
void write_run(const RunResult& run, const CommonOptions& options);

}  // namespace kgen::cli
