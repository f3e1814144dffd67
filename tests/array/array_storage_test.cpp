// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "support/catch.hpp"
#include "support/fake_raw.hpp"

using namespace kgen;

namespace {

// A fake device "cuda:0" that uses host memory and records its calls.
class RecordingBackend final : public test::FakeRawDevice {
public:
    mutable std::vector<std::string> calls;
    mutable bool events_fail = false;

    std::vector<std::string> take_calls() const { return std::exchange(calls, {}); }

    void* allocate(std::size_t bytes, StreamHandle stream) const override {
        note("allocate {} on {}", bytes, number(stream));
        return FakeRawDevice::allocate(bytes, stream);
    }
    void free(void* pointer, std::size_t bytes, StreamHandle stream) const noexcept override {
        note("free {} on {}", bytes, number(stream));
        FakeRawDevice::free(pointer, bytes, stream);
    }
    void copy(void* destination,
              const void* source,
              std::size_t bytes,
              CopyDirection direction,
              StreamHandle stream) const override {
        note("copy {}{}", bytes, direction == CopyDirection::device_to_host ? " to host" : "");
        FakeRawDevice::copy(destination, source, bytes, direction, stream);
    }
    void* create_event() const override {
        if (events_fail) throw DeviceError("no event");
        return FakeRawDevice::create_event();
    }
    void record_event(void*, StreamHandle stream) const override {
        note("record on {}", number(stream));
    }
    void wait_event(StreamHandle stream, void*) const override {
        note("wait on {}", number(stream));
    }

private:
    static std::size_t number(StreamHandle stream) {
        return reinterpret_cast<std::size_t>(stream) / 16;
    }
    template <typename... Values>
    void note(const char* text, Values... values) const {
        calls.push_back(fmt::format(fmt::runtime(text), values...));
    }
};

Stream stream(std::size_t number) {
    // Multiples of 16 look like real handles. Small numbers are CUDA's special streams.
    return Stream::view(reinterpret_cast<StreamHandle>(number * 16), Device::cuda(0));
}

using Calls = std::vector<std::string>;

// Creates an array on the recording device with the elements 0, 1, ... as float32.
Array device_range(const RecordingBackend& backend, const Dims& shape) {
    const Array host = arange(element_count(shape), float32, {.device = Device::host()});
    const auto bytes = static_cast<std::size_t>(host.size_bytes());
    auto storage = Storage::allocate(backend, bytes, stream(0));
    void* data = storage->data();
    if (bytes > 0) std::memcpy(data, host.data(), bytes);
    backend.take_calls();
    return ArrayAccess::make(
        std::move(storage), float32, shape, contiguous_strides(shape, float32), data);
}

}  // namespace

TEST_CASE("a block is freed on its home stream") {
    RecordingBackend backend;
    auto storage = Storage::allocate(backend, 40, stream(3));
    CHECK(storage->size_bytes() == 40);
    CHECK_FALSE(storage->is_borrowed());
    storage->used_on(stream(3));
    storage.reset();
    CHECK(backend.calls == Calls{"allocate 40 on 3", "free 40 on 3"});
}

TEST_CASE("a free waits for every other stream that used the block, once each") {
    RecordingBackend backend;
    auto storage = Storage::allocate(backend, 8, stream(0));
    const std::vector<std::size_t> numbers = {5, 5, 6, 5, 0, 6};
    for (const std::size_t number : numbers) storage->used_on(stream(number));
    storage.reset();
    CHECK(backend.calls == Calls{"allocate 8 on 0",
                                 "record on 5",
                                 "wait on 0",
                                 "record on 6",
                                 "wait on 0",
                                 "free 8 on 0"});
}

TEST_CASE("a block whose users cannot be awaited is kept from the pool") {
    RecordingBackend backend;
    auto storage = Storage::allocate(backend, 8, stream(0));
    void* block = storage->data();
    storage->used_on(stream(1));
    backend.events_fail = true;
    storage.reset();
    CHECK(backend.calls == Calls{"allocate 8 on 0"});
    std::free(block);
}

TEST_CASE("a storage of no bytes allocates nothing") {
    RecordingBackend backend;
    auto storage = Storage::allocate(backend, 0, stream(0));
    CHECK(storage->data() == nullptr);
    storage->used_on(stream(1));
    storage.reset();
    CHECK(backend.calls.empty());
}

TEST_CASE("streams may be marked from several threads") {
    RecordingBackend backend;
    auto storage = Storage::allocate(backend, 8, stream(0));
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < 4; ++k) {
        threads.emplace_back([&storage, k] {
            for (std::size_t n = 0; n < 200; ++n) storage->used_on(stream(1 + (n + k) % 3));
        });
    }
    for (std::thread& thread : threads) thread.join();
    storage.reset();
    CHECK(backend.calls.size() == 2 + 3 * 2);
}

TEST_CASE("borrowed memory is not freed, and its owner lives as long as any view of it") {
    float memory[4] = {0, 1, 2, 3};
    auto owner = std::make_shared<int>(0);
    Array view = Array::view(
        memory, float32, {4}, {.device = Device::host(), .strides = {}, .owner = owner});
    CHECK(view.storage()->is_borrowed());
    Array part = view.slice({{.start = 1, .stop = 3}});
    view = Array();
    CHECK(owner.use_count() == 2);
    CHECK(part.to_vector<float>() == std::vector<float>{1, 2});
    part = Array();
    CHECK(owner.use_count() == 1);
}

TEST_CASE("a contiguous device array comes to the host in one copy, in its own memory order") {
    RecordingBackend backend;
    const Array x = device_range(backend, {2, 3, 4});
    const Array turned = x.transpose({1, 0, 2});
    const Array host = turned.to(Device::host());
    CHECK(backend.take_calls() == Calls{"copy 96 to host"});
    CHECK(host.device() == Device::host());
    CHECK(host.strides() == turned.strides());
    CHECK(host.ascontiguous().to_vector<float>() == turned.to_vector<float>());
    CHECK(turned[2][1].to_vector<float>() == std::vector<float>{20, 21, 22, 23});
}

TEST_CASE("a strided device array is read through the bytes it spans, without a kernel") {
    RecordingBackend backend;
    const Array x = device_range(backend, {4, 5});
    const Array part = x.slice({{.start = 3, .stop = 0, .step = -2}, {.start = 1, .stop = 3}});
    CHECK(part.to_vector<float>() == std::vector<float>{16, 17, 6, 7});
    CHECK(backend.take_calls() == Calls{"copy 48 to host"});
    CHECK(part.to(Device::host()).to_vector<float>() == std::vector<float>{16, 17, 6, 7});
    CHECK(to_text(part) == "[[16. 17.]\n [ 6.  7.]]");
    CHECK(x[3][4].item<float>() == 19);
}

TEST_CASE("printing a large device array copies only its corners") {
    RecordingBackend backend;
    const Array x = device_range(backend, {2000});
    CHECK(to_text(x) == "[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]");
    CHECK(backend.take_calls() == Calls{"copy 12 to host", "copy 12 to host"});
}

TEST_CASE("reading a device array on another stream marks its storage") {
    RecordingBackend backend;
    {
        const Array x = device_range(backend, {3});
        const StreamScope scope(stream(9));
        CHECK(x.to_vector<float>() == std::vector<float>{0, 1, 2});
    }
    CHECK(backend.calls == Calls{"copy 12 to host", "record on 9", "wait on 0", "free 12 on 0"});
}
