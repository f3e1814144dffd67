// SPDX-License-Identifier: MIT
#include "host/kernel/host_launch_limits.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>

#include "text/advice.hpp"

namespace kgen {

namespace {

const LaunchDims largest_grid = {2147483647, 65535, 65535};
const LaunchDims largest_block = {1024, 1024, 64};

std::string text(const LaunchDims& dims) {
    return fmt::format("({}, {}, {})", dims.x, dims.y, dims.z);
}

template <typename Exception = LaunchError, typename... Parts>
[[noreturn]] void refuse(const std::string& kernel,
                         fmt::format_string<Parts...> why,
                         Parts&&... parts) {
    throw Exception(fmt::format("kernel '{}': ", kernel) +
                    fmt::format(why, std::forward<Parts>(parts)...));
}

void refuse_extent(const std::string& kernel,
                   const char* what,
                   const char* things,
                   const LaunchDims& dims,
                   const LaunchDims& most) {
    const auto check = [&](const char* axis, std::int64_t extent, std::int64_t limit) {
        if (extent < 0) {
            refuse(kernel, "{} {}: an extent is negative", what, text(dims));
        }
        if (extent <= limit) return;
        refuse(kernel,
               "{} {}: {} {} along {}, host has at most {}",
               what,
               text(dims),
               extent,
               things,
               axis,
               limit);
    };
    check("x", dims.x, most.x);
    check("y", dims.y, most.y);
    check("z", dims.z, most.z);
}

void refuse_feature(const std::string& kernel, const char* what) {
    refuse<DeviceError>(
        kernel, "the host device does not support {}\nrun it on a GPU (KGEN_DEVICE=cuda)", what);
}

}  // namespace

bool check_host_launch(const LaunchConfig& config, const std::string& kernel) {
    const LaunchDims none;
    refuse_extent(kernel, "grid", "blocks", config.grid, largest_grid);
    refuse_extent(kernel, "block", "threads", config.block, largest_block);
    const std::int64_t threads = config.block.count();
    if (threads == 0) {
        refuse(kernel, "block {}: an extent is 0, expected at least 1", text(config.block));
    }
    if (threads > host_threads_per_block) {
        refuse(kernel,
               "{} threads in a block {}, host has at most {}",
               threads,
               text(config.block),
               host_threads_per_block);
    }
    if (config.shared_bytes < 0) {
        refuse(kernel, "{} bytes of shared memory: expected 0 or more", config.shared_bytes);
    }
    if (config.shared_bytes > host_shared_bytes) {
        refuse(kernel,
               "{} bytes of shared memory, host has at most {}",
               config.shared_bytes,
               host_shared_bytes);
    }
    if (config.cluster != none) refuse_feature(kernel, "clusters");
    if (config.cooperative) refuse_feature(kernel, "cooperative launches");
    if (config.programmatic_dependent) refuse_feature(kernel, "programmatic dependent launches");
    return config.grid.count() != 0;
}

void check_host_shared_bytes(std::int64_t own_bytes,
                             std::int64_t dynamic_bytes,
                             const std::string& kernel) {
    if (own_bytes > host_static_shared_bytes) {
        refuse<DeviceError>(
            kernel,
            "{} bytes of __shared__ variables, host has at most {}; more can be extern "
            "__shared__, {}",
            own_bytes,
            host_static_shared_bytes,
            advise(Advice::extern_shared_bytes));
    }
    if (own_bytes + dynamic_bytes > host_shared_bytes) {
        refuse(kernel,
               "{} bytes of shared memory and {} static bytes, host has at most {}",
               dynamic_bytes,
               own_bytes,
               host_shared_bytes);
    }
}

}  // namespace kgen
