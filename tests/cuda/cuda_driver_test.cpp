// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <fstream>
#include <kgen/device.hpp>
#include <kgen/error.hpp>

#include "cuda/driver/driver_library.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"
#include "support/scoped_variable.hpp"

using kgen::DeviceError;
using kgen::DriverLibrary;

namespace {

std::string with_path(const char* text) {
    return fmt::format(fmt::runtime(text), FakeCuda::path());
}

}  // namespace

TEST_CASE("the driver is opened and asked for its version and devices", "[cuda]") {
    const ScopedVariable version("FAKE_CUDA_VERSION", "12080");
    const ScopedVariable devices("FAKE_CUDA_DEVICES", "3");
    const DriverLibrary driver(FakeCuda::path());
    CHECK(driver.version() == 12080);
    CHECK(driver.device_count() == 3);
    CHECK(driver.path() == FakeCuda::path());
    CHECK(kgen::cuda_version_text(driver.version()) == "12.8");
}

TEST_CASE("each way in which the driver is unusable has its own message", "[cuda]") {
    const ScopedVariable no_visible("CUDA_VISIBLE_DEVICES", std::nullopt);
    struct Row {
        const char* name;
        const char* value;
        const char* message;
        int code;
    };
    const Row rows[] = {
        {"FAKE_CUDA_VERSION",
         "12030",
         "the CUDA driver is too old: got CUDA 12.3 in '{}', expected 12.4 or newer: install "
         "NVIDIA's "
         "driver 550 or newer",
         0},
        {"FAKE_CUDA_FAIL",
         "cuInit:34",
         "'{}' is the toolkit's stub of the CUDA driver, made for linking only: install NVIDIA's "
         "driver 550 or newer, or set KGEN_CUDA_PATH to its libcuda.so.1; remove the toolkit's "
         "'stubs' folder from LD_LIBRARY_PATH",
         34},
        {"FAKE_CUDA_FAIL",
         "cuInit:100",
         "no GPU: the CUDA driver '{}' finds none; check with 'nvidia-smi -L', in a container "
         "start it "
         "with '--gpus all'",
         100},
        {"FAKE_CUDA_DEVICES",
         "0",
         "no GPU: the CUDA driver '{}' finds none; check with 'nvidia-smi -L', in a container "
         "start it "
         "with '--gpus all'",
         100},
        {"FAKE_CUDA_FAIL",
         "cuInit:803",
         "the CUDA driver '{}' and the kernel's NVIDIA module are of different versions: restart "
         "the "
         "machine after a driver update",
         803},
        {"FAKE_CUDA_FAIL",
         "cuInit:999",
         "the CUDA driver '{}' does not start: cuInit failed: CUDA_ERROR_UNKNOWN",
         999},
        {"FAKE_CUDA_MISSING",
         "cuFuncLoad",
         "the CUDA driver '{}' (CUDA 13.0) has no cuFuncLoad; install NVIDIA's driver 550 or "
         "newer, or "
         "set KGEN_CUDA_PATH to its libcuda.so.1",
         500},
    };
    for (const Row& row : rows) {
        const ScopedVariable variable(row.name, row.value);
        try {
            const DriverLibrary driver(FakeCuda::path());
            FAIL("opened: " << row.value);
        } catch (const DeviceError& error) {
            CHECK(error.what() == with_path(row.message));
            CHECK(error.code() == row.code);
        }
    }
}

TEST_CASE("a GPU hidden by CUDA_VISIBLE_DEVICES is said to be hidden", "[cuda]") {
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuInit:100");
    const ScopedVariable visible("CUDA_VISIBLE_DEVICES", "");
    CHECK(KGEN_MESSAGE_OF(DeviceError, DriverLibrary(FakeCuda::path())) ==
          "no GPU: CUDA_VISIBLE_DEVICES='' hides all of them; unset it, or name a GPU that "
          "'nvidia-smi "
          "-L' lists");
}

TEST_CASE("a driver that is not there is named with the place and the way to get it", "[cuda]") {
    CHECK(
        KGEN_MESSAGE_OF(DeviceError, DriverLibrary("/nowhere/libcuda.so.1")) ==
        "no CUDA driver: looked for '/nowhere/libcuda.so.1' (KGEN_CUDA_PATH): "
        "/nowhere/libcuda.so.1: "
        "cannot open shared object file: No such file or directory; install NVIDIA's driver 550 or "
        "newer, or set KGEN_CUDA_PATH to its libcuda.so.1");
    CHECK(KGEN_MESSAGE_OF(DeviceError, DriverLibrary("libc.so.6"))
              .find("is not a CUDA driver: it has no "
                    "cuDriverGetVersion") != std::string::npos);
}

TEST_CASE("a failed call is named with its context and its result in words", "[cuda]") {
    const DriverLibrary driver(FakeCuda::path());
    CHECK_NOTHROW(driver.check(CUDA_SUCCESS, "cuLaunchKernel", "kernel 'axpy'"));
    try {
        driver.check(CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel", "kernel 'axpy'");
        FAIL("nothing thrown");
    } catch (const DeviceError& error) {
        CHECK(std::string(error.what()) ==
              "kernel 'axpy': cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
        CHECK(error.call() == "cuLaunchKernel");
        CHECK(error.code() == 1);
    }
    CHECK(KGEN_MESSAGE_OF(DeviceError, driver.fail(static_cast<CUresult>(998), "cuInit", "x")) ==
          "x: cuInit failed: error 998");
    CHECK(
        KGEN_MESSAGE_OF(DeviceError, driver.fail(CUDA_ERROR_DEINITIALIZED, "cuInit", "x")) ==
        "x: cuInit failed: CUDA_ERROR_DEINITIALIZED (driver shutting down); the process is ending: "
        "the driver is unloaded before static objects that existed when it was first used");
}

TEST_CASE("fresh: device count and the message without a driver", "[.fresh]") {
    report(fmt::format("{}|", kgen::device_count(kgen::DeviceKind::cuda)));
    report(KGEN_MESSAGE_OF(DeviceError, kgen::set_current_device(kgen::Device::cuda(2))));
}

TEST_CASE("device_count is 0 where the driver is unusable, and choosing a GPU says why", "[cuda]") {
    const std::string name = "fresh: device count and the message without a driver";
    CHECK(
        run_fresh(name, {{"KGEN_CUDA_PATH", "/nowhere/libcuda.so.1"}}).text ==
        "0|no CUDA driver: looked for '/nowhere/libcuda.so.1' (KGEN_CUDA_PATH): "
        "/nowhere/libcuda.so.1: cannot open shared object file: No such file or directory; install "
        "NVIDIA's driver 550 or newer, or set KGEN_CUDA_PATH to its libcuda.so.1");
    CHECK(run_fresh(name, {{"KGEN_CUDA_PATH", FakeCuda::path()}}).text ==
          "1|cuda:2 does not exist: this process can use 1 CUDA device (cuda:0)");
    CHECK(
        run_fresh(name, {{"KGEN_CUDA_PATH", FakeCuda::path()}, {"FAKE_CUDA_DEVICES", "2"}}).text ==
        "2|cuda:2 does not exist: this process can use 2 CUDA devices (cuda:0 to cuda:1)");
}
