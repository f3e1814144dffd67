// SPDX-License-Identifier: MIT
//
// The arguments of raw kernels: how they are laid out, and the messages for arguments that do not fit.
#include "raw/raw_arguments.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/fake_raw.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr KernelParameter pointer_at(std::size_t offset) {
    return {offset, 8, ParameterKind::pointer};
}

FakeRawDevice& device() {
    static auto* device = new FakeRawDevice;
    return *device;
}

// Packs the arguments of a kernel 'k' into a block that is filled with ones before.
class Packed {
public:
    template <typename... Arguments>
    explicit Packed(const std::vector<KernelParameter>& parameters, const Arguments&... arguments)
        : list_(type_parameters(parameters, {})) {
        block_.fill(std::byte{0xff});
        const std::vector<RawArgument> given = {RawArgument(arguments)...};
        pack_arguments("k", {list_, block_bytes(list_)}, given, device(), block_.data());
    }
    template <typename T>
    T at(std::size_t offset) const {
        T value;
        std::memcpy(&value, block_.data() + offset, sizeof value);
        return value;
    }

private:
    std::vector<TypedParameter> list_;
    std::array<std::byte, 256> block_;
};

// Returns the message for the first of these arguments, for a kernel with one parameter of that kind.
template <typename Error = TypeError, typename... Arguments>
std::string refusal(const KernelParameter& parameter, const Arguments&... arguments) {
    return KGEN_MESSAGE_OF(Error, Packed({parameter}, arguments...));
}

KernelParameter integer(std::size_t bytes) {
    return {0, bytes, ParameterKind::integer};
}
KernelParameter floating(std::size_t bytes) {
    return {0, bytes, ParameterKind::floating};
}
KernelParameter unknown(std::size_t bytes) {
    return {0, bytes, ParameterKind::unknown};
}
KernelParameter aggregate(std::size_t bytes) {
    return {0, bytes, ParameterKind::aggregate};
}

struct Pair {
    int first;
    float second;
};
enum class Mode : std::uint16_t { plain = 7 };

}  // namespace

TEST_CASE("arguments lie where the kernel reads them, with zeros between") {
    const Array x = fake_array(device(), {3, 4});
    const float* foreign = static_cast<const float*>(x.data()) + 2;
    const Packed packed({{0, 4, ParameterKind::floating},
                         pointer_at(8),
                         {16, 1, ParameterKind::integer},
                         {18, 2, ParameterKind::unknown},
                         {20, 8, ParameterKind::aggregate},
                         pointer_at(32),
                         pointer_at(40)},
                        2.5,
                        x,
                        true,
                        Mode::plain,
                        Pair{5, 0.5F},
                        foreign,
                        nullptr);
    CHECK(packed.at<float>(0) == 2.5F);
    CHECK(packed.at<int>(4) == 0);
    CHECK(packed.at<void*>(8) == x.data());
    CHECK(packed.at<std::uint16_t>(16) == 1);
    CHECK(packed.at<Mode>(18) == Mode::plain);
    CHECK(packed.at<Pair>(20).first == 5);
    CHECK(packed.at<Pair>(20).second == 0.5F);
    CHECK(packed.at<const float*>(32) == foreign);
    CHECK(packed.at<void*>(40) == nullptr);
    CHECK(packed.at<std::uint8_t>(48) == 0xff);  // nothing is written beyond the end
}

TEST_CASE("a raw view is its address, its shape and its strides in bytes") {
    const Array x = fake_array(device(), {3, 4}).transpose();
    const Packed packed({aggregate(40)}, raw(x));
    CHECK(packed.at<void*>(0) == x.data());
    CHECK(packed.at<std::array<std::int64_t, 4>>(8) == std::array<std::int64_t, 4>{4, 3, 4, 16});
    const Array scalar = fake_array(device(), {});
    CHECK(Packed({aggregate(8)}, raw(scalar)).at<void*>(0) == scalar.data());
}

TEST_CASE("numbers take the type of the parameter where it is known") {
    CHECK(Packed({integer(8)}, 3).at<std::int64_t>(0) == 3);
    CHECK(Packed({integer(8)}, -3).at<std::int64_t>(0) == -3);
    CHECK(Packed({integer(8)}, ~0ULL).at<std::uint64_t>(0) == ~0ULL);
    CHECK(Packed({integer(4)}, 3e9).at<std::uint32_t>(0) == 3000000000U);
    CHECK(Packed({integer(4)}, -2.0).at<std::int32_t>(0) == -2);
    CHECK(Packed({integer(2)}, 65535).at<std::uint16_t>(0) == 65535);
    CHECK(Packed({integer(2)}, -32768).at<std::int16_t>(0) == -32768);
    CHECK(Packed({integer(1)}, -128).at<std::int8_t>(0) == -128);
    CHECK(Packed({integer(1)}, 255ULL).at<std::uint8_t>(0) == 255);
    CHECK(Packed({integer(4)}, -2147483648LL).at<std::int32_t>(0) == -2147483647 - 1);
    CHECK(Packed({integer(8)}, std::numeric_limits<std::int64_t>::min()).at<std::int64_t>(0) ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(Packed({integer(1)}, true).at<std::uint8_t>(0) == 1);
    CHECK(Packed({integer(1)}, 'a').at<char>(0) == 'a');
    CHECK(Packed({floating(4)}, 2.5).at<float>(0) == 2.5F);
    CHECK(Packed({floating(4)}, 7).at<float>(0) == 7.0F);
    CHECK(Packed({floating(4)}, -7LL).at<float>(0) == -7.0F);
    CHECK(Packed({floating(4)}, ~0ULL).at<float>(0) == 18446744073709551616.0F);
    CHECK(Packed({floating(8)}, true).at<double>(0) == 1.0);
    CHECK(std::isinf(Packed({floating(4)}, HUGE_VAL).at<float>(0)));
    CHECK(std::isnan(Packed({floating(4)}, std::nan("")).at<float>(0)));
    CHECK(Packed({floating(8)}, 0.5F).at<double>(0) == 0.5);
    CHECK(Packed({floating(8)}, Scalar(half_t(1.5F))).at<double>(0) == 1.5);
}

TEST_CASE("where the type of the parameter is not known, numbers are passed as they are") {
    CHECK(Packed({unknown(4)}, 2.5F).at<float>(0) == 2.5F);
    CHECK(Packed({unknown(8)}, 2.5).at<double>(0) == 2.5);
    CHECK(Packed({unknown(4)}, 3).at<int>(0) == 3);
    CHECK(Packed({unknown(1)}, false).at<char>(0) == 0);
    CHECK(Packed({aggregate(2)}, half_t(1.5F)).at<std::uint16_t>(0) == 0x3e00);
    CHECK(Packed({aggregate(8)}, std::complex<float>(1, 2)).at<std::complex<float>>(0) ==
          std::complex<float>(1, 2));
    // A number is not converted to a 128-bit integer, because no argument has that type.
    CHECK(Packed({integer(16)}, std::complex<double>(1, 2)).at<double>(8) == 2);
}

TEST_CASE("addresses may be integers of 64 bits, and the other way round where they say so") {
    const Array x = fake_array(device(), {3});
    CHECK(Packed({integer(8)}, x).at<void*>(0) == x.data());
    CHECK(Packed({unknown(8)}, x.data()).at<void*>(0) == x.data());
    CHECK(Packed({pointer_at(0)}, 0x7000ULL).at<std::uint64_t>(0) == 0x7000);
    CHECK(Packed({pointer_at(0)}, reinterpret_cast<std::uintptr_t>(x.data())).at<void*>(0) ==
          x.data());
    const Array nothing = fake_array(device(), {0, 3});
    CHECK(Packed({pointer_at(0)}, nothing).at<void*>(0) == nullptr);
}

TEST_CASE("a wrong number of arguments is refused") {
    CHECK(refusal(integer(4)) == "kernel 'k': got 0 arguments, expected 1");
    CHECK(refusal(integer(4), 1, 2) == "kernel 'k': got 2 arguments, expected 1");
    CHECK(KGEN_MESSAGE_OF(TypeError, Packed({}, 1)) == "kernel 'k': got 1 argument, expected 0");
}

TEST_CASE("a size that does not fit is refused, and what it may be is said") {
    const Array x = fake_array(device(), {3});
    const Array square = fake_array(device(), {3, 3});
    CHECK(KGEN_MESSAGE_OF(
              TypeError,
              Packed({pointer_at(0), pointer_at(8), {16, 4}, {20, 4}, {24, 4}}, x, x, 2.0, 1, 1)) ==
          "kernel 'k': argument 3 of 5 has 8 bytes, the kernel expects 4; did you pass a double "
          "for a float?");
    const std::string start = "kernel 'k': argument 1 of 1 has ";
    CHECK(refusal(unknown(8), 1) ==
          start + "4 bytes, the kernel expects 8; did you pass an int for a long long?");
    CHECK(refusal(unknown(4), 1LL) ==
          start + "8 bytes, the kernel expects 4; did you pass a long long for an int?");
    CHECK(refusal(unknown(8), 1.0F) ==
          start + "4 bytes, the kernel expects 8; did you pass a float for a double?");
    CHECK(refusal(unknown(2), 1.0F) ==
          start + "4 bytes, the kernel expects 2; did you pass a float for a half?");
    CHECK(refusal(unknown(2), 1) ==
          start + "4 bytes, the kernel expects 2; did you pass an int for a short?");
    CHECK(refusal(unknown(1), 1) ==
          start + "4 bytes, the kernel expects 1; did you pass an int for a char?");
    CHECK(refusal(unknown(4), true) ==
          start + "1 byte, the kernel expects 4; did you pass a bool for an int?");
    CHECK(
        refusal(aggregate(8), std::complex<double>()) ==
        start +
            "16 bytes, the kernel expects 8; did you pass a complex<double> for a complex<float>?");
    CHECK(refusal(aggregate(12), 1.0) ==
          start + "8 bytes, the kernel expects 12; did you pass a double for a struct?");
    CHECK(refusal(aggregate(12), Pair()) == start + "8 bytes, the kernel expects 12");
    CHECK(refusal(integer(4), Mode::plain) == start + "2 bytes, the kernel expects 4");
    CHECK(refusal(unknown(4), x) == start + "8 bytes, the kernel expects 4");
    CHECK(refusal(unknown(4), nullptr) == start + "8 bytes, the kernel expects 4");
    CHECK(refusal(unknown(24), x) ==
          start + "8 bytes, the kernel expects 24; pass raw(x) for a kgen::array");
    CHECK(refusal(aggregate(24), raw(square)) ==
          start + "40 bytes, the kernel expects 24; did you pass an array of 2 axes for one of 1?");
    CHECK(refusal(unknown(8), raw(x)) ==
          start + "24 bytes, the kernel expects 8; pass x instead of raw(x) for a pointer");
    CHECK(refusal(aggregate(20), raw(x)) == start + "24 bytes, the kernel expects 20");
}

TEST_CASE("a number that does not fit the parameter's type is refused") {
    const std::string start = "kernel 'k': argument 1 of 1: ";
    // It is not known whether the integer is signed.
    CHECK(refusal(integer(1), 300) ==
          start + "300 does not fit an integer of 1 byte (-128 to 255)");
    CHECK(refusal(integer(1), -129) ==
          start + "-129 does not fit an integer of 1 byte (-128 to 255)");
    CHECK(refusal(integer(2), 65536U) ==
          start + "65536 does not fit an integer of 2 bytes (-32768 to 65535)");
    CHECK(refusal(integer(4), 5000000000LL) ==
          start + "5000000000 does not fit an integer of 4 bytes (-2147483648 to 4294967295)");
    CHECK(refusal(integer(4), 2.5) ==
          start + "2.5 does not fit an integer of 4 bytes (it is not an integer)");
    CHECK(refusal(integer(8), -1e30) == start +
                                            "-1e+30 does not fit an integer of 8 bytes "
                                            "(-9223372036854775808 to 18446744073709551615)");
    CHECK(refusal(integer(4), std::complex<float>(1, 2)) ==
          start + "(1+2j) does not fit an integer of 4 bytes (it is complex)");
    CHECK(refusal(floating(4), 1e300) ==
          start + "1e+300 does not fit float32 (largest 3.40282e+38)");
    CHECK(refusal(floating(8), std::complex<double>(1, 2)) ==
          start + "(1+2j) does not fit float64 (it is complex)");
}

TEST_CASE("a pointer for a number and a number for a pointer are refused") {
    const Array x = fake_array(device(), {3});
    const std::string start = "kernel 'k': argument 1 of 1 is ";
    const std::string remedy =
        "\npass an array, a pointer, nullptr or, for an address, an unsigned long long";
    CHECK(refusal(pointer_at(0), 0) ==
          start + "the number 0, the kernel expects a pointer" + remedy);
    CHECK(refusal(pointer_at(0), 2.5) ==
          start + "the number 2.5, the kernel expects a pointer" + remedy);
    CHECK(refusal(floating(8), x) ==
          start + "an array, the kernel expects a floating-point number of 8 bytes");
    CHECK(refusal(floating(4), nullptr) ==
          start + "a pointer, the kernel expects a floating-point number of 4 bytes");
    CHECK(refusal(aggregate(8), x) == start + "an array, the kernel expects a struct of 8 bytes");
    CHECK(refusal(pointer_at(0), raw(x)) ==
          start + "raw() of an array, the kernel expects a pointer");
    CHECK(refusal(integer(1), raw(x)) ==
          start + "raw() of an array, the kernel expects an integer of 1 byte");
}

TEST_CASE("an array that is not where or as the kernel would read it is refused") {
    const Array x = fake_array(device(), {3, 4});
    static auto* other_device = new FakeRawDevice(Device::cuda(1));
    const Array far = fake_array(*other_device, {3});
    CHECK(
        refusal<ShapeError>(pointer_at(0), x.transpose()) ==
        "kernel 'k': argument 1 of 1 is not C-contiguous: its shape is (4, 3), its strides are "
        "(4, 16)\npass x.ascontiguous(), raw(x) to a kernel that takes a kgen::array, or x.data()");
    const auto both = [&](const auto& first, const auto& second) {
        return KGEN_MESSAGE_OF(ShapeError, Packed({pointer_at(0), pointer_at(8)}, first, second));
    };
    CHECK(both(x, far) ==
          "kernel 'k': argument 2 of 2 is on cuda:1 but argument 1 is on cuda:0; move one of them "
          "with to()");
    CHECK(both(nullptr, far) ==
          "kernel 'k': argument 2 of 2 is on cuda:1, but the call is for cuda:0");
    const Array empty;
    CHECK(refusal(pointer_at(0), empty) ==
          "kernel 'k': argument 1 of 1 is an empty Array; pass one that has memory");
    CHECK(refusal(aggregate(8), raw(empty)) ==
          "kernel 'k': argument 1 of 1 is an empty Array; pass one that has memory");
}

TEST_CASE("packing allocates nothing") {
    const Array x = fake_array(device(), {3, 4});
    const std::vector<TypedParameter> list = type_parameters(
        std::vector<KernelParameter>{
            floating(4), pointer_at(8), {16, 8, ParameterKind::integer}, {24, 40}},
        {});
    std::array<std::byte, 64> block;
    CHECK(allocations_of([&] {
              const std::initializer_list<RawArgument> arguments = {2.0, x, 5, raw(x)};
              pack_arguments("k",
                             {list, block_bytes(list)},
                             {arguments.begin(), arguments.size()},
                             device(),
                             block.data());
          }) == 0);
}

TEST_CASE("the types in a symbol tell what the image does not") {
    const auto kinds = [](const std::vector<KernelParameter>& parameters, const char* symbol) {
        std::vector<ParameterKind> told;
        for (const TypedParameter& each :
             type_parameters(parameters, types_in_code(parameters, symbol)))
            told.push_back(each.kind);
        return told;
    };
    using enum ParameterKind;
    const std::vector<KernelParameter> five = {
        {0, 4, unknown}, {4, 1, unknown}, {6, 2, unknown}, {8, 8, integer}, {16, 12, aggregate}};
    CHECK(kinds(five, "_Z5saxpyfbsPd1U") ==
          std::vector<ParameterKind>{floating, integer, integer, pointer, aggregate});
    CHECK(kinds(five, "plain") ==
          std::vector<ParameterKind>{unknown, unknown, unknown, integer, aggregate});
    // A symbol with other parameters than the compiled kernel is ignored.
    CHECK(kinds({{0, 8, unknown}}, "_Z5saxpyfbsPd1U") == std::vector<ParameterKind>{unknown});
    CHECK(kinds({{0, 4, integer}}, "_Z1k4Mode") == std::vector<ParameterKind>{integer});
}
