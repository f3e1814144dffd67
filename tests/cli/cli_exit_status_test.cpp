// SPDX-License-Identifier: MIT
#include <kgen/cache.hpp>
#include <kgen/error.hpp>
#include <new>

#include "cli/exit_status.hpp"
#include "support/catch.hpp"

using namespace kgen;
using namespace kgen::cli;

TEST_CASE("each kind of failure has its exit status") {
    const auto status = [](const std::exception& error) {
        return static_cast<int>(status_of(error));
    };
    CHECK(status(UsageError("")) == 2);
    CHECK(status(SignatureError("")) == 2);
    CHECK(status(TypeError("")) == 2);
    CHECK(status(ShapeError("")) == 2);
    CHECK(status(CacheError("")) == 2);
    CHECK(status(IoError("")) == 3);
    CHECK(status(CompileError("", "", "")) == 4);
    CHECK(status(LaunchError("")) == 2);
    CHECK(status(DeviceError("")) == 5);
    CHECK(status(CommunicationError("")) == 5);
    CHECK(status(Error("")) == 1);
    CHECK(status(std::bad_alloc()) == 1);
}

TEST_CASE("a driver's result after which the context is lost is a device fault") {
    for (const int code : {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810}) {
        INFO(code);
        CHECK(status_of(DeviceError("", "cuStreamSynchronize", code)) == ExitStatus::device_fault);
    }
    CHECK(status_of(DeviceError("", "cuMemAllocAsync", 2)) == ExitStatus::device);
    CHECK(status_of(DeviceError("", "cuLaunchKernel", 701)) == ExitStatus::device);
    CHECK(status_of(DeviceError("", "posix_spawn", 700)) == ExitStatus::device);
}
