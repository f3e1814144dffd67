// SPDX-License-Identifier: MIT
//
// The destinations of the outputs of a run: files, or stdout as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/kernel_parameters.hpp"

namespace kgen::cli {

// One output of a kernel and the file it is written to. If the path is empty, the output is printed.
struct OutputPlace {
    std::string name;
    std::string path;
};

// `texts` are NAME=FILE.npy. Throws UsageError if an output does not exist or is given twice, or if two
// outputs have the same file.
std::vector<OutputPlace> read_output_places(const Parameters& parameters,
                                            const std::vector<std::string>& texts);

// Writes the files. Throws IoError.
void save_outputs(const std::vector<OutputPlace>& places, const std::vector<Array>& outputs);

// Returns the outputs without a file, printed as in NumPy, each with its name if the kernel has several.
std::string outputs_text(const std::vector<OutputPlace>& places, const std::vector<Array>& outputs);

nlohmann::ordered_json outputs_json(const std::vector<OutputPlace>& places,
                                    const std::vector<Array>& outputs);

}  // namespace kgen::cli
