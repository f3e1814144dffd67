// SPDX-License-Identifier: MIT
#include <cstdint>
#include <filesystem>
#include <kgen/kgen.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/npy_files.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const ArrayOptions on_host{.device = Device::host()};
const NpyOptions mapped{.access = NpyAccess::mapped};

}  // namespace

TEST_CASE("a mapped array is the file's own memory: read-only, aligned, on the host") {
    const WorkFolder folder;
    for (const Array& array : {arange(24, float32, on_host).reshape({2, 3, 4}),
                               arange(24, int64, on_host).reshape({4, 6}).transpose(),
                               arange(3, complex128, on_host),
                               full({5}, true, bool_, on_host),
                               full({}, 2.5, float64, on_host),
                               zeros({0, 3}, int16, on_host)}) {
        save_npy("x.npy", array);
        const Array x = load_npy("x.npy", mapped);
        CHECK(x.device() == Device::host());
        CHECK(x.is_read_only());
        CHECK(x.dtype() == array.dtype());
        CHECK(x.shape() == array.shape());
        CHECK(to_text(x) == to_text(array));
        CHECK(x.is_contiguous(Order::f) == array.is_contiguous(Order::f));
        CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % 64 == 0);
    }
    // A mapping shares the pages of its file, so bytes that are written into the file in place
    // show in the array.
    save_npy("x.npy", arange(3, int8, on_host));
    const Array x = load_npy("x.npy", mapped);
    std::fstream file("x.npy", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(128).put(7).flush();
    CHECK(to_text(x) == "[7 1 2]");
}

TEST_CASE("a mapped array stays as it is when its file is replaced or removed") {
    const WorkFolder folder;
    save_npy("x.npy", arange(6, int32, on_host).reshape({2, 3}));
    Array row;
    {
        const Array x = load_npy("x.npy", mapped);
        row = x[1];
    }
    save_npy("x.npy", zeros({2, 3}, int32, on_host));
    CHECK(to_text(row) == "[3 4 5]");
    std::filesystem::remove("x.npy");
    CHECK(to_text(row) == "[3 4 5]");
}

TEST_CASE("kernels read mapped arrays and do not write them") {
    const WorkFolder folder;
    save_npy("x.npy", arange(4, float64, on_host));
    const Array x = load_npy("x.npy", mapped);
    const DeviceScope scope(Device::host());
    const ElementwiseKernel twice("T x", "T y", "y = 2 * x", "twice");
    CHECK(to_text(twice(x)) == "[0. 2. 4. 6.]");
    CHECK(KGEN_MESSAGE_OF(Error, twice(x, out(x))) ==
          "kernel 'twice': output 1 ('y') is read-only; pass a writable array");
}

TEST_CASE("a file whose elements are not as memory has them is not mapped") {
    const WorkFolder folder;
    struct Case {
        std::string bytes;
        std::string message;
    };
    const std::string cut = npy(header("'<f4'", "(2,)"), "12345678");
    const std::vector<Case> cases = {
        {npy(header("'>i2'", "(1,)"), "12"),
         "cannot be mapped: its elements, '>i2', are big-endian\nread it with NpyAccess::read"},
        {cut,
         "cannot be mapped: its elements begin at byte 67, but float32 must begin at a multiple of "
         "4\n"
         "read it with NpyAccess::read"},
        {npy(header("'|b1'", "(3,)"), std::string("\0\1\2", 3)),
         "cannot be mapped: element 2 is the byte 2, expected 0 or 1 for bool\n"
         "read it with NpyAccess::read"},
        {npy(header("'<f4'", "(3,)"), "12345678"),
         "truncated: the header declares 12 bytes of data, the file has 8"},
        {"", "not an .npy file: it does not begin with '\\x93NUMPY'"},
    };
    for (const Case& each : cases) {
        write_file("x.npy", each.bytes);
        CHECK(KGEN_MESSAGE_OF(IoError, load_npy("x.npy", mapped)) == "x.npy: " + each.message);
    }
    // Complex numbers only need the alignment of their parts.
    const std::string dictionary = header("'<c16'", "(1,)");
    write_file("x.npy",
               npy(dictionary + std::string(6 + 8 - (10 + dictionary.size()) % 8 - 6, ' '),
                   std::string(16, '\0')));
    CHECK(to_text(load_npy("x.npy", mapped)) == "[0.+0.j]");
    save_npy("x.npy", zeros({1}, int8, on_host));
    CHECK(
        KGEN_MESSAGE_OF(
            IoError, load_npy("x.npy", {.device = Device::cuda(1), .access = NpyAccess::mapped})) ==
        "x.npy: cannot be mapped for cuda:1: mapped arrays are on the host; copy them with to()");
}
