// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/device.hpp>
#include <kgen/error.hpp>
#include <kgen/stream.hpp>
#include <thread>
#include <utility>

#include "device/registry.hpp"
#include "support/catch.hpp"
#include "support/fresh_process.hpp"

using namespace kgen;

TEST_CASE("devices are written and read as 'host' and 'cuda:1'", "[device]") {
    CHECK(to_text(Device::host()) == "host");
    CHECK(to_text(Device::cuda(3)) == "cuda:3");
    CHECK(parse_device("host") == Device::host());
    CHECK(parse_device("cuda") == Device::cuda(0));
    CHECK(parse_device("cuda:12") == Device::cuda(12));
}

TEST_CASE("a text that names no device is refused with what does", "[device]") {
    for (const char* text : {"",
                             "gpu",
                             "cuda:",
                             "cuda:x",
                             "cuda:-1",
                             "cuda:1 ",
                             "CUDA:0",
                             "host:0",
                             "cuda:99999999999999",
                             "cuda0"}) {
        CHECK(KGEN_MESSAGE_OF(DeviceError, parse_device(text)) ==
              fmt::format("'{}' is not a device: expected 'host', 'cuda' or 'cuda:1'", text));
    }
}

TEST_CASE("there is always one host device", "[device]") {
    CHECK(device_count(DeviceKind::host) == 1);
    CHECK(backend(Device::host()).device() == Device::host());
    CHECK_NOTHROW(synchronize(Device::host()));
}

TEST_CASE("the host device is described", "[device]") {
    const DeviceInfo info = device_info(Device::host());
    CHECK_FALSE(info.name.empty());
    CHECK(info.multiprocessors == static_cast<int>(std::thread::hardware_concurrency()));
    CHECK(info.memory_bytes > std::int64_t{1} << 28);
    CHECK(info.capability == std::pair(0, 0));
    CHECK(info.clock_khz >= 0);
    const DeviceScope scope(Device::host());
    CHECK(device_info().name == info.name);
    CHECK_THROWS_AS(device_info(Device::cuda(99)), DeviceError);
}

TEST_CASE("the current device is chosen for each thread and for a scope", "[device]") {
    const Device before = current_device();
    {
        const DeviceScope scope(Device::host());
        CHECK(current_device() == Device::host());
        Device elsewhere = Device::host();
        std::thread([&] { elsewhere = current_device(); }).join();
        CHECK(elsewhere == before);
    }
    CHECK(current_device() == before);
}

TEST_CASE("fresh: reports the current device", "[.fresh]") {
    try {
        report(to_text(current_device()));
    } catch (const DeviceError& error) {
        report(error.what());
    }
}

TEST_CASE("KGEN_DEVICE chooses the first current device, or says why it cannot", "[device]") {
    const auto chosen = [](const char* device, const char* driver) {
        return run_fresh("fresh: reports the current device",
                         {{"KGEN_DEVICE", device}, {"KGEN_CUDA_PATH", driver}})
            .text;
    };
    const char* no_driver = "/nowhere/libcuda.so.1";
    CHECK(chosen("", no_driver) == "host");
    CHECK(chosen("host", no_driver) == "host");
    CHECK(chosen("gpu", no_driver) ==
          "KGEN_DEVICE='gpu': 'gpu' is not a device: expected 'host', 'cuda' or 'cuda:1'");
    const std::string refused = chosen("cuda", no_driver);
#ifdef KGEN_FAKE_CUDA
    CHECK(refused.find("KGEN_DEVICE='cuda': no CUDA driver: looked for '/nowhere/libcuda.so.1'") ==
          0);
    CHECK(chosen("", KGEN_FAKE_CUDA) == "cuda:0");
    CHECK(chosen("host", KGEN_FAKE_CUDA) == "host");
    CHECK(
        chosen("cuda:1", KGEN_FAKE_CUDA) ==
        "KGEN_DEVICE='cuda:1': cuda:1 does not exist: this process can use 1 CUDA device (cuda:0)");
#else
    CHECK(refused ==
          "KGEN_DEVICE='cuda': kgen was built without CUDA: no CUDA headers were found when it was "
          "configured");
#endif
}

TEST_CASE("a target is known without a GPU", "[device]") {
    CHECK(default_target(DeviceKind::cuda).kind == DeviceKind::cuda);
    CHECK(default_target(DeviceKind::cuda).arch.substr(0, 3) == "sm_");
    CHECK(default_target(DeviceKind::host) == backend(Device::host()).target());
}

TEST_CASE("the current stream is chosen for each thread and device", "[device]") {
    const Device host = Device::host();
    CHECK(current_stream(host) == Stream::legacy(host));
    const Stream stream = Stream::view(reinterpret_cast<CUstream_st*>(0x10), host);
    {
        const StreamScope scope(stream);
        CHECK(current_stream(host) == stream);
        CHECK(current_stream(Device::cuda(0)) == Stream::legacy(Device::cuda(0)));
        Stream elsewhere = stream;
        std::thread([&] { elsewhere = current_stream(host); }).join();
        CHECK(elsewhere == Stream::legacy(host));
    }
    CHECK(current_stream(host) == Stream::legacy(host));
    CHECK_FALSE(Stream::legacy(host) == Stream::legacy(Device::cuda(0)));
}

TEST_CASE("streams and events of the host are always done", "[device]") {
    const Stream stream = Stream::create(Device::host());
    CHECK(stream.device() == Device::host());
    CHECK(stream.is_idle());
    Event earlier(Device::host());
    Event later(Device::host());
    earlier.record(stream);
    later.record();
    stream.wait(earlier);
    CHECK(later.is_done());
    CHECK(later.elapsed_ms(earlier) >= 0);
    CHECK_NOTHROW(stream.synchronize());
    CHECK_NOTHROW(later.synchronize());
    const Stream copy = stream;
    CHECK(copy == stream);
}

TEST_CASE("an event is recorded in streams of its own device alone", "[device]") {
    Event event(Device::host());
    CHECK(KGEN_MESSAGE_OF(DeviceError, event.record(Stream::legacy(Device::cuda(0)))) ==
          "an event on host cannot be recorded in a stream on cuda:0: create the event with "
          "Event(stream.device())");
}

TEST_CASE("every finding says what it is, and how to get what is missing", "[device]") {
    const std::vector<Finding> findings = inspect_devices();
    CHECK(findings.size() >= 2);
    for (const Finding& finding : findings) {
        INFO(finding.subject << ": " << finding.detail);
        CHECK_FALSE(finding.subject.empty());
        CHECK_FALSE(finding.detail.empty());
        CHECK(finding.found == finding.remedy.empty());
    }
}

TEST_CASE("the per-thread default stream is refused, since it is many streams", "[device]") {
    CHECK(KGEN_MESSAGE_OF(DeviceError,
                          Stream::view(reinterpret_cast<CUstream_st*>(2), Device::cuda(0))) ==
          "the per-thread default stream is a different stream on each thread; pass a stream that "
          "was created");
}
