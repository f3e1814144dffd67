// SPDX-License-Identifier: MIT
//
// Tests of images that the driver rejects. A rejected image from the cache is compiled again, once. If the
// failure is not the image's fault, the image stays in the cache. Each run is a separate process with the
// real NVRTC and the fake CUDA driver (support/fake_cuda.hpp).
#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>

#include <kgen/cache_statistics.hpp>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernel/loaded_kernel.hpp"
#include "support/fresh_driver.hpp"
#include "support/temp_dir.hpp"
#include "text/log.hpp"

using namespace kgen;

namespace {

// Prints each warning.
class WarningReporter : public spdlog::sinks::base_sink<std::mutex> {
protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        if (message.level >= spdlog::level::warn)
            report("warning: " + std::string(message.payload.data(), message.payload.size()) +
                   "\n");
    }
    void flush_() override {}
};

void report_call(const ElementwiseKernel& kernel) {
    try {
        kernel(empty({4}, float32));
        report("ok");
    } catch (const DeviceError& error) {
        report(fmt::format("code {}", error.code()));
    }
    const CacheStatistics counts = cache_statistics();
    report(fmt::format(" compiles {} hits {} rejections {}\n",
                       counts.compiles,
                       counts.disk_hits,
                       counts.driver_rejections));
}

}  // namespace

TEST_CASE("fresh: calls a kernel that the driver may refuse", "[.fresh]") {
    const Driver driver;
    log().sinks().push_back(std::make_shared<WarningReporter>());
    const ElementwiseKernel kernel("float32 x", "float32 z", "z = x + 7", "refused_by_driver");
    report_call(kernel);
    report_call(kernel);
}

TEST_CASE("a cached image that the driver refuses is compiled anew once", "[cuda]") {
    const TempDir folder;
    const auto run = [&](const char* cache, const char* failure) {
        return run_fresh("fresh: calls a kernel that the driver may refuse",
                         {{"KGEN_CUDA_PATH", FakeCuda::path()},
                          {"KGEN_DEVICE", "cuda:0"},
                          {"KGEN_CACHE_DIR", folder / cache},
                          {"FAKE_CUDA_FAIL", failure}})
            .text;
    };
    const std::string first = run("a", "");
    if (first.starts_with("code 0")) {
        WARN("SKIPPED, no NVRTC");
        return;
    }
    CHECK(first ==
          "ok compiles 1 hits 0 rejections 0\n"
          "ok compiles 1 hits 0 rejections 0\n");
    const std::string hits =
        "ok compiles 0 hits 1 rejections 0\n"
        "ok compiles 0 hits 1 rejections 0\n";
    CHECK(run("a", "") == hits);

    // The driver rejects the image once. The entry is replaced, and a warning names its file.
    const std::string refused = run("a", "cuLibraryLoadData:209:1");
    const std::size_t named = refused.find("warning: cache: dropped '" + (folder / "a/v1/"));
    CHECK(named == 0);
    CHECK(refused.find("': cuda:0: loading 'kgen_kernel_refused_by_driver' for sm_90: "
                       "cuLibraryLoadData failed: CUDA_ERROR_NO_BINARY_FOR_GPU\n"
                       "ok compiles 1 hits 1 rejections 1\n"
                       "ok compiles 1 hits 1 rejections 1\n") != std::string::npos);
    CHECK(run("a", "") == hits);

    // The driver also rejects the new image. The call fails, and the next one tries again.
    const std::string always = run("a", "cuLibraryLoadData:218");
    CHECK(always.find("\ncode 218 compiles 1 hits 1 rejections 1\n"
                      "code 218 compiles 2 hits 2 rejections 2\n") != std::string::npos);
    CHECK(always.find("warning", 1) == std::string::npos);
    CHECK(run("a", "") == hits);
    // The driver rejects an image that was just compiled.
    CHECK(run("b", "cuLibraryLoadData:200:1") ==
          "code 200 compiles 1 hits 0 rejections 0\n"
          "ok compiles 1 hits 1 rejections 0\n");

    // These failures are not the image's fault: out of memory, and a fault after which the device is lost.
    CHECK(run("a", "cuLibraryLoadData:2:1") ==
          "code 2 compiles 0 hits 1 rejections 0\n"
          "ok compiles 0 hits 2 rejections 0\n");
    CHECK(run("a", "cuLibraryLoadData:700") ==
          "code 700 compiles 0 hits 1 rejections 0\n"
          "code 700 compiles 0 hits 1 rejections 0\n");
    CHECK(run("a", "") == hits);
}

TEST_CASE("the driver's results that are about the image are known", "[cuda]") {
    std::vector<int> about_the_image;
    for (int code = 0; code < 1000; ++code) {
        if (is_rejection(DeviceError("", "cuLibraryLoadData", code)))
            about_the_image.push_back(code);
    }
    CHECK(about_the_image == std::vector<int>{200, 209, 218, 222, 300, 301});
}
