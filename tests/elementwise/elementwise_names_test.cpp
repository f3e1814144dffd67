// SPDX-License-Identifier: MIT
//
// Names that a preamble may define, and names that kernels and parameters may have.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::string all_short_names_defined() {
    std::string letters;
    for (char letter = 'a'; letter <= 'z'; ++letter) letters += letter;
    for (char letter = 'A'; letter <= 'Z'; ++letter) letters += letter;
    letters += '_';
    std::string text;
    const auto define = [&](const std::string& name) {
        static const std::vector<std::string> words = {"do", "if", "or"};
        if (std::find(words.begin(), words.end(), name) == words.end())
            text += "#define " + name + " %%broken%%\n";
    };
    for (const char first : letters) {
        define(std::string(1, first));
        for (const char second : letters) define(std::string{first, second});
        for (char digit = '0'; digit <= '9'; ++digit) define(std::string{first, digit});
    }
    for (const char* name : {"size",  "index",   "min",    "max",    "begin", "end",   "count",
                             "data",  "value",   "offset", "stride", "shape", "rank",  "thread",
                             "block", "element", "kernel", "type",   "word",  "result"}) {
        define(name);
    }
    return text;
}

}  // namespace

TEST_CASE("a preamble may define every short name") {
    const std::string preamble = all_short_names_defined();
    const bool nvrtc = has_nvrtc();
    const std::vector<Device> devices = present_devices();
    struct Row {
        DType dtype;
        const char* inputs;
        const char* outputs;
        const char* operation;
    };
    const Row rows[] = {
        {float32, "float32 first, float32 second", "float32 third", "third = first + second"},
        {float16, "float16 first, float16 second", "float16 third", "third = first + second"},
        {complex64,
         "complex64 first, raw complex64 second",
         "complex64 third",
         "third = first + second[0]"},
        {int32,
         "int32 first, raw int32 second",
         "int32 third",
         "third = 0; atomicAdd(&third, first + second[_ind.get()])"},
    };
    for (const Row& row : rows) {
        INFO(row.operation);
        const ElementwiseKernel kernel(
            row.inputs, row.outputs, row.operation, "shadowed", {.preamble = preamble});
        for (const Device device : devices) {
            INFO(to_text(device));
            // All elements of the second array are equal, so the index at which it is read does not matter.
            const Array first = from_vector<float>({1, 2, 3, 4}, {device}).astype(row.dtype);
            const Array second = full({4}, 10, row.dtype, {device});
            const Placed sliced = place<float>(device, std::vector<float>{1, 2, 3, 4}, {4}, {8});
            const Array third = kernel(first, second);
            const Array again = kernel(sliced.array.astype(row.dtype), second.slice({{0, 4}}));
            const std::vector<float> expected = {11, 12, 13, 14};
            if (row.dtype == complex64) {
                CHECK(elements<std::complex<float>>(third) ==
                      std::vector<std::complex<float>>{11, 12, 13, 14});
            } else {
                CHECK(elements<float>(third.astype(float32)) == expected);
                CHECK(elements<float>(again.astype(float32)) == expected);
            }
        }
        if (!nvrtc) continue;
        for (const Dims& strides :
             {Dims{0}, Dims{static_cast<std::int64_t>(item_size(row.dtype))}, Dims{64}}) {
            CHECK(cuda_refusal(kernel,
                               {ArraySpec{row.dtype, {4}, strides},
                                ArraySpec{row.dtype, {4}, Dims{32}}}) == "");
        }
    }
}

TEST_CASE("kernels and parameters may have nearly any name") {
    const bool nvrtc = has_nvrtc();
    const std::vector<Device> devices = present_devices();
    const auto check =
        [&](const std::string& name, const std::string& first, const std::string& second) {
            INFO("kernel " << name << ", parameters " << first << " and " << second);
            const ElementwiseKernel kernel("int32 " + first + ", raw int32 " + second,
                                           "int32 result",
                                           "result = " + first + " + " + second + "[_ind.get()]",
                                           name);
            for (const Device device : devices) {
                INFO(to_text(device));
                for (const std::int64_t step : {1, 2}) {
                    const Array x =
                        from_vector<std::int32_t>({1, 2, 3, 4}, {device}).slice({{0, 4, step}});
                    try {
                        const auto got = elements<std::int32_t>(kernel(x, x));
                        CHECK(got == (step == 1 ? std::vector<std::int32_t>{2, 4, 6, 8}
                                                : std::vector<std::int32_t>{2, 6}));
                    } catch (const CompileError& error) {
                        FAIL_CHECK(error.what() << "\n" << error.log());
                    }
                }
            }
            if (!nvrtc) return;
            for (const std::int64_t stride : {4, 8}) {
                const ArraySpec spec{int32, {1000}, Dims{stride}};
                CHECK(cuda_refusal(kernel, {spec, spec}) == "");
            }
        };
    for (const char* name : {"main",
                             "printf",
                             "T",
                             "memcpy",
                             "malloc",
                             "load",
                             "parameters",
                             "calls",
                             "raw_view",
                             "vector",
                             "indexer",
                             "kind",
                             "kgen_p",
                             "K",
                             "body",
                             "thread",
                             "divisor",
                             "_start",
                             "__global"}) {
        check(name, "x", "y");
    }
    const std::pair<const char*, const char*> parameters[] = {
        {"x", "xx"},
        {"x_", "x"},
        {"p", "k"},
        {"at", "body"},
        {"begin", "end"},
        {"row_x", "x"},
        {"x", "offset_x"},
        {"left", "tile"},
        {"access", "place"},
        {"index", "rest"},
        {"axis", "room"},
        {"run", "calls"},
        {"block", "load"},
        {"e", "store"},
        {"data_x", "x"},
        {"value_x", "x"},
        {"x", "raw_x"},
        {"n", "size"},
        {"threadIdx", "blockDim"},
        {"min", "max"},
        {"printf", "abs"},
        {"N", "T"},
        {"given_calls", "next"},
        {"thread", "count"},
        {"shape", "strides"},
    };
    for (const auto& [first, second] : parameters) check("names", first, second);
}
