// SPDX-License-Identifier: MIT
//
// Test cases that run in a process of their own on the fake driver (support/fake_cuda.hpp).
#pragma once

#include <cstdlib>
#include <cstring>
#include <kgen/kgen.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"

// The fake driver of the process. It reads the parameters of each kernel from the kernel's code.
struct Driver {
    FakeCuda fake;
    Driver() { fake.record().parameter_size = 0; }

    // Returns whether the last launch received this address.
    bool was_given(const void* address) const {
        const FakeCudaRecord& record = fake.record();
        for (std::size_t at = 0; at + 8 <= record.parameters_bytes; at += 8) {
            if (std::memcmp(record.parameters + at, &address, sizeof address) == 0) return true;
        }
        return false;
    }
};

// Returns whether this process runs the test case alone, on the fake driver. If not, runs it so in a new
// process and checks that it reports "ok" at its end. A test case begins with
//     if (!in_new_process()) return;
inline bool in_new_process(const char* devices = "1") {
    if (std::getenv("KGEN_TEST_REPORT") != nullptr) return true;
    std::string name;
    for (const char c : Catch::getResultCapture().getCurrentTestName()) {
        if (c == ',') name += '\\';  // Catch2 reads a comma as "or"
        name += c;
    }
    const FreshResult result = run_fresh(name,
                                         {{"KGEN_CUDA_PATH", FakeCuda::path()},
                                          {"FAKE_CUDA_DEVICES", devices},
                                          {"KGEN_DEVICE", "cuda:0"}});
    if (result.text == "no NVRTC") {
        WARN("SKIPPED, no NVRTC: " << name);
        return false;
    }
    CHECK(result.text == "ok");
    CHECK(result.exit_status == 0);
    return false;
}

// Returns whether NVRTC is installed, and reports "no NVRTC" if it is not.
inline bool finds_nvrtc() {
    try {
        const kgen::ElementwiseKernel probe("float32 x", "float32 z", "z = x", "probe");
        static_cast<void>(probe(kgen::empty({1}, kgen::float32)));
        return true;
    } catch (const kgen::DeviceError&) {
        report("no NVRTC");
        return false;
    }
}
