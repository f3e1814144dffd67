// SPDX-License-Identifier: MIT
//
// DLPack tensors: import, export, rejected tensors, and that each deleter is called exactly once.
#include <cstddef>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "array/dlpack/dlpack_abi.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"

using namespace kgen;
using namespace kgen::test;

// The layout in https://dmlc.github.io/dlpack/latest/c_api.html on 64-bit machines.
static_assert(sizeof(dlpack::Tensor) == 48 && offsetof(dlpack::Tensor, ndim) == 16);
static_assert(offsetof(dlpack::Tensor, dtype) == 20 && offsetof(dlpack::Tensor, shape) == 24);
static_assert(offsetof(dlpack::Tensor, byte_offset) == 40);
static_assert(offsetof(DLManagedTensor, manager_ctx) == 48 && sizeof(DLManagedTensor) == 64);
static_assert(offsetof(DLManagedTensorVersioned, manager_ctx) == 8);
static_assert(offsetof(DLManagedTensorVersioned, deleter) == 16);
static_assert(offsetof(DLManagedTensorVersioned, flags) == 24);
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

namespace {

// A producer of a float32 tensor on the host with shape (2, 3). It counts how often the tensor is deleted.
struct Producer {
    std::vector<float> values = {0, 1, 2, 3, 4, 5};
    std::vector<std::int64_t> shape = {2, 3};
    std::vector<std::int64_t> strides = {3, 1};
    DLManagedTensorVersioned tensor = {};
    int deletions = 0;

    Producer() {
        tensor.version = {1, 2};
        tensor.manager_ctx = this;
        tensor.deleter = [](DLManagedTensorVersioned* self) {
            ++static_cast<Producer*>(self->manager_ctx)->deletions;
        };
        tensor.dl_tensor = {.data = values.data(),
                            .device = {dlpack::cpu, 0},
                            .ndim = 2,
                            .dtype = {dlpack::code_float, 32, 1},
                            .shape = shape.data(),
                            .strides = strides.data(),
                            .byte_offset = 0};
    }
    Producer(const Producer&) = delete;

    // Returns the message with which from_dlpack rejects the tensor. Checks that the deleter was called.
    std::string refusal() {
        std::string message;
        try {
            from_dlpack(&tensor);
        } catch (const Error& error) {
            message = error.what();
        }
        CHECK(deletions == 1);
        return message;
    }
};

struct LegacyProducer {
    std::vector<std::int32_t> values = {7, 8, 9};
    std::int64_t shape = 3;
    DLManagedTensor tensor = {};
    int deletions = 0;

    LegacyProducer() {
        tensor.manager_ctx = this;
        tensor.deleter = [](DLManagedTensor* self) {
            ++static_cast<LegacyProducer*>(self->manager_ctx)->deletions;
        };
        tensor.dl_tensor = {.data = values.data(),
                            .device = {dlpack::cpu, 0},
                            .ndim = 1,
                            .dtype = {dlpack::code_int, 32, 1},
                            .shape = &shape,
                            .strides = nullptr,
                            .byte_offset = 0};
    }
};

void give_back(DLManagedTensorVersioned* tensor) {
    tensor->deleter(tensor);
}

}  // namespace

TEST_CASE("a tensor becomes an array of the same memory and is deleted with its last view") {
    Producer producer;
    Array x = from_dlpack(&producer.tensor);
    CHECK(x.data() == producer.values.data());
    CHECK(x.shape() == Dims({2, 3}));
    CHECK(x.dtype() == float32);
    CHECK(x.device() == Device::host());
    CHECK_FALSE(x.is_read_only());
    CHECK(to_text(x) == "[[0. 1. 2.]\n [3. 4. 5.]]");
    Array row = x[1];
    x = {};
    CHECK(producer.deletions == 0);
    producer.values[4] = 40;
    CHECK(to_text(row) == "[ 3. 40.  5.]");
    row = {};
    CHECK(producer.deletions == 1);
}

TEST_CASE("strides and offsets of a tensor count in elements and bytes") {
    Producer producer;
    producer.strides = {-3, -1};
    producer.tensor.dl_tensor.byte_offset = 5 * sizeof(float);
    CHECK(to_text(from_dlpack(&producer.tensor)) == "[[5. 4. 3.]\n [2. 1. 0.]]");
    Producer repeated;
    repeated.strides = {0, 1};
    CHECK(to_text(from_dlpack(&repeated.tensor)) == "[[0. 1. 2.]\n [0. 1. 2.]]");
    Producer scalar;
    scalar.tensor.dl_tensor.ndim = 0;
    scalar.tensor.dl_tensor.shape = nullptr;
    scalar.tensor.dl_tensor.strides = nullptr;
    CHECK(from_dlpack(&scalar.tensor).item<float>() == 0);
    Producer empty;
    empty.shape = {0, 3};
    empty.tensor.dl_tensor.data = nullptr;
    CHECK(from_dlpack(&empty.tensor).size() == 0);
    for (const Producer* each : {&producer, &repeated, &scalar, &empty})
        CHECK(each->deletions == 1);
}

TEST_CASE("a tensor without a version may have no strides") {
    LegacyProducer producer;
    Array x = from_dlpack(&producer.tensor);
    CHECK(x.data() == producer.values.data());
    CHECK(to_text(x) == "[7 8 9]");
    x = {};
    CHECK(producer.deletions == 1);
    // Version 1.1 also allowed null strides, and the deleter may be missing.
    Producer older;
    older.tensor.version = {1, 1};
    older.tensor.dl_tensor.strides = nullptr;
    older.tensor.deleter = nullptr;
    CHECK(to_text(from_dlpack(&older.tensor)) == "[[0. 1. 2.]\n [3. 4. 5.]]");
}

TEST_CASE("read-only tensors are read-only arrays and the other way round") {
    Producer producer;
    producer.tensor.flags = dlpack::flag_read_only | 2;
    const Array x = from_dlpack(&producer.tensor);
    CHECK(x.is_read_only());
    const ElementwiseKernel twice("T x", "T y", "y = 2 * x", "twice");
    CHECK_THROWS_AS(twice(x, out(x)), ShapeError);
    DLManagedTensorVersioned* back = to_dlpack(x);
    CHECK((back->flags & dlpack::flag_read_only) != 0);
    give_back(back);
    CHECK(KGEN_MESSAGE_OF(TypeError, to_dlpack_unversioned(x)) ==
          "to_dlpack_unversioned: the array is read-only, but a tensor without a version cannot be "
          "marked read-only; pass a copy(), or use to_dlpack");
}

TEST_CASE("arrays of each device become tensors and come back as themselves") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        Array x = arange(6, float32, {.device = device}).reshape({2, 3}).transpose();
        DLManagedTensorVersioned* tensor = to_dlpack(x);
        CHECK(tensor->version.major == 1);
        CHECK(tensor->flags == 0);
        CHECK(tensor->dl_tensor.data == x.data());
        const bool is_host = device.kind() == DeviceKind::host;
        CHECK(tensor->dl_tensor.device.device_type == (is_host ? dlpack::cpu : dlpack::cuda));
        CHECK(tensor->dl_tensor.device.device_id == 0);
        REQUIRE(tensor->dl_tensor.ndim == 2);
        CHECK(tensor->dl_tensor.shape[0] == 3);
        CHECK(tensor->dl_tensor.shape[1] == 2);
        CHECK(tensor->dl_tensor.strides[0] == 1);
        CHECK(tensor->dl_tensor.strides[1] == 3);
        const void* data = x.data();
        x = {};  // the tensor keeps the memory alive
        const Array back = from_dlpack(tensor);
        CHECK(back.data() == data);
        CHECK(back.device() == device);
        CHECK(to_text(back) == "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
        DLManagedTensor* legacy = to_dlpack_unversioned(back);
        CHECK(to_text(from_dlpack(legacy)) == to_text(back));
    }
}

TEST_CASE("each dtype has its code in tensors") {
    struct Row {
        DType dtype;
        int code;
        int bits;
    };
    for (const Row& row : {Row{bool_, 6, 8},
                           Row{int8, 0, 8},
                           Row{int16, 0, 16},
                           Row{int32, 0, 32},
                           Row{int64, 0, 64},
                           Row{uint8, 1, 8},
                           Row{uint16, 1, 16},
                           Row{uint32, 1, 32},
                           Row{uint64, 1, 64},
                           Row{float16, 2, 16},
                           Row{bfloat16, 4, 16},
                           Row{float32, 2, 32},
                           Row{float64, 2, 64},
                           Row{complex64, 5, 64},
                           Row{complex128, 5, 128}}) {
        INFO(to_text(row.dtype));
        const Array x = zeros({3}, row.dtype, {.device = Device::host()});
        DLManagedTensorVersioned* tensor = to_dlpack(x);
        CHECK(tensor->dl_tensor.dtype.code == row.code);
        CHECK(tensor->dl_tensor.dtype.bits == row.bits);
        CHECK(tensor->dl_tensor.dtype.lanes == 1);
        CHECK(from_dlpack(tensor).dtype() == row.dtype);
    }
}

TEST_CASE("tensors that make no sense are refused with what is wrong and deleted") {
    struct Row {
        void (*spoil)(Producer&);
        std::string message;
    };
    const std::string type = "from_dlpack: the tensor has type code ";
    const std::string none = "; expected a dtype of kgen (bool, int8 to complex128)";
    const std::string axes = " axes; an Array has 0 to 16";
    const std::string device = "; expected the host (type 1 or 3) or CUDA (type 2 or 13)";
    const std::vector<Row> rows = {
        {[](Producer& p) {
             p.tensor.version = {2, 0};
         },
         "from_dlpack: the tensor has DLPack version 2.0, expected 1"},
        {[](Producer& p) {
             p.tensor.version = {0, 8};
         },
         "from_dlpack: the tensor has DLPack version 0.8, expected 1"},
        {[](Producer& p) { p.tensor.dl_tensor.ndim = -1; },
         "from_dlpack: the tensor has -1" + axes},
        {[](Producer& p) { p.tensor.dl_tensor.ndim = 17; },
         "from_dlpack: the tensor has 17" + axes},
        {[](Producer& p) { p.tensor.dl_tensor.ndim = std::numeric_limits<std::int32_t>::max(); },
         "from_dlpack: the tensor has 2147483647" + axes},
        {[](Producer& p) { p.tensor.dl_tensor.shape = nullptr; },
         "from_dlpack: the tensor has 2 axes, but its shape is null"},
        {[](Producer& p) { p.tensor.dl_tensor.strides = nullptr; },
         "from_dlpack: the tensor has no strides, but DLPack requires them since version 1.2"},
        {[](Producer& p) { p.tensor.dl_tensor.data = nullptr; },
         "from_dlpack: the tensor has elements, but its data pointer is null"},
        {[](Producer& p) { p.tensor.dl_tensor.dtype.lanes = 0; },
         type + "2, 32 bits, 0 lanes" + none},
        {[](Producer& p) { p.tensor.dl_tensor.dtype.lanes = 3; },
         type + "2, 32 bits, 3 lanes" + none},
        {[](Producer& p) { p.tensor.dl_tensor.dtype.bits = 0; },
         type + "2, 0 bits, 1 lanes" + none},
        {[](Producer& p) { p.tensor.dl_tensor.dtype.bits = 7; },
         type + "2, 7 bits, 1 lanes" + none},
        {[](Producer& p) { p.tensor.dl_tensor.dtype.bits = 128; },
         type + "2, 128 bits, 1 lanes" + none},
        {[](Producer& p) { p.tensor.dl_tensor.dtype.code = 200; },
         type + "200, 32 bits, 1 lanes" + none},
        {[](Producer& p) {
             p.tensor.dl_tensor.device = {10, 0};
         },
         "from_dlpack: the tensor is on device type 10, number 0" + device},
        {[](Producer& p) {
             p.tensor.dl_tensor.device = {dlpack::cuda, -1};
         },
         "from_dlpack: the tensor is on device type 2, number -1" + device},
        {[](Producer& p) { p.tensor.dl_tensor.byte_offset = ~std::uint64_t{0}; },
         "from_dlpack: byte offset 18446744073709551615 from *"},
        {[](Producer& p) { p.tensor.dl_tensor.byte_offset = 2; },
         "address * is not aligned for float32: it must be a multiple of 4"},
        {[](Producer& p) { p.strides[1] = std::int64_t{1} << 62; },
         "from_dlpack: stride 4611686018427387904 of axis 1 exceeds the address space"},
        {[](Producer& p) { p.shape[0] = -1; },
         "shape (-1, 3): the extent of axis 0 is negative: -1"},
    };
    for (const Row& row : rows) {
        Producer producer;
        row.spoil(producer);
        const std::string message = producer.refusal();
        INFO(message);
        const std::size_t star = row.message.find('*');
        if (star == std::string::npos) {
            CHECK(message == row.message);
        } else {
            CHECK(message.starts_with(row.message.substr(0, star)));
            CHECK(message.ends_with(row.message.ends_with('*') ? "is beyond the address space"
                                                               : row.message.substr(star + 1)));
        }
    }
    // The product of the extents overflows.
    Producer large;
    large.shape = {std::int64_t{1} << 32, std::int64_t{1} << 32};
    CHECK(large.refusal() != "");
    Producer wide;
    wide.shape = {std::int64_t{1} << 31, 3};
    wide.strides = {std::int64_t{1} << 32, 1};
    CHECK(wide.refusal() != "");
    CHECK(KGEN_MESSAGE_OF(TypeError, from_dlpack(static_cast<DLManagedTensor*>(nullptr))) ==
          "from_dlpack: the tensor is null");
}

TEST_CASE("arrays that no tensor can describe are refused") {
    const DeviceScope host(Device::host());
    CHECK(KGEN_MESSAGE_OF(ShapeError, to_dlpack(Array())) ==
          "to_dlpack: the array has no memory, because it was default-constructed");
    std::vector<float> parts(10);
    const Array halves =
        Array::view(parts.data(), complex64, {3}, {.strides = Dims{3 * sizeof(float)}});
    CHECK(KGEN_MESSAGE_OF(TypeError, to_dlpack(halves)) ==
          "to_dlpack: stride 12 of axis 0 is not a multiple of the 8 bytes of complex64; pass a "
          "copy()");
}

TEST_CASE("fresh: tensors of a GPU", "[.fresh]") {
    FakeCuda fake;
    const Device gpu = Device::cuda(0);
    const Array memory = empty({64}, float32, {.device = gpu});
    Producer producer;
    const auto refusal = [&](void* data, std::int64_t extent) {
        producer.deletions = 0;
        producer.shape = {2, extent};
        producer.strides = {extent, 1};
        producer.tensor.dl_tensor.device = {dlpack::cuda, 0};
        producer.tensor.dl_tensor.data = data;
        std::string message = "taken";
        try {
            from_dlpack(&producer.tensor);
        } catch (const Error& error) {
            message = error.what();
        }
        if (producer.deletions != 1) message += " and not deleted once";
        const std::string address = fmt::format("{}", data);
        if (const auto at = message.find(address); at != std::string::npos)
            message.replace(at, address.size(), "HERE");
        report(message + "\n");
    };
    refusal(memory.data(), 32);
    refusal(producer.values.data(), 3);
    refusal(memory.data(), 33);
    fake.record().pointer_ordinal = 1;
    refusal(memory.data(), 32);
    fake.record().pointer_ordinal = 0;
    producer.tensor.dl_tensor.device = {dlpack::cuda, 99};
    report(KGEN_MESSAGE_OF(DeviceError, from_dlpack(&producer.tensor)) + "\n");
}

TEST_CASE("a tensor that lies about its device or size is refused", "[cuda]") {
    const FreshResult result =
        run_fresh("fresh: tensors of a GPU", {{"KGEN_CUDA_PATH", FakeCuda::path()}});
    const std::string lie = "from_dlpack: the tensor should be on cuda:0, but ";
    CHECK(
        result.text ==
        "taken\n" + lie +
            "HERE is not memory of the CUDA driver: it is pageable host memory, or it was freed\n" +
            lie + "its 264 bytes from HERE end 8 bytes beyond the allocation\n" + lie +
            "HERE is memory of cuda:1\n" +
            "cuda:99 does not exist: this process can use 1 CUDA device (cuda:0)\n");
    CHECK(result.exit_status == 0);
}

// Compares acceptance with a check of every element's address: a tensor is accepted exactly if
// all lie in the allocation.
TEST_CASE("fresh: random tensors of a GPU", "[.fresh]") {
    const FakeCuda fake;
    const Array memory = empty({64}, float32, {.device = Device::cuda(0)});
    std::mt19937_64 random(5);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return low +
               static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    int accepted = 0;
    int wrong = 0;
    int undeleted = 0;
    for (int round = 0; round < 3000; ++round) {
        Producer producer;
        const int rank = static_cast<int>(between(0, 3));
        producer.shape.clear();
        producer.strides.clear();
        for (int axis = 0; axis < rank; ++axis) {
            producer.shape.push_back(between(0, 5));
            producer.strides.push_back(between(-12, 12));
        }
        const std::int64_t first = between(-4, 70);
        dlpack::Tensor& tensor = producer.tensor.dl_tensor;
        tensor.device = {dlpack::cuda, 0};
        tensor.ndim = rank;
        tensor.shape = producer.shape.data();
        tensor.strides = producer.strides.data();
        tensor.data = static_cast<float*>(memory.data()) + first;
        std::int64_t count = 1;
        for (const std::int64_t extent : producer.shape) count *= extent;
        bool is_inside = true;
        for (std::int64_t k = 0; k < count; ++k) {
            std::int64_t at = first;
            std::int64_t rest = k;
            for (int axis = rank - 1; axis >= 0; --axis) {
                const auto a = static_cast<std::size_t>(axis);
                at += rest % producer.shape[a] * producer.strides[a];
                rest /= producer.shape[a];
            }
            is_inside = is_inside && at >= 0 && at < 64;
        }
        bool is_taken = true;
        try {
            from_dlpack(&producer.tensor);
        } catch (const Error&) {
            is_taken = false;
        }
        accepted += is_taken ? 1 : 0;
        wrong += is_taken != is_inside ? 1 : 0;
        undeleted += producer.deletions != 1 ? 1 : 0;
    }
    report(fmt::format("{} wrong, {} not deleted once, {}",
                       wrong,
                       undeleted,
                       accepted > 500 && accepted < 2500 ? "both kinds" : "one kind"));
}

TEST_CASE("just those tensors are taken whose every element is in the allocation", "[cuda]") {
    const FreshResult result =
        run_fresh("fresh: random tensors of a GPU", {{"KGEN_CUDA_PATH", FakeCuda::path()}});
    CHECK(result.text == "0 wrong, 0 not deleted once, both kinds");
}

TEST_CASE("fresh: streams of tensors", "[.fresh]") {
    const FakeCuda fake;
    const Device gpu = Device::cuda(0);
    const Stream theirs = Stream::create(gpu);
    const Stream ours = Stream::create(gpu);
    const auto waits = [&] { return fake.calls("cuStreamWaitEvent"); };
    report(dlpack_stream(Stream::legacy(gpu)) == 1 ? "legacy is 1\n" : "legacy is not 1\n");
    report(dlpack_stream(ours) ==
                   static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(ours.handle()))
               ? "handle\n"
               : "no handle\n");
    Producer producer;
    const Array memory = empty({64}, float32, {.device = gpu});
    producer.tensor.dl_tensor.device = {dlpack::cuda, 0};
    producer.tensor.dl_tensor.data = memory.data();
    {
        Array x = from_dlpack(&producer.tensor, {.stream = theirs});
        const StreamScope scope(ours);
        const Array copied = x.copy();
        const int before = waits();
        x = {};  // their stream waits for ours before the tensor is deleted
        report(fmt::format("import: {} wait, {} deletion\n", waits() - before, producer.deletions));
    }
    {
        const StreamScope scope(ours);
        Array y = empty({4}, float32, {.device = gpu});
        int before = waits();
        DLManagedTensorVersioned* tensor = to_dlpack(y, {.stream = theirs});
        report(fmt::format("export: {} wait\n", waits() - before));
        y = {};
        before = waits();
        give_back(tensor);  // our stream, where the memory is freed, waits for theirs
        report(fmt::format("given back: {} wait\n", waits() - before));
        before = waits();
        give_back(to_dlpack(empty({4}, float32, {.device = gpu})));
        report(fmt::format("same stream: {} waits\n", waits() - before));
    }
    report(KGEN_MESSAGE_OF(
        DeviceError,
        Array::view(memory.data(), float32, {4}, {.device = Device::host(), .stream = theirs})));
}

TEST_CASE("streams are handed over both ways", "[cuda]") {
    const FreshResult result =
        run_fresh("fresh: streams of tensors", {{"KGEN_CUDA_PATH", FakeCuda::path()}});
    CHECK(result.text ==
          "legacy is 1\nhandle\nimport: 1 wait, 1 deletion\nexport: 1 wait\ngiven back: 1 wait\n"
          "same stream: 0 waits\na view on host cannot have a stream of cuda:0");
    CHECK(result.exit_status == 0);
}
