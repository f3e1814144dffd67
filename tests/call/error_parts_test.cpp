// SPDX-License-Identifier: MIT
//
// The parts of an error as fields, for each class of argument that does not fit.
#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

const Device host = Device::host();

// Returns "kind|parameter|expected|got" of the error that the call throws.
std::string parts_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return fmt::format(
            "{}|{}|{}|{}", to_text(error.kind()), error.parameter(), error.expected(), error.got());
    }
    return "no error";
}

Array floats(const Dims& shape) {
    return zeros(shape, float32, {host});
}

}  // namespace

TEST_CASE("an error of a generated kernel's call tells its parts", "[error][binding]") {
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    const ElementwiseKernel fixed("float32 x, int8 n", "float32 z", "z = x + n", "fixed");
    const ElementwiseKernel gather("raw T x", "T z", "z = x[i]", "gather");
    const ElementwiseKernel written("_non_const T x", "T z", "z = x++", "written");
    const ElementwiseKernel grow("T x", "T y", "y += x", "grow");
    const ReductionKernel top("T x", "T y", "x", "max(a, b)", "y = a", "", "top");
    const Array x = floats({3});
    const Array whole = zeros({3}, int32, {host});

    CHECK(parts_of([&] { add(x); }) == "argument_count||2 or 3|1");
    CHECK(parts_of([&] { add(x, x, out(x), out(x)); }) == "argument_count|z|1|2");
    CHECK(parts_of([&] { add(x, Array()); }) ==
          "argument_type|y|an Array that has memory|an empty Array");
    CHECK(parts_of([&] {
              add(x, ArraySpec{float32, {3}});
          }) == "argument_type|y|an Array|an ArraySpec");
    CHECK(parts_of([&] { add(x, whole); }) == "dtype|y|float32|int32");
    CHECK(parts_of([&] { fixed(whole, 1); }) == "dtype|x|float32|int32");
    CHECK(parts_of([&] { fixed(x, 300); }) == "value|n|int8|300");
    CHECK(parts_of([&] { written(5); }) == "argument_type|x|an array|a number");
    CHECK(parts_of([&] { add(x, floats({4})); }) == "shape|y|(3,)|(4,)");
    CHECK(parts_of([&] { add(x, x, out(floats({2}))); }) == "shape|z|(3,)|(2,)");
    CHECK(parts_of([&] { add(x, x, out(floats({1}).broadcast_to({3}))); }) ==
          "read_only|z|a writable array|a read-only array");
    CHECK(parts_of([&] { grow(x); }) == "argument_count|y|an array|no array");
    CHECK(parts_of([&] { gather(x); }) == "option|size|size(n)|no size");
    CHECK(parts_of([&] { gather(x, size(-1)); }) == "option|size|0 or more|-1");
    CHECK(parts_of([&] { add(x, x, size(3)); }) == "option|size|no size|3");
    CHECK(parts_of([&] { add(x, x, axis(0)); }) == "option|axis|no axis|axis");
    CHECK(parts_of([&] { add(x, x, block_size(2048)); }) == "option|block_size|1 to 1024|2048");
    CHECK(parts_of([&] { top(x, block_size(64)); }) == "option|block_size|no block_size|64");
    CHECK(parts_of([&] { top(x, axis(1)); }) == "option|axis|-1 to 0|1");
    CHECK(parts_of([&] { top(x, axis({0, -1})); }) == "option|axis|each axis once|(0, -1)");
    CHECK(parts_of([&] { top(x, out(floats({2}))); }) == "shape|y|()|(2,)");
    CHECK(parts_of([&] { top(floats({0})); }) == "shape||at least one element|(0,)");
    CHECK(parts_of([&] { add.call<2>(x, x); }) == "argument_count||1|2");
    CHECK(parts_of([&] { add(x, 1, on(Stream::legacy(Device::cuda(0)))); }) ==
          "device|x|cuda:0|host");
    CHECK(parts_of([] { kernel_template("summ"); }) == "name||sum|summ");
    CHECK(parts_of([&] {
              const ElementwiseKernel options(
                  "T x", "T y", "y = x", "options", {.options = {"--no-such"}});
              options(x);
          }) == "option|--no-such||--no-such");
}

TEST_CASE("an error of a raw kernel's launch tells its parts", "[error][binding]") {
    const RawKernel kernel(
        "extern \"C\" __global__ void k(const float* x, signed char n, double2 v, float* y) {}\n",
        "k");
    const Array x = floats({4});
    const std::byte bytes[16] = {};
    const std::span<const std::byte> pair(bytes);
    const auto launch = [&](const std::vector<RawArgument>& given) {
        return parts_of([&] { kernel.launch_arguments({}, given); });
    };
    CHECK(launch({x, 1, pair}) == "argument_count||4|3");
    CHECK(launch({1.5, 1, pair, x}) == "argument_type|1|a pointer|the number 1.5");
    CHECK(launch({x, 300, pair, x}) == "value|2|int8|300");
    CHECK(launch({x, 1, pair.first(8), x}) == "argument_type|3|16 bytes|8 bytes");
    CHECK(launch({x, 1, RawBytes{pair, 4}, x}) ==
          "argument_type|3|an alignment of 16 bytes|an alignment of 4 bytes");
    const Array whole = zeros({4}, int32, {host});
    CHECK(launch({whole, 1, pair, x}) == "dtype|1|float32|int32");
    const Array fixed = x.as_read_only();
    CHECK(launch({x, 1, pair, fixed}) == "read_only|4|a writable array|a read-only array");
    const Array turned = floats({2, 2}).transpose();
    CHECK(launch({turned, 1, pair, x}) == "layout|1|C-contiguous|shape (2, 2), strides (4, 8)");
    const RawModule module("extern \"C\" __global__ void first() {}");
    CHECK(parts_of([&] { module.kernel("furst").prepare(host); }) == "name||'first'|furst");
    CHECK(parts_of([&] { module.kernel("first<int>"); }) == "name||none|first<int>");
    CHECK(parts_of([&] { module.global("count", host); }) == "name||none|count");
}

TEST_CASE("an error of an array's function tells its parts", "[error][binding]") {
    const Array x = floats({2, 3});
    CHECK(parts_of([&] { x.reshape({4}); }) == "shape||6 elements|(4,)");
    CHECK(parts_of([&] { x.reshape({-1, 4}); }) == "shape||6 elements|(-1, 4)");
    CHECK(parts_of([&] { x.broadcast_to({3, 3}); }) == "shape||(3, 3)|(2, 3)");
    CHECK(parts_of([&] { x.broadcast_to({3}); }) == "shape||(3,)|(2, 3)");
    CHECK(parts_of([&] { x.transpose({0}); }) == "argument_count|axes|2|1");
    CHECK(parts_of([&] { x.transpose({0, 2}); }) == "option|axis|-2 to 1|2");
    CHECK(parts_of([&] { x.transpose({0, 0}); }) == "option|axis|each axis once|(0, 0)");
    CHECK(parts_of([&] { squeeze(x, 0); }) == "shape|0|1|2");
    CHECK(parts_of([&] { x[2]; }) == "value||-2 to 1|2");
    CHECK(parts_of([&] { x.item<float>(); }) == "shape||one element|(2, 3)");
    CHECK(parts_of([&] { x[0][0].item<int>(); }) == "dtype||float32|int32");
    CHECK(parts_of([&] { x.to_vector<double>(); }) == "dtype||float32|float64");
    CHECK(parts_of([&] { x.as_read_only().assign(1); }) ==
          "read_only||a writable array|a read-only array");
    CHECK(parts_of([&] { full({2}, 300, int8, {host}); }) == "value||int8|300");
    const std::vector<Array> both = {x, floats({2, 4})};
    CHECK(parts_of([&] { concatenate(both, 0); }) == "shape|1|(2, 3)|(2, 4)");
    CHECK(parts_of([&] { concatenate(std::vector<Array>(), 0); }) ==
          "argument_count||at least one array|none");
    CHECK(parts_of([&] { allclose(x, floats({2, 4})); }) == "shape|b|(2, 3)|(2, 4)");
    CHECK(parts_of([&] { Array().reshape({1}); }) ==
          "argument_type||an Array that has memory|an empty Array");
    CHECK(parts_of([&] {
              Array::view(x.data(), float32, {2, 3}, {.device = host, .strides = Dims{4}});
          }) == "layout||2|1");
    CHECK(parts_of([&] {
              Array::view(x.data(),
                          float32,
                          {2},
                          {.device = host, .stream = Stream::legacy(Device::cuda(0))});
          }) == "device|stream|host|cuda:0");
}

TEST_CASE("an error of the texts of a kernel tells its parts", "[error][binding]") {
    const auto parts = [](const std::string& inputs,
                          const std::string& outputs,
                          const std::string& operation,
                          const std::string& name = "k") {
        return parts_of([&] { ElementwiseKernel(inputs, outputs, operation, name); });
    };
    CHECK(parts("floot32 x", "T y", "y = x") == "syntax|inputs||floot32");
    CHECK(parts("T x", "T", "y = x") == "syntax|outputs||T");
    CHECK(parts("T x,, T z", "T y", "y = x") == "syntax|inputs||");
    CHECK(parts("T x, T x", "T y", "y = x") == "syntax|x||");
    CHECK(parts("T T", "T y", "y = x") == "syntax|T||");
    CHECK(parts("", "", "") == "syntax||an input or an output|no parameters");
    CHECK(parts("T x", "T y", "y = (x") == "syntax|operation||(");
    CHECK(parts("T x", "T y", "x") == "syntax|y|a value|");
    CHECK(parts("T x", "T y", std::string("y = x\0", 6)) == "syntax|operation||\\0");
    CHECK(parts("T x", "T y", "y = x", "2k") == "name|||2k");
    CHECK(parts_of([] { ReductionKernel("T x", "T y", "x", "", "y = a", "0", "k"); }) ==
          "syntax|||");
}

TEST_CASE("an error of what comes from elsewhere tells its parts", "[error][binding]") {
    const Array x = floats({2, 3});
    CHECK(parts_of([] { parse_device("gpu"); }) == "name||host, cuda or cuda:1|gpu");
    CHECK(parts_of([] { from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }) ==
          "argument_type||a tensor|null");
    CHECK(parts_of([&] { to_dlpack_unversioned(x.as_read_only()); }) ==
          "read_only||a writable array|a read-only array");
    CHECK(parts_of([&] { zeros({2, -1}, float32, {host}); }) == "shape||0 or more|-1");
    CHECK(parts_of([] { arange(0, 1, 0, float32, {host}); }) == "option|step|not 0|0");
    CHECK(parts_of([] { linspace(0, 1, -1, float32); }) == "option|count|0 or more|-1");
    CHECK(parts_of([&] { Texture::create(x); }) == "device||a GPU|host");
    CHECK(parts_of([&] { to_text(x, {.precision = 101}); }) == "option|precision|0 to 100|101");
    CHECK(parts_of([] { configure_cache({.directory = "here"}); }) ==
          "option|directory|an absolute path|here");
}

TEST_CASE("an error without parts has empty ones, and copies share theirs", "[error][binding]") {
    const Error plain("text");
    CHECK(plain.kind() == ErrorKind::other);
    CHECK(plain.parameter().empty());
    CHECK(std::string(to_text(plain.kind())) == "other");
    TypeError error("text");
    error.set_parts({ErrorKind::dtype, "x", "float32", "int8"});
    const Error copy = error;
    CHECK(&copy.parts() == &error.parts());
    CHECK(std::string(copy.what()) == "text");
    const std::vector<std::string> names = {"other",
                                            "argument_count",
                                            "argument_type",
                                            "dtype",
                                            "value",
                                            "shape",
                                            "layout",
                                            "read_only",
                                            "device",
                                            "option",
                                            "name",
                                            "syntax"};
    for (std::size_t k = 0; k < names.size(); ++k)
        CHECK(to_text(static_cast<ErrorKind>(k)) == names[k]);
}
