// SPDX-License-Identifier: MIT
//
// The memory that the user's allocator supplies (set_memory_allocator), on the host and on the fake driver.
#include <cstdlib>
#include <kgen/kgen.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/fresh_driver.hpp"

using namespace kgen;

namespace {

// An allocator that counts, fails on demand, and knows its blocks.
class Supplier {
public:
    explicit Supplier(std::size_t alignment = 256) : alignment_(alignment) {}
    ~Supplier() { CHECK(blocks_.empty()); }
    Supplier(const Supplier&) = delete;
    Supplier& operator=(const Supplier&) = delete;

    static MemoryAllocator functions(const std::shared_ptr<Supplier>& supplier) {
        return {
            .allocate = [supplier](std::size_t bytes,
                                   CUstream_st* stream) { return supplier->take(bytes, stream); },
            .free = [supplier](void* pointer,
                               std::size_t bytes,
                               CUstream_st* stream) { supplier->give(pointer, bytes, stream); }};
    }
    std::size_t live() const { return blocks_.size(); }

    int allocations = 0;
    int frees = 0;
    CUstream_st* last_stream = nullptr;
    enum class Fault {
        none,
        throws,
        null,
        misaligned,
        repeats,
        throws_on_free
    } fault = Fault::none;

private:
    void* take(std::size_t bytes, CUstream_st* stream) {
        ++allocations;
        last_stream = stream;
        if (fault == Fault::throws) throw std::runtime_error("the pool is closed");
        if (fault == Fault::null) return nullptr;
        if (fault == Fault::repeats) return blocks_.begin()->first;
        const std::size_t skip = fault == Fault::misaligned ? 16 : 0;
        char* block = nullptr;
        const std::size_t rounded = (bytes + skip + alignment_ - 1) / alignment_ * alignment_;
        block = static_cast<char*>(std::aligned_alloc(alignment_, rounded)) + skip;
        blocks_[block] = {bytes, skip};
        return block;
    }
    void give(void* pointer, std::size_t bytes, CUstream_st* stream) {
        ++frees;
        last_stream = stream;
        const auto found = blocks_.find(pointer);
        REQUIRE(found != blocks_.end());
        CHECK(found->second.first == bytes);
        std::free(static_cast<char*>(pointer) - found->second.second);
        blocks_.erase(found);
        if (fault == Fault::throws_on_free) throw std::runtime_error("the pool is closed");
    }

    std::size_t alignment_;
    std::map<void*, std::pair<std::size_t, std::size_t>> blocks_;
};

// Sets an allocator for a scope.
class Supplied {
public:
    Supplied(const std::shared_ptr<Supplier>& supplier, Device device) : device_(device) {
        set_memory_allocator(Supplier::functions(supplier), device);
    }
    ~Supplied() { set_memory_allocator({}, device_); }
    Supplied(const Supplied&) = delete;
    Supplied& operator=(const Supplied&) = delete;

private:
    Device device_;
};

}  // namespace

TEST_CASE("arrays on the host are in the memory of the user's allocator, which frees them",
          "[memory][binding]") {
    const Device host = Device::host();
    const ElementwiseKernel next("T x", "T y", "y = x + 1", "next");
    const auto first = std::make_shared<Supplier>(64);
    const auto second = std::make_shared<Supplier>(64);
    std::optional<Array> kept;
    {
        const Supplied one(first, host);
        const Array x = arange(100, float32, {host});
        kept = next(x);
        CHECK(first->allocations == 2);
        const Array nothing = zeros({0}, float32, {host});
        CHECK(first->allocations == 2);
        const Supplied other(second, host);
        const Array y = next(*kept);
        CHECK(second->live() == 1);
        CHECK(y.to_vector<float>()[99] == 101);
        CHECK(first->live() == 2);
    }
    CHECK(second->live() == 0);
    CHECK(first->live() == 1);
    CHECK(kept->to_vector<float>()[99] == 100);
    const Array own = zeros({100}, float32, {host});
    CHECK(first->allocations == 2);
    kept.reset();
    CHECK(first->frees == 2);
    CHECK(first.use_count() == 1);  // the replaced functions are gone
}

TEST_CASE("an allocator that fails is reported, and no array changes", "[memory][binding]") {
    using Fault = Supplier::Fault;
    const Device host = Device::host();
    const ElementwiseKernel add("T x", "T y", "y += x", "add_to");
    const ElementwiseKernel next("T x", "T y", "y = x + 1", "next");
    const auto supplier = std::make_shared<Supplier>(64);
    const Supplied scope(supplier, host);
    Array x = arange(10, float32, {host});
    const auto told = [&](Fault fault) {
        supplier->fault = fault;
        std::string message = KGEN_MESSAGE_OF(DeviceError, next(x));
        supplier->fault = Fault::none;
        return message;
    };
    const std::string subject =
        "host: the allocator of set_memory_allocator cannot allocate 40 bytes: ";
    CHECK(told(Fault::throws) == subject + "the pool is closed");
    CHECK(told(Fault::null) == subject + "it returned nullptr");
    CHECK(told(Fault::misaligned) == subject + "its address is not a multiple of 64 bytes");
    CHECK(told(Fault::repeats) == subject + "it returned memory that is still in use");
    CHECK(supplier->live() == 1);
    CHECK(next(x).to_vector<float>()[9] == 10);
    supplier->fault = Fault::throws_on_free;
    { const Array dropped = next(x); }  // the error is logged
    supplier->fault = Fault::none;
    CHECK(supplier->live() == 1);
    x = Array();
    CHECK(supplier->live() == 0);
    CHECK(KGEN_MESSAGE_OF(
              TypeError, set_memory_allocator({.allocate = [](std::size_t, CUstream_st*) {
                  return static_cast<void*>(nullptr);
              }})) == "set_memory_allocator: got allocate without free, expected both or none");
    CHECK(KGEN_MESSAGE_OF(
              TypeError, set_memory_allocator({.free = [](void*, std::size_t, CUstream_st*) {}})) ==
          "set_memory_allocator: got free without allocate, expected both or none");
}

TEST_CASE("arrays and scratch memory on a GPU come from the user's allocator, in stream order",
          "[cuda][memory][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ReductionKernel sum("float32 x", "float32 y", "x", "a + b", "y = a", "0", "sum_up");
    const auto supplier = std::make_shared<Supplier>();
    const int own = driver.fake.calls("cuMemAllocFromPoolAsync");
    {
        const Supplied scope(supplier, Device::cuda(0));
        const Stream stream = Stream::create();
        std::optional<Array> x;
        {
            const StreamScope current(stream);
            x = zeros({1000000}, float32);
        }
        CHECK(supplier->last_stream == stream.handle());
        CHECK(supplier->allocations == 1);
        sum(*x, on(stream));
        CHECK(supplier->allocations > 2);  // the output and scratch memory
        x.reset();
        CHECK(supplier->last_stream == stream.handle());
        CHECK(driver.fake.calls("cuMemAllocFromPoolAsync") == own);
        CHECK(memory_pool_statistics().used_bytes == 0);
    }
    CHECK(supplier->live() == 0);  // the stream gave back its scratch memory
    report("ok");
}

TEST_CASE("a captured graph keeps the user's memory, and allocates its own from kgen's pool",
          "[cuda][memory][graph][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next");
    const auto supplier = std::make_shared<Supplier>();
    const Supplied scope(supplier, Device::cuda(0));
    const Stream stream = Stream::create();
    std::optional<Graph> graph;
    {
        const Array x = zeros({1000}, float32);
        const StreamScope current(stream);
        graph = capture(stream, [&] { next(next(x)); });
        CHECK(supplier->allocations == 1);  // the memory that the capture allocated is kgen's
    }
    CHECK(supplier->live() == 1);  // the graph replays work with it
    graph->launch();
    graph.reset();
    CHECK(supplier->live() == 0);
    report("ok");
}

TEST_CASE("memory of the user's allocator that a foreign capture forbids to free is freed later",
          "[cuda][memory][graph][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    const auto supplier = std::make_shared<Supplier>();
    const Stream blocking = Stream::create({.order = StreamOptions::Order::blocking});
    {
        const Supplied scope(supplier, Device::cuda(0));
        std::optional<Array> x(zeros({1000}, float32));  // in the legacy default stream
        REQUIRE(driver.fake.begin_capture(blocking.handle(), 2) == 0);
        x.reset();
        CHECK(supplier->live() == 1);
        const Array own = empty({1000}, float32);  // the capture forbids the allocator
        CHECK(supplier->allocations == 1);
        void* graph = nullptr;
        CHECK(driver.fake.end_capture(blocking.handle(), &graph) == 0);
        CHECK(graph != nullptr);  // nothing disturbed the capture
        const Array next = empty({1000}, float32);
        CHECK(supplier->frees == 1);
    }
    CHECK(supplier->live() == 0);
    report("ok");
}

TEST_CASE("memory that another library's graph uses is not given back to the user's allocator",
          "[cuda][memory][graph][binding]") {
    if (!in_new_process()) return;
    const Driver driver;
    // Not a Supplier: its destructor expects all memory back.
    static std::vector<void*>* const supplied = new std::vector<void*>;  // so that it is no leak
    int frees = 0;
    set_memory_allocator({.allocate =
                              [](std::size_t bytes, CUstream_st*) {
                                  supplied->push_back(
                                      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
                                  return supplied->back();
                              },
                          .free = [&](void*, std::size_t, CUstream_st*) { ++frees; }});
    const Stream stream = Stream::create();
    std::optional<Array> x;
    {
        const StreamScope current(stream);
        x = empty({1000}, float32);
    }
    REQUIRE(driver.fake.begin_capture(stream.handle(), 2) == 0);
    const void* const memory = x->data();
    x.reset();
    void* graph = nullptr;
    CHECK(driver.fake.end_capture(stream.handle(), &graph) == 0);
    const StreamScope current(stream);
    const Array other = empty({1000}, float32);
    CHECK(frees == 0);
    CHECK(other.data() != memory);
    set_memory_allocator({});
    report("ok");
}
