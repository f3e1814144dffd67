// SPDX-License-Identifier: MIT
#include "raw/raw_argument_errors.hpp"

#include <fmt/format.h>

#include <array>
#include <kgen/error.hpp>
#include <string_view>
#include <vector>

#include "dtype/dtype_table.hpp"
#include "raw/raw_arguments.hpp"
#include "text/advice.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

using Kind = RawArgument::Kind;

std::string argument_text(const ArgumentPlace& place) {
    return fmt::format(
        "kernel '{}': argument {} of {}", place.kernel, place.index + 1, place.arguments.size());
}

// What an error is about: ErrorParts without the parameter, which is the argument's number.
struct Misfit {
    ErrorKind kind;
    std::string expected;
    std::string got;
};

template <typename E>
[[noreturn]] void throw_for(const ArgumentPlace& place, const std::string& message, Misfit misfit) {
    refuse<E>({misfit.kind,
               std::to_string(place.index + 1),
               std::move(misfit.expected),
               std::move(misfit.got)},
              "{}",
              message);
}

// Throws an error whose message begins with the argument.
template <typename E, typename... Parts>
[[noreturn]] void fail_at(const ArgumentPlace& place,
                          Misfit misfit,
                          fmt::format_string<Parts...> why,
                          Parts&&... parts) {
    throw_for<E>(place,
                 argument_text(place) + fmt::format(why, std::forward<Parts>(parts)...),
                 std::move(misfit));
}

std::string bytes_text(std::size_t bytes) {
    return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
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
        case Kind::image:
            return "a texture or surface";
        case Kind::surface:
            break;
    }
    return "a surface";
}

std::string expected_text(const TypedParameter& parameter) {
    if (parameter.type.form == ParameterType::Form::view) return parameter.type.text;
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

// Returns the number's type in C, without its sign: "an int", "a 16-bit float".
std::string c_name(const Scalar& number) {
    const DType dtype = number.dtype();
    if (is_narrow_float(dtype)) return fmt::format("a {}-bit float", 8 * item_size(dtype));
    std::string_view name = cpp_name(dtype);
    for (const std::string_view sign : {"signed ", "unsigned "}) {
        if (name.starts_with(sign)) name.remove_prefix(sign.size());
    }
    return fmt::format("{} {}", name.front() == 'i' ? "an" : "a", name);
}

// Returns the type of that size which is closest to the number's type, for a hint.
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

// Says why the number does not fit the dtype, which is called `type` as in the kernel.
std::string no_fit_text(const Scalar& number, DType dtype, std::string_view type) {
    std::array<std::byte, 16> bytes;
    std::string text = convert_scalar(number, dtype, bytes.data());
    if (type.empty()) return text;
    const std::string known = fmt::format(" does not fit {} ", to_text(dtype));
    const std::size_t at = text.find(known);
    return text.replace(at, known.size(), fmt::format(" does not fit {} ", type));
}

// Returns a guess at the mistake: "; did you pass a double for a float?". Empty if there is none.
std::string size_hint(const ArgumentPlace& place) {
    const RawArgument& argument = place.argument();
    const std::size_t expected = place.parameter.bytes;
    switch (argument.kind()) {
        case Kind::number: {
            const std::string_view meant = meant_type(argument.number(), expected);
            if (meant.empty()) return {};
            return fmt::format("; did you pass {} for {}?", c_name(argument.number()), meant);
        }
        case Kind::view: {
            constexpr std::size_t axis = 2 * sizeof(std::ptrdiff_t);
            if (expected == sizeof(void*) && argument.array().rank() > 0)
                return "; pass x instead of raw(x) for a pointer";
            if (expected < sizeof(void*) || (expected - sizeof(void*)) % axis != 0) return {};
            return fmt::format("; did you pass an array of {} axes for one of {}?",
                               argument.array().rank(),
                               (expected - sizeof(void*)) / axis);
        }
        case Kind::array:
        case Kind::pointer: {
            constexpr std::size_t axis = 2 * sizeof(std::ptrdiff_t);
            const bool is_view = expected > sizeof(void*) && (expected - sizeof(void*)) % axis == 0;
            if (is_view && argument.kind() == Kind::array)
                return "; " + advise(Advice::pass_raw_view_size);
            return {};
        }
        default:
            return {};
    }
}

}  // namespace

void refuse_count(const std::string& kernel, std::size_t got, std::size_t expected) {
    refuse<TypeError>(
        {ErrorKind::argument_count, {}, std::to_string(expected), std::to_string(got)},
        "kernel '{}': got {} argument{}, expected {}",
        kernel,
        got,
        got == 1 ? "" : "s",
        expected);
}

void refuse_empty_array(const ArgumentPlace& place) {
    fail_at<TypeError>(place,
                       {ErrorKind::argument_type, "an Array that has memory", "an empty Array"},
                       " is an empty Array; pass one that has memory");
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
        message += "\n" + advise(Advice::pass_raw_pointer);
    if (argument.kind() == Kind::array && place.parameter.type.form == ParameterType::Form::view)
        message += "\n" + advise(Advice::pass_raw_view);
    throw_for<TypeError>(
        place, message, {ErrorKind::argument_type, expected_text(place.parameter), got});
}

void refuse_size(const ArgumentPlace& place, std::size_t bytes) {
    fail_at<TypeError>(
        place,
        {ErrorKind::argument_type, bytes_text(place.parameter.bytes), bytes_text(bytes)},
        " has {} byte{}, the kernel expects {}{}",
        bytes,
        bytes == 1 ? "" : "s",
        place.parameter.bytes,
        size_hint(place));
}

void refuse_type_alignment(const ArgumentPlace& place) {
    fail_at<TypeError>(
        place,
        {ErrorKind::argument_type,
         fmt::format("an alignment of {}", bytes_text(place.parameter.alignment)),
         fmt::format("an alignment of {}", bytes_text(place.argument().alignment()))},
        " is a struct with an alignment of {} bytes, the kernel expects {}",
        place.argument().alignment(),
        place.parameter.alignment);
}

void refuse_number(const ArgumentPlace& place, DType dtype) {
    const std::string& type = place.parameter.type.text;
    const Scalar& number = place.argument().number();
    fail_at<TypeError>(place,
                       {ErrorKind::value, std::string(to_text(dtype)), to_text(number)},
                       ": {}",
                       no_fit_text(number, dtype, type));
}

void refuse_number(const ArgumentPlace& place, DType either, DType other) {
    const Scalar& number = place.argument().number();
    std::array<std::byte, 8> bytes;
    const auto reason = [&](DType dtype) { return convert_scalar(number, dtype, bytes.data()); };
    const std::string& type = place.parameter.type.text;
    const std::string name = type.empty()
                                 ? expected_text(place.parameter)
                                 : fmt::format("{}, {}", type, expected_text(place.parameter));
    // Joins "300 does not fit int8 (-128 to 127)" and "300 does not fit uint8 (0 to 255)" to "(-128 to 255)".
    const std::string low = reason(either);
    const std::string high = reason(other);
    const std::size_t to = low.rfind(" to ");
    std::string text = no_fit_text(number, either, name);
    if (to != std::string::npos)
        text.replace(text.rfind(" to "), std::string::npos, high.substr(high.rfind(" to ")));
    fail_at<TypeError>(
        place, {ErrorKind::value, expected_text(place.parameter), to_text(number)}, ": {}", text);
}

void refuse_dtype(const ArgumentPlace& place) {
    const ParameterType& type = place.parameter.type;
    std::vector<std::string_view> names;
    for (const DType dtype : all_dtypes) {
        if (type.elements.has(dtype)) names.push_back(to_text(dtype));
    }
    const Array& array = place.argument().array();
    const std::string got =
        fmt::format("{} is {} of {}, the kernel expects {} ({})",
                    argument_text(place),
                    noun(place.argument().kind()),
                    to_text(array.dtype()),
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, " or ")),
                    type.text);
    Misfit misfit{ErrorKind::dtype,
                  names.empty() ? type.text : fmt::format("{}", fmt::join(names, " or ")),
                  std::string(to_text(array.dtype()))};
    if (names.empty()) throw_for<TypeError>(place, got, std::move(misfit));
    throw_for<TypeError>(
        place,
        got + "\n" +
            advise(type.form == ParameterType::Form::pointer ? Advice::pass_raw_dtype
                                                             : Advice::pass_raw_view_dtype,
                   names.front()),
        std::move(misfit));
}

void refuse_rank(const ArgumentPlace& place) {
    const int rank = place.argument().array().rank();
    fail_at<TypeError>(place,
                       {ErrorKind::shape,
                        fmt::format("{} axes", place.parameter.type.rank),
                        fmt::format("{} axes", rank)},
                       " is raw() of an array of {} ax{}s, the kernel expects {} ({})",
                       rank,
                       rank == 1 ? "i" : "e",
                       place.parameter.type.rank,
                       place.parameter.type.text);
}

void refuse_layout(const ArgumentPlace& place) {
    const Array& array = place.argument().array();
    fail_at<ShapeError>(
        place,
        {ErrorKind::layout,
         "C-contiguous",
         fmt::format("shape {}, strides {}", to_text(array.shape()), to_text(array.strides()))},
        " is not C-contiguous: its shape is {}, its strides are {}\npass "
        "x.ascontiguous(), raw(x) to a kernel that takes a kgen::array, or x.data()",
        to_text(array.shape()),
        to_text(array.strides()));
}

void refuse_alignment(const ArgumentPlace& place, std::uintptr_t address) {
    fail_at<ShapeError>(place,
                        {ErrorKind::layout,
                         fmt::format("a multiple of {} bytes", place.parameter.type.alignment),
                         fmt::format("a multiple of {} bytes", address & (~address + 1))},
                        " is not aligned: its address{} a multiple of {} bytes, the kernel expects "
                        "{} ({})\npass a copy()",
                        place.argument().kind() == Kind::view ? " or a stride is" : " is",
                        address & (~address + 1),
                        place.parameter.type.alignment,
                        place.parameter.type.text);
}

void refuse_read_only(const ArgumentPlace& place) {
    const ParameterType& type = place.parameter.type;
    if (type.use == MemoryUse::writes) {
        fail_at<ShapeError>(
            place,
            {ErrorKind::read_only, "a writable array", "a read-only array"},
            " is read-only, the kernel may write to it ({})\npass a copy(), or declare the "
            "parameter as {} const",
            type.text,
            type.form == ParameterType::Form::view ? "a kgen::array of" : "a pointer to");
    }
    fail_at<ShapeError>(place,
                        {ErrorKind::read_only, "a writable array", "a read-only array"},
                        " is read-only, and kgen cannot tell whether the kernel writes to "
                        "it{}\npass a copy(), or x.data() if it only reads",
                        type.text.empty() ? "" : fmt::format(" ({})", type.text));
}

void refuse_device(const ArgumentPlace& place, Device device) {
    const std::string home = to_text(*device_of(place.argument()));
    for (std::size_t k = 0; k < place.index; ++k) {
        if (!device_of(place.arguments[k])) continue;
        fail_at<ShapeError>(place,
                            {ErrorKind::device, to_text(device), home},
                            " is on {} but argument {} is on {}; move one of them with to()",
                            home,
                            k + 1,
                            to_text(device));
    }
    fail_at<ShapeError>(place,
                        {ErrorKind::device, to_text(device), home},
                        " is on {}, but the call is for {}",
                        home,
                        to_text(device));
}

}  // namespace kgen
