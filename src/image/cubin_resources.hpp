// SPDX-License-Identifier: MIT
//
// cubin_resources: what the kernels of a cubin need, read from the file without any tool of the toolkit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

struct CubinKernel {
    std::string symbol;
    std::int64_t registers = 0;     // a thread
    std::int64_t shared_bytes = 0;  // static, a block
    std::int64_t stack_bytes = 0;   // a thread: arrays and spilled registers in local memory
};

// The kernels in the order of the file's symbols; none if the bytes are no cubin that reads.
std::vector<CubinKernel> cubin_resources(std::string_view cubin);

}  // namespace kgen
