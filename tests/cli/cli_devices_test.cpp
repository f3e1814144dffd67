// SPDX-License-Identifier: MIT
//
// kgen run --devices: calls whose arrays are divided among several devices.
#include <kgen/kgen.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/command.hpp"

using namespace kgen;
using nlohmann::json;

namespace {

// A command whose folder has x.npy, the float32 numbers 0 to 14 with shape (5, 3), and row.npy, the first three of them.
struct Inputs : Command {
    Inputs() {
        const DeviceScope scope(Device::host());
        save_npy(path("x.npy"), arange(15, float32).reshape(5, 3));
        save_npy(path("row.npy"), arange(3, float32));
    }
};

}  // namespace

TEST_CASE("kgen run --devices prints what one device gives", "[cli]") {
    const std::vector<std::vector<std::string>> calls = {
        {"--elementwise", "T x, T y", "T z", "z = x * 10 + y", "x=x.npy", "y=row.npy"},
        {"--elementwise",
         "T x, raw T y",
         "T z, int64 k",
         "z = x + y[i % 3]; k = i",
         "x=x.npy",
         "y=row.npy"},
        {"--elementwise", "T x, T y", "T z", "z = x * 10 + y", "x=[[1],[2],[3]]", "y=[[4,5]]"},
        {"--elementwise", "T x, T y", "T z", "z = x + y", "x=[[1]]", "y=[4,5]"},
        {"--reduce", "T x", "T y", "x * x", "a + b", "y = a", "0", "x=x.npy"},
        {"--reduce", "T x", "T y", "x * x", "a + b", "y = a", "0", "x=x.npy", "--axis", "0"},
        {"--reduce",
         "T x",
         "T y",
         "x",
         "a + b",
         "y = a",
         "0",
         "x=x.npy",
         "--axis",
         "-1",
         "--keepdims"},
        {"argmax", "x=x.npy", "--axis", "0"},
        {"add", "x=x.npy", "y=2", "--block-size", "64"},
        {"--expression", "x - x.max(axis=0) * k + row", "x=x.npy", "row=row.npy", "k=2"},
        {"--expression", "x.sum(axis=1) + 1", "x=x.npy", "--dtype", "x=int32"},
    };
    const Inputs kgen;
    for (const auto& call : calls) {
        const CommandResult one = kgen.run(words({"run"}, call));
        CHECK(one.messages == "");
        for (const char* devices : {"host", "host,host", "host,host,host,host,host,host"}) {
            const CommandResult split =
                kgen.run(words(words({"run"}, call), {"--devices", devices}));
            CAPTURE(call, devices);
            CHECK(split.messages == "");
            CHECK(split.output == one.output);
        }
    }
}

TEST_CASE("kgen run --devices writes whole arrays, times calls and lists the devices", "[cli]") {
    const Inputs kgen;
    const CommandResult result = kgen.run({"run",
                                           "add",
                                           "x=x.npy",
                                           "y=1",
                                           "--devices",
                                           "host,host",
                                           "--out",
                                           "z=z.npy",
                                           "--time",
                                           "--json"});
    CHECK(result.messages == "");
    const json object = json::parse(result.output);
    CHECK(object["device"] == "host");
    CHECK(object["devices"] == json({"host", "host"}));
    CHECK(object["time"]["later_calls"].get<int>() > 0);
    const DeviceScope scope(Device::host());
    CHECK(array_equal(load_npy(kgen.path("z.npy")), arange(1, 16, 1, float32).reshape(5, 3)));
    const CommandResult one = kgen.run({"run", "add", "x=x.npy", "y=1", "--json"});
    CHECK_FALSE(json::parse(one.output).contains("devices"));
}

TEST_CASE("kgen run --devices all is the host where there is no GPU", "[cli]") {
    Inputs kgen;
    kgen.environment["KGEN_CUDA_PATH"] = "/nowhere/libcuda.so.1";
    const CommandResult result = kgen.run({"run", "sum", "x=x.npy", "--devices", "all", "--json"});
    CHECK(result.messages == "");
    CHECK(json::parse(result.output)["devices"] == json::array({"host"}));
}

#ifdef KGEN_FAKE_CUDA
TEST_CASE("kgen run --devices names GPUs that cannot exchange data, and takes the others",
          "[cli]") {
    Inputs kgen;
    kgen.environment["KGEN_DEVICE"] = "";
    kgen.environment["KGEN_CUDA_PATH"] = KGEN_FAKE_CUDA;
    kgen.environment["KGEN_NCCL_PATH"] = KGEN_FAKE_NCCL;
    kgen.environment["FAKE_CUDA_DEVICES"] = "4";
    kgen.environment["FAKE_CUDA_CLOSED_POOLS"] = "12 32";
    kgen.environment["FAKE_CUDA_READS_CODE"] = "1";
    const auto run = [&](const char* devices) {
        return kgen.run({"run", "add", "x=x.npy", "y=1", "--json", "--devices", devices});
    };
    for (const char* devices : {"0,1,2,3", "all"}) {
        const CommandResult refused = run(devices);
        CHECK(
            refused.messages ==
            "kgen: cuda:2: cannot copy from cuda:1, whose memory pool cannot be opened to cuda:2: "
            "cuMemPoolSetAccess failed: CUDA_ERROR_INVALID_VALUE (invalid argument)\n"
            "use other GPUs, or set KGEN_PEER_ACCESS=0 to copy between GPUs through the host\n");
        CHECK(refused.exit_status == 5);
    }
    CHECK(run("0,1,7").messages ==
          "kgen: cuda:7 does not exist: this process can use 4 CUDA devices (cuda:0 to cuda:3)\n");
    if (kgen.run({"doctor"}).output.find("found    NVRTC: ") == std::string::npos) {
        WARN("skipped: the rest of this test needs NVRTC");
        return;
    }
    const CommandResult others = run("0,1,3");
    CHECK(others.messages == "");
    CHECK(json::parse(others.output)["devices"] == json::array({"cuda:0", "cuda:1", "cuda:3"}));
}
#endif

TEST_CASE("kgen run --devices says what it cannot divide", "[cli]") {
    struct Case {
        std::vector<std::string> arguments;
        const char* message;
    };
    const std::vector<Case> cases = {
        {{"add", "x=x.npy", "y=1", "--devices", "host,gpu"},
         "--devices: 'host,gpu' is not all or a list of devices: 'gpu' is not a device: expected "
         "'host', "
         "'cuda' or 'cuda:1'; see kgen run --help"},
        {{"add", "x=x.npy", "y=1", "--devices", "host,"},
         "--devices: 'host,' is not all or a list of devices: '' is not a device: expected 'host', "
         "'cuda' "
         "or 'cuda:1'; see kgen run --help"},
        {{"add", "x=x.npy", "y=1", "--devices", "host", "--device", "host"},
         "--devices: --device is for a run on one device; give one of them"},
        {{"--raw",
          "k.cu",
          "--kernel",
          "k",
          "--grid",
          "1",
          "--block",
          "1",
          "x=x.npy",
          "--devices",
          "host"},
         "--devices: --raw is for one device, because a raw kernel alone knows which elements it "
         "reads and "
         "writes"},
        {{"--elementwise",
          "raw T x",
          "T z",
          "z = x[i]",
          "x=x.npy",
          "--size",
          "3",
          "--devices",
          "host"},
         "--devices: --size is for calls in which every array is raw, so none can be split; give "
         "--device"},
        {{"--elementwise",
          "raw T x, T y",
          "T z",
          "z = x[0] + y",
          "x=x.npy",
          "y=1",
          "--devices",
          "host"},
         "--devices: no array of the call has an axis along which it could be split; give "
         "--device"},
        {{"--elementwise", "T x", "T z", "z += x", "x=x.npy", "z=x.npy", "--devices", "host"},
         "--devices: 'z' is an output, and several devices make their outputs; leave it out, or "
         "give --device"},
        {{"--expression", "x.sum(axis=1) + x", "x=[[1,2],[3,4]]", "--devices", "host,host"},
         "kernel 'add': argument 2 ('y') is split along axis 0 into (1, 1), but argument 1 ('x') "
         "is split "
         "along axis 0 into (1, 1); call reshard(y, Sharding::split(1)) first\n--devices splits "
         "the arrays of "
         "a run along their first axis; give --device"},
        {{"add", "x=x.npy", "y=[1.0,2.0]", "--dtype", "y=float32", "--devices", "host,host"},
         "kernel 'add': shapes do not broadcast: x is (5, 3), y is (2,); axis 1 is 3 against 2"},
    };
    const Inputs kgen;
    for (const Case& row : cases) {
        const CommandResult result = kgen.run(words({"run"}, row.arguments));
        CHECK(result.messages == "kgen: " + std::string(row.message) + "\n");
        CHECK(result.output == "");
        CHECK(result.exit_status == 2);
    }
}
