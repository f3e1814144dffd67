// SPDX-License-Identifier: MIT
//
// Test cases whose whole process runs on a driver that only counts (support/fake_cuda.hpp).
#pragma once

#include <cstring>
#include <kgen/kgen.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"

// The process's driver, which knows each kernel's parameters from its code.
struct Driver {
    FakeCuda fake;
    Driver() { fake.record().parameter_size = 0; }

    // Whether the last launch was given this address.
    bool was_given(const void* address) const {
        const FakeCudaRecord& record = fake.record();
        for (std::size_t at = 0; at + 8 <= record.parameters_bytes; at += 8) {
            if (std::memcmp(record.parameters + at, &address, sizeof address) == 0) return true;
        }
        return false;
    }
};

// Runs a hidden test case, which reports "ok" at its end.
inline void check_in_new_process(const std::string& test_case, const char* devices = "1") {
    const FreshResult result = run_fresh(test_case,
                                         {{"KGEN_CUDA_PATH", FakeCuda::path()},
                                          {"FAKE_CUDA_DEVICES", devices},
                                          {"KGEN_DEVICE", "cuda:0"}});
    if (result.text == "no NVRTC") {
        WARN("SKIPPED, no NVRTC: " << test_case);
        return;
    }
    CHECK(result.text == "ok");
    CHECK(result.exit_status == 0);
}

// Reports it where there is no NVRTC.
inline bool has_nvrtc() {
    try {
        const kgen::ElementwiseKernel probe("float32 x", "float32 z", "z = x", "probe");
        static_cast<void>(probe(kgen::empty({1}, kgen::float32)));
        return true;
    } catch (const kgen::DeviceError&) {
        report("no NVRTC");
        return false;
    }
}
