// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "image/compile_settings.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::indexing;
using kgen::test::present_devices;

namespace {

std::vector<float> floats(const Array& array) {
    return array.astype(float32).to_vector<float>();
}

}  // namespace

TEST_CASE("an expression is computed where its statement ends", "[expression]") {
    for (const Device device : present_devices()) {
        const Array x = arange(6, float32, {.device = device}).reshape(2, 3);
        const Array y = full({3}, 2, float32, {.device = device});
        const Array z = sqrt(x * x + y);
        CHECK(z.dtype() == float32);
        CHECK(z.shape() == Dims{2, 3});
        for (int k = 0; k < 6; ++k)
            CHECK(floats(z)[static_cast<std::size_t>(k)] == Approx(std::sqrt(k * k + 2.0)));
        CHECK(floats(sqrt(sum(x * x, axis(1)))) ==
              std::vector<float>{std::sqrt(5.0f), std::sqrt(50.0f)});
        CHECK(sum(x * y).item<float>() == 30);
        CHECK(sum(x * y).as<int>() == 30);
        CHECK((x * y).sum(axis(0), keepdims).compute().shape() == Dims{1, 3});
        CHECK(floats(exp(x - max(x, axis(-1), keepdims)))[2] == 1);
        CHECK(fmt::format("{}", x + y) == "[[2. 3. 4.]\n [5. 6. 7.]]");
    }
}

TEST_CASE("an expression is indexed and reshaped like an array", "[expression]") {
    for (const Device device : present_devices()) {
        const Array x = arange(6, int32, {.device = device}).reshape(2, 3);
        const Array y = x + 1;
        CHECK(array_equal((x + 1)[1], y[1]));
        CHECK(array_equal((x + 1)[{all, newaxis, s(1, {})}], y[{all, newaxis, s(1, {})}]));
        CHECK(array_equal((x + 1)[ellipsis], y));
        CHECK(array_equal((x + 1)[array({1, 0}, {.device = device})] * 2, flip(y, 0) * 2));
        CHECK(array_equal((x + 1)[x[0] % 2], y[Array(x[0] % 2)]));
        CHECK(array_equal((x + 1).slice({Range{1, 2}}), y[{s(1, 2)}]));
        CHECK((x + 1).reshape(3, 2).shape() == Dims{3, 2});
        CHECK((x + 1).reshape({-1}).to_vector<std::int32_t>() ==
              std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
        CHECK(array_equal((x + 1).transpose(), y.transpose()));
        CHECK(array_equal((x + 1).transpose(1, 0) + 1, y.transpose() + 1));
        CHECK(array_equal((x + 1).transpose({1, 0}).copy(), y.transpose()));
        CHECK((x + 1).copy(Order::f).is_contiguous(Order::f));
        CHECK((x + 1).broadcast_to({4, 2, 3}).shape() == Dims{4, 2, 3});
        CHECK((x + 1).to(Device::host()).device() == Device::host());
        CHECK(sum(x * 0.5, axis(1)).shape() == Dims{2});
        CHECK((x * 0.5).dtype() == float64);
    }
}

TEST_CASE("round() takes decimals", "[expression]") {
    const Array x = array({1.25, -17.125}, {.device = Device::host()});
    CHECK(round(x * 1).to_vector<double>() == std::vector<double>{1, -17});
    CHECK(round(x, 1).to_vector<double>() == std::vector<double>{1.2, -17.1});
    CHECK(around(x * 1, -1).to_vector<double>() == std::vector<double>{0, -20});
    const std::pair<std::string, Argument> variables[] = {{"x", x}};
    CHECK(parse_expression("x.round(1)", variables).to_vector<double>() ==
          std::vector<double>{1.2, -17.1});
}

TEST_CASE("expressions write into arrays and views", "[expression]") {
    for (const Device device : present_devices()) {
        Array z = zeros({2, 3}, float32, {.device = device});
        const Array y = arange(3, float32, {.device = device});
        z += y;
        z.assign(z * 2 + 1);
        CHECK(floats(z) == std::vector<float>{1, 3, 5, 1, 3, 5});
        z[{1}] = y * 10;
        z[{all, s(0, 2)}] += 1;
        CHECK(floats(z) == std::vector<float>{2, 4, 5, 1, 11, 20});
        // The right side is read before the left is written, also where they overlap.
        z[{all, s(1, 3)}] = z[{all, s(0, 2)}] + 0;
        CHECK(floats(z) == std::vector<float>{2, 2, 4, 1, 1, 11});
        z[z > 3] = -1;
        CHECK(floats(z) == std::vector<float>{2, 2, -1, 1, 1, -1});
        z[z < 0] *= 5;
        CHECK(floats(z) == std::vector<float>{2, 2, -5, 1, 1, -5});
        z.assign(sum(y));
        CHECK(floats(z) == std::vector<float>(6, 3));
        Array whole = zeros({2, 2}, int32, {.device = device});
        whole += true;
        whole.assign(whole * 2.75);
        CHECK(whole.to_vector<std::int32_t>() == std::vector<std::int32_t>(4, 2));
    }
}

TEST_CASE("compute() computes several expressions, into given outputs and on a stream",
          "[expression]") {
    for (const Device device : present_devices()) {
        const Array x = arange(4, float32, {.device = device});
        const Array y = full({4}, 2, float32, {.device = device});
        const auto [low, high] = compute(minimum(x, y), maximum(x, y));
        CHECK(floats(low) == std::vector<float>{0, 1, 2, 2});
        CHECK(floats(high) == std::vector<float>{2, 2, 2, 3});
        const auto [more, total] = compute(x + 1, sum(x));
        CHECK(floats(more) == std::vector<float>{1, 2, 3, 4});
        CHECK(total.item<float>() == 6);
        const Stream stream = Stream::create(device);
        const Array out_a = zeros({4}, float64, {.device = device});
        const Array out_b = zeros({3, 4}, float32, {.device = device});
        stream.wait(current_stream(device));
        compute(x * y, out(out_a), on(stream));
        stream.synchronize();
        CHECK(out_a.to_vector<double>() == std::vector<double>{0, 2, 4, 6});
        // Outputs that the expressions read are written last.
        Array a = x.copy();
        Array b = y.copy();
        compute(b * 1, sum(a) + b * 0, out(a), out(b));
        CHECK(floats(a) == floats(y));
        CHECK(floats(b) == std::vector<float>(4, 6));
        compute(x * 2, out(out_b));
        CHECK(floats(out_b[{2}]) == std::vector<float>{0, 2, 4, 6});
        const BoundLaunch step = bind(x * y + out_a, out(out_a));
        step();
        CHECK(out_a.to_vector<double>() == std::vector<double>{0, 4, 8, 12});
    }
}

TEST_CASE("the dtypes of expressions are NumPy's", "[expression]") {
    const auto one = [](DType dtype) { return ones({2}, dtype, {.device = Device::host()}); };
    const auto dtype_of_sum = [&](DType a, DType b) { return (one(a) + one(b)).compute().dtype(); };
    CHECK(dtype_of_sum(int8, uint8) == int16);
    CHECK(dtype_of_sum(int32, float32) == float64);
    CHECK(dtype_of_sum(uint64, int8) == float64);
    CHECK(dtype_of_sum(float16, complex64) == complex64);
    CHECK((one(int8) + 1).compute().dtype() == int8);
    CHECK((one(int8) + 1.5).compute().dtype() == float64);
    CHECK((one(float16) * 2.5).compute().dtype() == float16);
    CHECK((one(bool_) + 1).compute().dtype() == int64);
    CHECK((one(float32) + std::complex<double>(0, 1)).compute().dtype() == complex64);
    CHECK((one(int32) / one(int32)).compute().dtype() == float64);
    CHECK((one(int32) < one(float64)).compute().dtype() == bool_);
    CHECK(where(one(float32), 1, 2.5).compute().dtype() == float64);
    CHECK(sum(one(int8) * one(int8)).compute().dtype() == int64);
    CHECK(astype(one(int8), float16).compute().dtype() == float16);
    CHECK(power(one(int32), 2).compute().dtype() == int32);
    CHECK(power(one(int32), 2.0).compute().dtype() == float64);
}

TEST_CASE("integers are compared with numbers of any size", "[expression]") {
    const auto check = []<typename T>(T, const auto& number) {
        const std::vector<T> values = {
            std::numeric_limits<T>::min(), T{0}, T{1}, std::numeric_limits<T>::max()};
        const Array x = from_vector(values, {.device = Device::host()});
        INFO(to_text(x.dtype()) << " " << to_text(Scalar(number)));
        const auto agree = [&](Expression&& computed, auto&& compare) {
            const std::vector<std::uint8_t> results =
                std::move(computed).template to_vector<std::uint8_t>();
            for (std::size_t k = 0; k < values.size(); ++k)
                CHECK((results[k] != 0) == compare(values[k]));
        };
        agree(x == number, [&](T v) { return std::cmp_equal(v, number); });
        agree(x != number, [&](T v) { return std::cmp_not_equal(v, number); });
        agree(x < number, [&](T v) { return std::cmp_less(v, number); });
        agree(x <= number, [&](T v) { return std::cmp_less_equal(v, number); });
        agree(x > number, [&](T v) { return std::cmp_greater(v, number); });
        agree(x >= number, [&](T v) { return std::cmp_greater_equal(v, number); });
        agree(number == x, [&](T v) { return std::cmp_equal(number, v); });
        agree(number != x, [&](T v) { return std::cmp_not_equal(number, v); });
        agree(number < x, [&](T v) { return std::cmp_less(number, v); });
        agree(number <= x, [&](T v) { return std::cmp_less_equal(number, v); });
        agree(number > x, [&](T v) { return std::cmp_greater(number, v); });
        agree(number >= x, [&](T v) { return std::cmp_greater_equal(number, v); });
    };
    for (const std::int64_t number :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{300}, INT64_MIN, INT64_MAX}) {
        check(std::int8_t(), number);
        check(std::uint8_t(), number);
        check(std::int64_t(), number);
        check(std::uint64_t(), number);
    }
    check(std::int64_t(), UINT64_MAX);
    check(std::uint64_t(), UINT64_MAX);
    const Array x = arange(4, uint8, {.device = Device::host()});
    CHECK(((x * 2 < 300) & (x > -5)).all().item<bool>());
    const Value twice = array({0, 255}, uint8, {.device = Device::host()}) < 300;
    CHECK((twice & twice).all().item<bool>());
    CHECK(logical_and(x, -1).compute().to_vector<std::uint8_t>() ==
          std::vector<std::uint8_t>{0, 1, 1, 1});
    const Array h = array({1, INFINITY}, float16, {.device = Device::host()});
    CHECK(((h >= 70000) | (-1e9 > h)).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{0, 1});
    const KernelTemplate small = trace("small", [](Value v) { return (v < 300) & (v != -1); });
    CHECK(Array(small(x)).to_vector<std::uint8_t>() == std::vector<std::uint8_t>(4, 1));
}

TEST_CASE("where nothing can be compiled, a statement runs by the kernels of the library",
          "[expression]") {
    for (const Device device : present_devices()) {
        const Array x = linspace(-1, 1, 7, float32, {.device = device});
        const Array i = arange(7, int32, {.device = device});
        // These calls put the library's kernels into the cache.
        const auto library = [](const char* name, auto&&... arguments) {
            return kernel_template(name)(arguments...);
        };
        const Array expected = library("tanh",
                                       library("add",
                                               library("multiply", x, x),
                                               library("to_float32", library("multiply", i, 3))));
        const Array total = library("max", library("multiply", library("to_float64", i), 0.25));
        const CompileModeScope never(CompileMode::never);
        const Array z = tanh(x * x + (i * 3).astype(float32));
        CHECK(array_equal(z, expected));
        CHECK(array_equal(max(i * 0.25).compute(), total));
    }
}

TEST_CASE("an expression of many operations is computed in parts", "[expression]") {
    const Array x = array({0.5, -0.25}, {.device = Device::host()});
    Expression sum_of_powers = x * 1;
    const auto add_powers = [&](auto&& self, Expression&& made, int count) -> Expression {
        if (count == 0) return std::move(made);
        return self(self, (std::move(made) + 1) * x, count - 1);
    };
    const std::vector<Explanation> kernels = explain(add_powers(add_powers, x * 1, 100));
    REQUIRE(kernels.size() > 1);
    CHECK(kernels.size() < 8);
    CHECK(kernels[0].part ==
          "(... * x0 + x23) * x0, because a kernel takes at most 64 operations and 24 inputs");
    CHECK(kernels.back().part.find("because") == std::string::npos);
    CHECK(explain(sqrt(x * x))[0].part.empty());
    CHECK(explain(var(x * 2 + x))[0].part ==
          "x0 * x1 + x0, because what follows runs as a kernel of its own");
    const Array result = add_powers(add_powers, std::move(sum_of_powers), 100);
    const std::vector<double> values = result.to_vector<double>();
    for (std::size_t k = 0; k < 2; ++k) {
        const double v = k == 0 ? 0.5 : -0.25;
        double expected = v;
        for (int round = 0; round < 100; ++round) expected = (expected + 1) * v;
        CHECK(values[k] == Approx(expected));
    }
}

TEST_CASE("errors in expressions show the operation and the expression", "[expression]") {
    const ArrayOptions host{.device = Device::host()};
    const Array x = arange(6, float32, host).reshape(2, 3);
    const Array y = arange(4, float32, host);
    Array i = arange(5, int32, host);
    CHECK(KGEN_MESSAGE_OF(ShapeError, sqrt(x * x + y).compute()) ==
          "operator '+': x0 * x0 has the shape (2, 3) and x1 has (4,), which do not broadcast\n"
          "  sqrt(x0 * x0 + x1)\n"
          "               ^");
    CHECK(KGEN_MESSAGE_OF(TypeError, sqrt(~x).compute()) ==
          "operator '~' does not take float32\n"
          "  ~x0\n"
          "  ^\n"
          "  'invert' takes\n"
          "  T x -> T y with T = bool\n"
          "  T x -> T y with T = int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64");
    CHECK(
        KGEN_MESSAGE_OF(TypeError, i += 2.5) ==
        "the expression has the dtype float64, which is not written into an array of int32; write "
        "array.assign(...) to convert it\n"
        "  x0 + x1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, (sum(x * 2, axis(3)) + 1).compute()) ==
          "function 'sum': axis 3 does not exist; the operand has the shape (2, 3)\n"
          "  sum(x0 * x1, axis(3)) + x2\n"
          "  ^~~");
    CHECK(KGEN_MESSAGE_OF(TypeError, (arange(3, uint8, host) + 300).compute()) ==
          "kernel 'add': argument 2 ('y'): 300 does not fit uint8 (0 to 255)\n"
          "  x0 + x1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, max(zeros({0}, host) * 2).compute()) ==
          "kernel 'multiply_max': cannot reduce zero elements without an identity: shape (0,); "
          "pass an "
          "identity to the kernel, or check size() first\n"
          "  max(x0 * x1)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, y.assign(x + 1)) ==
          "the expression has the shape (2, 3), which does not broadcast to the shape (4,) of the "
          "output\n"
          "  x0 + x1");
    CHECK(KGEN_MESSAGE_OF(SignatureError, call("leky_relu", x, 0.1)) ==
          "no template is called 'leky_relu'; did you mean 'leaky_relu'?");
    CHECK(KGEN_MESSAGE_OF(TypeError, call("leaky_relu", x)) ==
          "call: template 'leaky_relu' takes 2 inputs, but 1 are given");
    CHECK(KGEN_MESSAGE_OF(ShapeError, bind(x - call("sum_compensated", x))) ==
          "bind: the expression needs 2 kernels, but a bound launch has one; record the statement "
          "in a "
          "Graph with capture()\n"
          "  x0 - sum_compensated(x0)");
    CHECK(KGEN_MESSAGE_OF(TypeError, compute(x + 1, x + 2, out(x))) ==
          "compute: 1 outputs are given for 2 expressions; give one for each, or none");
    CHECK(KGEN_MESSAGE_OF(TypeError, (x + Array()).compute()) ==
          "kernel 'add': argument 2 ('y') is an empty Array; pass one that has memory\n"
          "  x0 + x1");
    Expression moved = x + 1;
    static_cast<void>(std::move(moved).compute());
    CHECK(KGEN_MESSAGE_OF(Error, std::move(moved).compute()) ==
          "an expression was used that was computed or moved from before");
}
