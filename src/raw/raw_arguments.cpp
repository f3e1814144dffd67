// SPDX-License-Identifier: MIT
#include "raw/raw_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <kgen/argument.hpp>
#include <kgen/error.hpp>
#include <kgen/texture.hpp>
#include <optional>
#include <vector>

#include "memory/memory_check.hpp"
#include "memory/storage.hpp"
#include "memory/texture_memory.hpp"
#include "raw/raw_argument_errors.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

RawArgument::RawArgument(const Argument& argument) try : kind_(Kind::number) {
    if (argument.spec() != nullptr) {
        refuse<TypeError>({ErrorKind::argument_type, {}, "an Array", "an ArraySpec"},
                          "an argument is an ArraySpec, which has no memory; pass an Array");
    }
    if (argument.array() != nullptr) {
        kind_ = Kind::array;
        object_ = argument.array();
        return;
    }
    scalar_ = *argument.scalar();
    is_bool_ = scalar_.dtype() == DType::bool_;
    if (argument.image() == nullptr) return;
    kind_ = Kind::image;
    object_ = argument.image().get();
} catch (...) {
    rethrow_as_error();
}

namespace {

using Kind = RawArgument::Kind;

template <typename T>
void put(std::byte* to, T value) noexcept {
    std::memcpy(to, &value, sizeof value);
}

// An integer parameter may take an address (uintptr_t). For a struct of 8 bytes it is most likely a mistake.
bool takes_address(const TypedParameter& parameter) noexcept {
    return parameter.kind != ParameterKind::floating && parameter.kind != ParameterKind::aggregate;
}

std::uintptr_t address_bits(const Array& array) noexcept {
    return reinterpret_cast<std::uintptr_t>(array.data());
}

[[gnu::cold]] void refuse_memory_use(const ArgumentPlace& place, std::uintptr_t bits) {
    const ParameterType& type = place.parameter.type;
    const Array& array = place.argument().array();
    if (!type.elements.has(array.dtype())) refuse_dtype(place);
    if (array.is_read_only() && type.use != MemoryUse::reads) refuse_read_only(place);
    if (array.size() != 0) refuse_alignment(place, bits);
}

// Checks dtype, mutability and alignment of an array. `bits` is the bitwise or of its addresses.
[[gnu::always_inline]] inline void check_memory_use(const ArgumentPlace& place,
                                                    std::uintptr_t bits) {
    const TypedParameter& parameter = place.parameter;
    const Array& array = place.argument().array();
    const DTypeSet dtypes = array.is_read_only() ? parameter.read_only_dtypes : parameter.dtypes;
    if (!dtypes.has(array.dtype()) || (bits & parameter.misaligned_bits) != 0) [[unlikely]]
        refuse_memory_use(place, bits);
}

// Returns the bitwise or of the address and the strides of an array, which shows their common alignment.
std::uintptr_t stride_bits(const Array& array) noexcept {
    std::uintptr_t bits = address_bits(array);
    for (int axis = 0; axis < array.rank(); ++axis) {
        if (array.shape()[axis] > 1) bits |= static_cast<std::uintptr_t>(array.strides()[axis]);
    }
    return bits;
}

void pack_address(const ArgumentPlace& place, const void* address, std::byte* to) {
    if (!takes_address(place.parameter)) refuse_kind(place);
    if (place.parameter.bytes != sizeof address) refuse_size(place, sizeof address);
    put(to, address);
}

// Packs a kgen::array<T, rank> of <kgen/array.cuh>: the address, the shape, the strides in bytes.
void pack_view(const ArgumentPlace& place, std::byte* to) {
    const Array& array = place.argument().array();
    const TypedParameter& parameter = place.parameter;
    if (parameter.kind == ParameterKind::pointer || parameter.kind == ParameterKind::integer ||
        parameter.kind == ParameterKind::floating) {
        refuse_kind(place);
    }
    const std::size_t dims = array.shape().size() * sizeof(std::int64_t);
    const bool is_view = parameter.type.form == ParameterType::Form::view;
    if (is_view && array.rank() != parameter.type.rank) refuse_rank(place);
    if (!is_view && parameter.bytes != sizeof(void*) + 2 * dims)
        refuse_size(place, sizeof(void*) + 2 * dims);
    check_memory_use(place, stride_bits(array));
    put(to, array.data());
    std::memcpy(to + sizeof(void*), array.shape().data(), dims);
    std::memcpy(to + sizeof(void*) + dims, array.strides().data(), dims);
}

// Packs a number in its own dtype, because the parameter's dtype is not known.
void pack_own_bytes(const ArgumentPlace& place, std::byte* to) {
    const Scalar& number = place.argument().number();
    const std::size_t bytes = item_size(number.dtype());
    if (place.parameter.bytes != bytes) refuse_size(place, bytes);
    convert_scalar(number, number.dtype(), to);
}

DType integer_of_size(std::size_t bytes, bool is_signed) noexcept {
    switch (bytes) {
        case 1:
            return is_signed ? int8 : uint8;
        case 2:
            return is_signed ? int16 : uint16;
        case 4:
            return is_signed ? int32 : uint32;
        default:
            return is_signed ? int64 : uint64;
    }
}

// Writes the low bytes. All devices are little-endian.
void put_integer(std::byte* to, std::uint64_t bits, std::size_t bytes) noexcept {
    switch (bytes) {
        case 1:
            return put(to, static_cast<std::uint8_t>(bits));
        case 2:
            return put(to, static_cast<std::uint16_t>(bits));
        case 4:
            return put(to, static_cast<std::uint32_t>(bits));
        default:
            return put(to, bits);
    }
}

constexpr bool is_signed(DType dtype) noexcept {
    return dtype >= DType::int8 && dtype <= DType::int64;
}

// Whether the integer fits an integer of `bits` bits. If the signedness of the parameter is not known, either
// range is accepted.
bool fits(std::int64_t value, int bits, bool may_be_signed, bool may_be_unsigned) noexcept {
    const std::int64_t above = value >> (bits - 1);
    if (may_be_signed && (above == 0 || above == -1)) return true;
    return may_be_unsigned && value >= 0 && (bits == 64 || value >> bits == 0);
}
bool fits(std::uint64_t value, int bits, bool may_be_unsigned) noexcept {
    const int width = may_be_unsigned ? bits : bits - 1;
    return width == 64 || value >> width == 0;
}

void pack_integer(const ArgumentPlace& place, std::byte* to) {
    const Scalar& number = place.argument().number();
    const std::size_t bytes = place.parameter.bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return pack_own_bytes(place, to);  // __int128
    const std::optional<DType>& type = place.parameter.type.number;
    const DTypeKind kind = kind_of(number.dtype());
    if (!type || *type != DType::bool_) {
        const auto bits = static_cast<int>(8 * bytes);
        const bool may_be_signed = !type || is_signed(*type);
        const bool may_be_unsigned = !type || !is_signed(*type);
        if (kind == DTypeKind::signed_integer) {
            const std::int64_t value = number.signed_value();
            if (fits(value, bits, may_be_signed, may_be_unsigned))
                return put_integer(to, static_cast<std::uint64_t>(value), bytes);
        } else if (kind == DTypeKind::unsigned_integer || kind == DTypeKind::boolean) {
            const std::uint64_t value = number.unsigned_value();
            if (fits(value, bits, may_be_unsigned)) return put_integer(to, value, bytes);
        }
    }
    const DType wanted = type ? *type : integer_of_size(bytes, true);
    if (convert_scalar(number, wanted, to).empty()) return;
    if (type) refuse_number(place, wanted);
    const DType other = integer_of_size(bytes, false);
    if (!convert_scalar(number, other, to).empty()) refuse_number(place, wanted, other);
}

template <typename T>
void pack_real(const ArgumentPlace& place, std::byte* to) {
    const Scalar& number = place.argument().number();
    switch (kind_of(number.dtype())) {
        case DTypeKind::signed_integer:
            return put(to, static_cast<T>(number.signed_value()));
        case DTypeKind::unsigned_integer:
        case DTypeKind::boolean:
            return put(to, static_cast<T>(number.unsigned_value()));
        case DTypeKind::real: {
            const auto value = static_cast<T>(number.real_value());
            if (std::isfinite(value) || !std::isfinite(number.real_value())) return put(to, value);
            break;
        }
        case DTypeKind::complex:
            break;
    }
    refuse_number(place, dtype_of<T>());
}

void pack_floating(const ArgumentPlace& place, std::byte* to) {
    if (place.parameter.bytes == sizeof(float)) return pack_real<float>(place, to);
    if (place.parameter.bytes == sizeof(double)) return pack_real<double>(place, to);
    pack_own_bytes(place, to);
}

void pack_number(const ArgumentPlace& place, std::byte* to) {
    switch (place.parameter.kind) {
        case ParameterKind::integer:
            return pack_integer(place, to);
        case ParameterKind::floating:
            return pack_floating(place, to);
        case ParameterKind::pointer:
            // CUdeviceptr and uintptr_t hold addresses; other numbers are mistakes.
            if (place.argument().number().dtype() != uint64) refuse_kind(place);
            return put(to, place.argument().number().unsigned_value());
        case ParameterKind::unknown:
        case ParameterKind::aggregate:
            if (!place.parameter.type.number) return pack_own_bytes(place, to);
            // __half, complex<float>
            if (!convert_scalar(place.argument().number(), *place.parameter.type.number, to)
                     .empty())
                refuse_number(place, *place.parameter.type.number);
    }
}

void pack_bytes(const ArgumentPlace& place, std::byte* to) {
    const RawArgument& argument = place.argument();
    if (argument.byte_count() != place.parameter.bytes) refuse_size(place, argument.byte_count());
    const std::size_t alignment = argument.alignment();
    if (alignment != 0 && place.parameter.alignment != 0 && alignment != place.parameter.alignment)
        refuse_type_alignment(place);
    std::memcpy(to, argument.bytes(), argument.byte_count());
}

// cudaTextureObject_t and cudaSurfaceObject_t are integers of 64 bits.
void pack_handle(const ArgumentPlace& place, const Backend& device, std::byte* to) {
    const RawArgument& argument = place.argument();
    if (*device_of(argument) != device.device()) refuse_device(place, device.device());
    const ParameterKind kind = place.parameter.kind;
    if (kind != ParameterKind::integer && kind != ParameterKind::unknown) refuse_kind(place);
    const std::uint64_t handle = argument.kind() == Kind::texture ? argument.texture().handle()
                                 : argument.kind() == Kind::surface
                                     ? argument.surface().handle()
                                     : argument.number().unsigned_value();
    if (place.parameter.bytes != sizeof handle) refuse_size(place, sizeof handle);
    put(to, handle);
}

// Sizes of the dtypes, as item_size() returns them, without a function call.
constexpr std::array<std::int64_t, dtype_count> element_bytes = [] {
    std::array<std::int64_t, dtype_count> bytes = {};
    for (std::size_t k = 0; k < bytes.size(); ++k)
        bytes[k] = visit_dtype(static_cast<DType>(k),
                               []<typename T>() { return static_cast<std::int64_t>(sizeof(T)); });
    return bytes;
}();

// Tests the most common case of is_contiguous() inline.
bool is_dense_line(const Array& array) noexcept {
    return array.rank() == 1 &&
           array.strides()[0] == element_bytes[static_cast<std::size_t>(array.dtype())];
}

std::string text_of(const ArgumentPlace& place) {
    return fmt::format("kernel '{}': argument {}", place.kernel, place.index + 1);
}

void check_array(const ArgumentPlace& place, const Backend& device) {
    const Array& array = place.argument().array();
    if (!array.has_value()) refuse_empty_array(place);
    if (&array.storage()->backend() != &device) refuse_device(place, device.device());
    if (checks_pointers()) [[unlikely]]
        check_foreign(text_of(place), array);
}

}  // namespace

std::size_t block_bytes(std::span<const TypedParameter> parameters) noexcept {
    std::size_t bytes = 0;
    for (const TypedParameter& parameter : parameters)
        bytes = std::max(bytes, parameter.offset + parameter.bytes);
    return bytes;
}

std::optional<Device> device_of(const RawArgument& argument) {
    switch (argument.kind()) {
        case Kind::array:
        case Kind::view:
            if (!argument.array().has_value()) return std::nullopt;
            return argument.array().device();
        case Kind::texture:
            return argument.texture().device();
        case Kind::surface:
            return argument.surface().device();
        case Kind::image:
            return argument.image().device();
        default:
            return std::nullopt;
    }
}

void mark_used(std::span<const RawArgument> arguments, const Stream& stream) {
    for (const RawArgument& argument : arguments) {
        switch (argument.kind()) {
            case Kind::array:
            case Kind::view:
                argument.array().storage()->used_on(stream);
                break;
            case Kind::texture:
                argument.texture().memory()->used_on(stream);
                break;
            case Kind::surface:
                argument.surface().memory()->used_on(stream);
                break;
            case Kind::image:
                argument.image().used_on(stream);
                break;
            default:
                break;
        }
    }
}

void pack_arguments(const std::string& kernel,
                    const RawParameters& parameters,
                    std::span<const RawArgument> arguments,
                    const Backend& device,
                    std::byte* block) {
    if (arguments.size() != parameters.list.size())
        refuse_count(kernel, arguments.size(), parameters.list.size());
    std::memset(block, 0, parameters.bytes);  // clears the gaps between parameters
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const ArgumentPlace place{kernel, arguments, k, parameters.list[k]};
        const RawArgument& argument = arguments[k];
        std::byte* to = block + place.parameter.offset;
        switch (argument.kind()) {
            case Kind::array:
                check_array(place, device);
                if (!is_dense_line(argument.array()) && !argument.array().is_contiguous())
                    refuse_layout(place);
                pack_address(place, argument.array().data(), to);
                check_memory_use(place, address_bits(argument.array()));
                break;
            case Kind::view:
                check_array(place, device);
                pack_view(place, to);
                break;
            case Kind::number:
                pack_number(place, to);
                break;
            case Kind::bytes:
                pack_bytes(place, to);
                break;
            case Kind::pointer:
                if (checks_pointers() && argument.pointer() != nullptr) [[unlikely]]
                    check_memory(text_of(place), argument.pointer(), 1, device.device());
                pack_address(place, argument.pointer(), to);
                break;
            case Kind::texture:
            case Kind::surface:
            case Kind::image:
                pack_handle(place, device, to);
                break;
        }
    }
}

}  // namespace kgen
