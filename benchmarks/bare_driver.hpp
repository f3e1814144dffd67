// SPDX-License-Identifier: MIT
//
// The driver's own calls, for what must be measured bare. The library is opened at run time, the
// same that kgen uses; no CUDA header is needed.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUfunc_st;
struct CUstream_st;

namespace kgen::bench {

// Memory of the host that the device reads too; freed with its object.
class PinnedFlag {
public:
    PinnedFlag();
    ~PinnedFlag();
    PinnedFlag(const PinnedFlag&) = delete;
    PinnedFlag& operator=(const PinnedFlag&) = delete;

    void set(std::int32_t value) noexcept { *value_ = value; }
    void* address() const noexcept { return const_cast<std::int32_t*>(value_); }

private:
    volatile std::int32_t* value_ = nullptr;
};

// All throw DeviceError if the driver refuses. The context is the primary one of current_device().
void bare_memset(void* destination, int byte, std::size_t count, CUstream_st* stream);

}  // namespace kgen::bench
