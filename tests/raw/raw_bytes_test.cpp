// SPDX-License-Identifier: MIT
//
// What a caller without templates uses for raw kernels: arguments as bytes, lists of Arguments, the list of
// parameters.
#include <array>
#include <cstddef>
#include <cstring>
#include <kgen/kgen.hpp>
#include <span>
#include <string>
#include <vector>

#include "raw/raw_arguments.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/fake_raw.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr const char* text =
    "#include <kgen/array.cuh>\n"
    "struct Step { double size; int count; };\n"
    "extern \"C\" __global__ void advance(const float* x, Step step, signed char sign, float* y) "
    "{\n"
    "    y[threadIdx.x] = x[threadIdx.x] + sign * step.size * step.count;\n"
    "}\n"
    "__global__ void trace(kgen::array<const double, 2> m, void* other) {}\n";

// The bytes of `Step`, as a binding gets them from its language, at an odd address.
class StepBytes {
public:
    StepBytes(double size, int count) {
        std::memcpy(bytes_.data() + 1, &size, sizeof size);
        std::memcpy(bytes_.data() + 1 + sizeof size, &count, sizeof count);
    }
    std::span<const std::byte> span(std::size_t count = 16) const {
        return std::span(bytes_).subspan(1, count);
    }

private:
    std::array<std::byte, 24> bytes_ = {};
};

RawModule make_module() {
    return RawModule(text, {.names = {"trace"}});
}

}  // namespace

TEST_CASE("a struct by value is passed as bytes, whose number and alignment are checked",
          "[raw][binding]") {
    const RawKernel advance = make_module().kernel("advance");
    const StepBytes step(0.5, 4);
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Array x = arange(3, float32, {device});
        const Array y = zeros({3}, float32, {device});
        const LaunchConfig config{.block = {3}};
        const std::vector<RawArgument> given = {x, step.span(), 1, y};
        advance.launch_arguments(config, given);
        CHECK(y.to_vector<float>() == std::vector<float>{2, 3, 4});
        const std::vector<RawArgument> aligned = {x, RawBytes{step.span(), 8}, -1, y};
        advance.launch_arguments(config, aligned);
        CHECK(y.to_vector<float>() == std::vector<float>{-2, -1, 0});
        advance.launch(config, x, step.span(), 1, y);
        CHECK(y.to_vector<float>() == std::vector<float>{2, 3, 4});

        const std::vector<RawArgument> shorter = {x, step.span(12), 1, y};
        CHECK(KGEN_MESSAGE_OF(TypeError, advance.launch_arguments(config, shorter)) ==
              "kernel 'advance': argument 2 of 4 has 12 bytes, the kernel expects 16");
        const std::vector<RawArgument> misaligned = {x, RawBytes{step.span(), 4}, 1, y};
        CHECK(KGEN_MESSAGE_OF(TypeError, advance.launch_arguments(config, misaligned)) ==
              "kernel 'advance': argument 2 of 4 is a struct with an alignment of 4 bytes, the "
              "kernel expects 8");
    }
}

TEST_CASE("an alignment that the code does not tell is not checked", "[raw][binding]") {
    FakeRawDevice device;
    const std::vector<TypedParameter> list =
        type_parameters(std::vector<KernelParameter>{{0, 16, ParameterKind::aggregate}}, {});
    CHECK(list[0].alignment == 0);
    const StepBytes step(1, 2);
    const std::vector<RawArgument> given = {RawBytes{step.span(), 4}};
    std::array<std::byte, 16> block;
    pack_arguments("k", {list, block_bytes(list)}, given, device, block.data());
    CHECK(std::memcmp(block.data(), step.span().data(), 16) == 0);
}

TEST_CASE("the parameters of a raw kernel are described, on every device", "[raw][binding]") {
    using Kind = RawParameter::Kind;
    const RawModule module = make_module();
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const std::vector<RawParameter> list = module.kernel("advance").parameters(device);
        REQUIRE(list.size() == 4);
        const std::vector<std::string> names = {"x", "step", "sign", "y"};
        const std::vector<Kind> kinds = {Kind::pointer, Kind::value, Kind::number, Kind::pointer};
        const std::vector<std::size_t> sizes = {8, 16, 1, 8};
        const std::vector<std::size_t> alignments = {8, 8, 1, 8};
        const std::vector<std::size_t> offsets = {0, 8, 24, 32};
        for (std::size_t k = 0; k < list.size(); ++k) {
            INFO(names[k]);
            CHECK(list[k].name == names[k]);
            CHECK(list[k].kind == kinds[k]);
            CHECK(list[k].size_bytes == sizes[k]);
            CHECK(list[k].alignment == alignments[k]);
            CHECK(list[k].offset_bytes == offsets[k]);
        }
        CHECK(list[0].type == "const float*");
        CHECK(list[0].dtype == float32);
        CHECK(!list[0].may_be_written);
        CHECK(!list[1].dtype);
        CHECK(list[2].dtype == int8);
        CHECK(list[3].dtype == float32);
        CHECK(list[3].may_be_written);

        const std::vector<RawParameter> trace = module.kernel("trace").parameters(device);
        REQUIRE(trace.size() == 2);
        CHECK(trace[0].kind == Kind::array);
        CHECK(trace[0].is_view);
        CHECK(trace[0].rank == 2);
        CHECK(trace[0].dtype == float64);
        CHECK(trace[0].size_bytes == 40);
        CHECK(trace[0].alignment == 8);
        CHECK(trace[1].kind == Kind::pointer);
        CHECK(!trace[1].dtype);
    }
}

TEST_CASE("a raw kernel takes the Arguments of a generated kernel", "[raw][binding]") {
    const RawKernel scale(
        "extern \"C\" __global__ void scale(const double* x, double a, bool twice, double* y) {\n"
        "    y[threadIdx.x] = a * x[threadIdx.x] * (twice ? 2 : 1);\n"
        "}\n",
        "scale");
    for (const Device device : present_devices()) {
        const Array x = arange(3, float64, {device});
        const Array y = zeros({3}, float64, {device});
        const LaunchConfig config{.block = {3}};
        std::vector<Argument> given = {x, 3, true, y};
        scale.launch_arguments(config, given);
        CHECK(y.to_vector<double>() == std::vector<double>{0, 6, 12});
        given[2] = false;
        scale.bind_arguments(config, given).launch();
        CHECK(y.to_vector<double>() == std::vector<double>{0, 3, 6});
        given[0] = ArraySpec{float64, {3}};
        CHECK(KGEN_MESSAGE_OF(TypeError, scale.launch_arguments(config, given)) ==
              "an argument is an ArraySpec, which has no memory; pass an Array");
    }
}

TEST_CASE("a number is read from its bytes, at any address", "[scalar][binding]") {
    std::array<std::byte, 24> bytes = {};
    const std::int16_t small = -7;
    std::memcpy(bytes.data() + 1, &small, sizeof small);
    CHECK(read_scalar(int16, bytes.data() + 1).signed_value() == -7);
    const std::complex<float> pair(1, -2);
    std::memcpy(bytes.data() + 3, &pair, sizeof pair);
    const Scalar number = read_scalar(complex64, bytes.data() + 3);
    CHECK(number.dtype() == complex64);
    CHECK(number.complex_value() == std::complex<double>(1, -2));
    for (int k = 0; k < dtype_count; ++k) {
        const auto dtype = static_cast<DType>(k);
        std::array<std::byte, 16> made;
        REQUIRE(convert_scalar(Scalar(1), dtype, made.data()).empty());
        CHECK(read_scalar(dtype, made.data()).dtype() == dtype);
    }
}
