// SPDX-License-Identifier: MIT
//
// Where the outputs of a run go: files, or the text on stdout.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/kernel_parameters.hpp"

namespace kgen::cli {

// One output of a kernel and the file that takes it; printed if that is empty.
struct OutputPlace {
    std::string name;
    std::string path;
};

// `texts` are NAME=FILE.npy. Throws UsageError: no such output, given twice, one file for two.
std::vector<OutputPlace> read_output_places(const Parameters& parameters,
                                            const std::vector<std::string>& texts);

// Writes the files. Throws IoError.
void save_outputs(const std::vector<OutputPlace>& places, const std::vector<Array>& outputs);

// The outputs without a file, as NumPy prints them, each under its name if the kernel has several.
std::string outputs_text(const std::vector<OutputPlace>& places, const std::vector<Array>& outputs);

nlohmann::ordered_json outputs_json(const std::vector<OutputPlace>& places,
                                    const std::vector<Array>& outputs);

}  // namespace kgen::cli
