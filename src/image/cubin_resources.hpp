// SPDX-License-Identifier: MIT
//
// cubin_resources: reads what the kernels of a cubin need from the file, without the toolkit's programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

struct CubinKernel {
    std::string symbol;
    std::int64_t registers = 0;     // per thread
    std::int64_t shared_bytes = 0;  // static, per block
    std::int64_t stack_bytes = 0;   // per thread: arrays and spilled registers in local memory
};

// Returns the kernels in the order of the file's symbols. Empty if the bytes are not a readable cubin.
std::vector<CubinKernel> cubin_resources(std::string_view cubin);

}  // namespace kgen
