// SPDX-License-Identifier: MIT
#include "api/raw_argument_errors.hpp"

#include <fmt/format.h>

#include <array>
#include <kgen/error.hpp>
#include <string_view>

#include "api/raw_arguments.hpp"

namespace kgen {

namespace {

using Kind = RawArgument::Kind;

std::string argument_text(const ArgumentPlace& place) {
    return fmt::format(
        "kernel '{}': argument {} of {}", place.kernel, place.index + 1, place.arguments.size());
}

std::string_view noun(Kind kind) {
    switch (kind) {
        case Kind::array:
            return "an array";
        case Kind::view:
            return "raw() of an array";
        case Kind::number:
            return "a number";
        case Kind::bytes:
            return "a struct";
        case Kind::pointer:
            return "a pointer";
        case Kind::texture:
            return "a texture";
        case Kind::surface:
            break;
    }
    return "a surface";
}

std::string expected_text(const KernelParameter& parameter) {
    const auto bytes =
        fmt::format("of {} byte{}", parameter.bytes, parameter.bytes == 1 ? "" : "s");
    switch (parameter.kind) {
        case ParameterKind::pointer:
            return "a pointer";
        case ParameterKind::integer:
            return "an integer " + bytes;
        case ParameterKind::floating:
            return "a floating-point number " + bytes;
        case ParameterKind::aggregate:
            return "a struct " + bytes;
        case ParameterKind::unknown:
            break;
    }
    return "a value " + bytes;
}

std::string_view c_name(const Scalar& number) {
    switch (number.dtype()) {
        case DType::bool_:
            return "a bool";
        case DType::int8:
        case DType::uint8:
            return "a char";
        case DType::int16:
        case DType::uint16:
            return "a short";
        case DType::int32:
        case DType::uint32:
            return "an int";
        case DType::int64:
        case DType::uint64:
            return "a long long";
        case DType::float16:
        case DType::bfloat16:
            return "a 16-bit float";
        case DType::float32:
            return "a float";
        case DType::float64:
            return "a double";
        case DType::complex64:
            return "a complex<float>";
        case DType::complex128:
            break;
    }
    return "a complex<double>";
}

// What of the same family the kernel may take, by its size.
std::string_view meant_type(const Scalar& number, std::size_t bytes) {
    const DTypeKind kind = kind_of(number.dtype());
    switch (bytes) {
        case 1:
            return kind == DTypeKind::boolean ? "" : "a char";
        case 2:
            return kind == DTypeKind::real ? "a half" : "a short";
        case 4:
            return kind == DTypeKind::real ? "a float" : "an int";
        case 8:
            if (kind == DTypeKind::complex) return "a complex<float>";
            return kind == DTypeKind::real ? "a double" : "a long long";
        case 16:
            return kind == DTypeKind::complex ? "a complex<double>" : "a struct";
        default:
            return "a struct";
    }
}

// "a double for a float?"
std::string size_hint(const ArgumentPlace& place) {
    const RawArgument& argument = place.argument();
    const std::size_t expected = place.parameter.bytes;
    switch (argument.kind()) {
        case Kind::number: {
            const std::string_view meant = meant_type(argument.number(), expected);
            if (meant.empty()) return {};
            return fmt::format(": {} for {}?", c_name(argument.number()), meant);
        }
        case Kind::view: {
            constexpr std::size_t axis = 2 * sizeof(std::ptrdiff_t);
            if (expected == sizeof(void*) && argument.array().rank() > 0)
                return ": raw(x) for a pointer? pass x";
            if (expected < sizeof(void*) || (expected - sizeof(void*)) % axis != 0) return {};
            return fmt::format(": an array of {} axes for one of {}?",
                               argument.array().rank(),
                               (expected - sizeof(void*)) / axis);
        }
        case Kind::array:
        case Kind::pointer: {
            constexpr std::size_t axis = 2 * sizeof(std::ptrdiff_t);
            const bool is_view = expected > sizeof(void*) && (expected - sizeof(void*)) % axis == 0;
            if (is_view && argument.kind() == Kind::array)
                return ": a pointer for a kgen::array? pass raw(x)";
            return {};
        }
        default:
            return {};
    }
}

}  // namespace

void refuse_count(const std::string& kernel, std::size_t got, std::size_t expected) {
    throw TypeError(fmt::format(
        "kernel '{}': got {} argument{}, expected {}", kernel, got, got == 1 ? "" : "s", expected));
}

void refuse_empty_array(const ArgumentPlace& place) {
    throw TypeError(argument_text(place) + " is an empty Array; pass one that holds memory");
}

void refuse_kind(const ArgumentPlace& place) {
    const RawArgument& argument = place.argument();
    std::string got(noun(argument.kind()));
    if (argument.kind() == Kind::number)
        got = fmt::format("the number {}", to_text(argument.number()));
    std::string message = fmt::format("{} is {}, the kernel expects {}",
                                      argument_text(place),
                                      got,
                                      expected_text(place.parameter));
    if (argument.kind() == Kind::number && place.parameter.kind == ParameterKind::pointer)
        message += "\npass an array, a pointer, nullptr or, for an address, an unsigned long long";
    throw TypeError(message);
}

void refuse_size(const ArgumentPlace& place, std::size_t bytes) {
    throw TypeError(fmt::format("{} has {} byte{}, the kernel expects {}{}",
                                argument_text(place),
                                bytes,
                                bytes == 1 ? "" : "s",
                                place.parameter.bytes,
                                size_hint(place)));
}

void refuse_number(const ArgumentPlace& place, const std::string& reason) {
    throw TypeError(argument_text(place) + ": " + reason);
}

void refuse_layout(const ArgumentPlace& place) {
    const Array& array = place.argument().array();
    throw ShapeError(
        fmt::format("{} is not C-contiguous: its shape is {}, its strides are {}\npass "
                    "x.ascontiguous(), raw(x) to a kernel that takes a kgen::array, or x.data()",
                    argument_text(place),
                    to_text(array.shape()),
                    to_text(array.strides())));
}

void refuse_device(const ArgumentPlace& place, Device device) {
    const std::string got =
        fmt::format("{} is on {}", argument_text(place), to_text(*device_of(place.argument())));
    for (std::size_t k = 0; k < place.index; ++k) {
        if (!device_of(place.arguments[k])) continue;
        throw ShapeError(fmt::format("{} but argument {} is on {}; move one of them with to()",
                                     got,
                                     k + 1,
                                     to_text(device)));
    }
    throw ShapeError(fmt::format("{}, but the call is for {}", got, to_text(device)));
}

}  // namespace kgen
