// SPDX-License-Identifier: MIT
//
// kgen run --raw: one launch of a kernel of the user's own.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/common_options.hpp"
#include "cli/options/raw_run_options.hpp"

namespace kgen::cli {

struct RawRun {
    RawRunOptions raw;
    KernelOptions kernel;              // its arguments, dtypes and compiler options
    std::vector<std::string> outputs;  // NAME=FILE.npy
    bool time = false;
};

// Arguments with names go to the parameters that the source calls so, values without names stand before
// them in the kernel's order; where nothing tells the names, as in compiled code, all go without.
// Arrays that are only described (y=float32[1000]) begin as zeros. After the launch those that --out names
// are written to their files; if it names none, all that the kernel may have written are printed.
ExitStatus run_raw(const RawRun& run, const CommonOptions& common);

}  // namespace kgen::cli
