// SPDX-License-Identifier: MIT
//
// Streams of other libraries that are destroyed while memory remembers them (Stream::end_use), on the fake
// driver. It ends the process if a destroyed stream is used, as the real driver may (support/fake_cuda.hpp).
#include <kgen/kgen.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/driver/driver_library.hpp"
#include "support/catch.hpp"
#include "support/fresh_driver.hpp"

using namespace kgen;

namespace {

// A stream of another library, which gets it from the driver.
class ForeignStream {
public:
    ForeignStream() { driver().stream_create(&handle_, CU_STREAM_NON_BLOCKING); }
    ~ForeignStream() {
        if (handle_ != nullptr) destroy();
    }
    ForeignStream(const ForeignStream&) = delete;
    ForeignStream& operator=(const ForeignStream&) = delete;

    Stream view() const { return Stream::view(handle_); }
    CUstream_st* handle() const { return handle_; }
    void destroy() { driver().stream_destroy(std::exchange(handle_, nullptr)); }

private:
    static const DriverApi& driver() {
        static const auto* const library = new DriverLibrary(FakeCuda::path());
        return library->api();
    }
    CUstream_st* handle_ = nullptr;
};

Array made_on(const Stream& stream, std::int64_t count) {
    const StreamScope scope(stream);
    return empty({count}, float32);
}

}  // namespace

TEST_CASE("memory that was made in a stream or used in it outlives the stream, whose end is told",
          "[cuda][stream][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next");
    ForeignStream foreign;
    std::optional<Array> home(made_on(foreign.view(), 1000));
    std::optional<Array> large(made_on(foreign.view(), 20'000'000));  // is not kept by the pool
    std::optional<Array> used(zeros({1000}, float32));
    next(*used, out(*home), on(foreign.view()));
    { const Array freed = made_on(foreign.view(), 5000); }  // is kept for the stream
    std::optional<Texture> texture(Texture::create(zeros({4, 4}, float32)));
    texture->record_use(foreign.view());

    foreign.view().end_use();
    CHECK(driver.fake.calls("cuStreamSynchronize") > 0);
    foreign.destroy();
    // The fake driver ends the process at any use of the stream.
    next(*used, out(*home));
    home.reset();
    large.reset();
    used.reset();
    texture.reset();
    trim_memory_pool();
    CHECK(memory_pool_statistics().used_bytes == 0);
    report("ok");
}

TEST_CASE("memory kept for an ended stream goes back to the driver", "[cuda][stream][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    ForeignStream foreign;
    { const Array freed = made_on(foreign.view(), 5000); }
    CHECK(memory_pool_statistics().kept_bytes > 0);
    foreign.view().end_use();
    CHECK(memory_pool_statistics().kept_bytes == 0);
    foreign.destroy();
    report("ok");
}

TEST_CASE("a new stream at the address of an ended one is another stream",
          "[cuda][stream][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next");
    const ForeignStream foreign;
    std::optional<Array> home(made_on(foreign.view(), 1000));
    std::optional<Array> used(zeros({1000}, float32));
    next(*used, out(*home), on(foreign.view()));
    foreign.view().end_use();
    // The stream still exists, so it stands for a new one.
    next(*used, out(*home), on(foreign.view()));
    const int waits = driver.fake.calls("cuStreamWaitEvent");
    home.reset();
    CHECK(driver.fake.calls("cuStreamWaitEvent") == waits + 1);
    used.reset();
    CHECK(driver.fake.calls("cuStreamWaitEvent") == waits + 2);
    report("ok");
}

TEST_CASE(
    "the owner of borrowed memory gets it back when all work with it is done, after the end of its "
    "stream",
    "[cuda][stream][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next");
    ForeignStream foreign;
    const Array memory = zeros({1000}, float32);
    auto owner = std::make_shared<int>(0);
    const std::weak_ptr<int> watched = owner;
    std::optional<Array> view(Array::view(
        memory.data(), float32, {1000}, {.owner = std::move(owner), .stream = foreign.view()}));
    foreign.view().end_use();
    foreign.destroy();
    next(*view, out(memory));  // in the legacy default stream
    const int waits = driver.fake.calls("cuEventSynchronize");
    view.reset();
    CHECK(driver.fake.calls("cuEventSynchronize") == waits + 1);
    CHECK(watched.expired());
    report("ok");
}

TEST_CASE("the end of a stream that kgen owns or that is captured is refused",
          "[cuda][stream][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    CHECK(KGEN_MESSAGE_OF(DeviceError, Stream::create().end_use()) ==
          "cuda:0: end_use() is for streams of other libraries, but this stream is one of "
          "Stream::create()");
    CHECK(KGEN_MESSAGE_OF(DeviceError, Stream::legacy().end_use()) ==
          "cuda:0: end_use() is for streams of other libraries, but this stream is the legacy "
          "default stream");
    const ForeignStream foreign;
    REQUIRE(driver.fake.begin_capture(foreign.handle(), 2) == 0);
    CHECK(KGEN_MESSAGE_OF(DeviceError, foreign.view().end_use()) ==
          "cuda:0: cannot wait for a stream that is being captured, because its work runs only "
          "when the graph is launched: read results (item(), to_vector()), copy from the host and "
          "synchronize before the capture or after the launch");
    void* graph = nullptr;
    CHECK(driver.fake.end_capture(foreign.handle(), &graph) == 0);  // the capture is intact
    CHECK(graph != nullptr);
    foreign.view().end_use();
    Stream::legacy(Device::host()).end_use();  // does nothing
    report("ok");
}
