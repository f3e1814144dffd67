// SPDX-License-Identifier: MIT
//
// kgen run --raw: launches a raw kernel once.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/common_options.hpp"
#include "cli/options/raw_run_options.hpp"

namespace kgen::cli {

// The options of kgen run.
struct RunOptions {
    CommonOptions common;
    KernelOptions kernel;  // for a raw kernel its arguments, dtypes and compiler options
    RawRunOptions raw;
    std::vector<std::string> outputs;  // NAME=FILE
    std::string devices;               // as written; empty: not given
    bool time = false;
};

// Arguments with a name go to the parameter of that name in the source. Arguments without a name come first,
// in the kernel's order. If the names are unknown, as in compiled code, no argument may have one. Arrays that
// are only described (y=float32[1000]) are filled with zeros. After the launch, the arrays named by --out are
// written to their files. Without --out, all arrays that the kernel may have written are printed.
ExitStatus run_raw(const RunOptions& run);

}  // namespace kgen::cli
