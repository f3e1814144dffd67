// SPDX-License-Identifier: MIT
#include "program/base_type.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "dtype/dtype_table.hpp"

namespace kgen {

BaseType number_type(std::string_view text, DType dtype) {
    const std::size_t bytes = item_size(dtype);
    return {std::string(text), {dtype}, bytes, bytes, dtype};
}

std::optional<BaseType> vector_type(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, DType>, 12> parts = {{
        {"char", DType::int8},
        {"uchar", DType::uint8},
        {"short", DType::int16},
        {"ushort", DType::uint16},
        {"int", DType::int32},
        {"uint", DType::uint32},
        {"long", DType::int64},
        {"ulong", DType::uint64},
        {"longlong", DType::int64},
        {"ulonglong", DType::uint64},
        {"float", DType::float32},
        {"double", DType::float64},
    }};
    std::size_t most = 16;
    std::string_view plain = name;
    for (const auto& [ending, bytes] : {std::pair("_16a", 16), std::pair("_32a", 32)}) {
        if (!plain.ends_with(ending)) continue;
        plain.remove_suffix(4);
        most = static_cast<std::size_t>(bytes);
    }
    if (plain.empty() || plain.back() < '1' || plain.back() > '4') return std::nullopt;
    const auto count = static_cast<std::size_t>(plain.back() - '0');
    plain.remove_suffix(1);
    const auto part = std::find_if(
        parts.begin(), parts.end(), [&](const auto& each) { return each.first == plain; });
    if (part == parts.end()) return std::nullopt;
    const std::size_t bytes = item_size(part->second);
    BaseType type{std::string(name), {part->second}, count * bytes, bytes, std::nullopt};
    if (count % 2 == 0) {
        type.alignment = std::min(count * bytes, most);
        // cuComplex is float2, and cuDoubleComplex is double2.
        if (part->second == DType::float32) type.elements.add(DType::complex64);
        if (part->second == DType::float64) type.elements.add(DType::complex128);
    }
    return type;
}

std::optional<BaseType> header_type(std::string_view name) {
    for (const DType dtype : all_dtypes) {
        const std::string_view cuda_struct = row_of(dtype).real.cuda_struct;
        if (cuda_struct.empty()) continue;
        if (name.starts_with("kgen_") && name.substr(5) == to_text(dtype))
            return number_type(to_text(dtype), dtype);
        if (!name.starts_with(cuda_struct)) continue;
        const std::string_view ending = name.substr(cuda_struct.size());
        BaseType type = number_type(name, dtype);
        if (ending.empty() || ending == "_raw") return type;
        if (ending != "2" && ending != "2_raw") continue;
        type.bytes *= 2;
        type.alignment *= 2;
        type.number.reset();
        return type;
    }
    return std::nullopt;
}

std::optional<BaseType> source_type(std::string_view name) {
    const std::size_t last = name.rfind("::");
    const std::string_view word = last == std::string_view::npos ? name : name.substr(last + 2);
    const bool is_plain = last == std::string_view::npos;
    if (!is_plain && !name.starts_with("std::") && !name.starts_with("::") &&
        !name.starts_with("cuda::std::")) {
        return std::nullopt;
    }
    if (word.ends_with("_t")) {
        if (const auto dtype = parse_dtype(word)) return number_type(word, *dtype);
        return std::nullopt;
    }
    if (!is_plain) return std::nullopt;
    for (const DType dtype : all_dtypes) {
        if (word == to_text(dtype)) return number_type(word, dtype);
    }
    const auto as = [&](std::optional<BaseType> type) {
        type->text = word;
        return type;
    };
    if (word == "cuComplex" || word == "cuFloatComplex") return as(vector_type("float2"));
    if (word == "cuDoubleComplex") return as(vector_type("double2"));
    if (word.ends_with("_raw")) return std::nullopt;
    std::optional<BaseType> type = header_type("__" + std::string(word));  // half, nv_bfloat162
    return type ? as(type) : std::nullopt;
}

BaseType built_in_type(const std::vector<std::string_view>& words) {
    const auto count = [&](std::string_view word) {
        return std::count(words.begin(), words.end(), word);
    };
    const bool is_unsigned = count("unsigned") != 0;
    if (count("void") != 0) return BaseType{.text = "void"};
    if (count("__int128") != 0)
        return BaseType{is_unsigned ? "unsigned __int128" : "__int128", {}, 16, 16, std::nullopt};
    if (count("bool") != 0) return number_type("bool", DType::bool_);
    if (count("float") != 0) return number_type("float", DType::float32);
    if (count("double") != 0) {
        // No dtype corresponds to long double, and GPUs do not support it.
        return count("long") == 0 ? number_type("double", DType::float64)
                                  : BaseType{.text = "long double"};
    }
    if (count("wchar_t") != 0) return number_type("wchar_t", DType::int32);
    if (count("char8_t") != 0) return number_type("char8_t", DType::uint8);
    if (count("char16_t") != 0) return number_type("char16_t", DType::uint16);
    if (count("char32_t") != 0) return number_type("char32_t", DType::uint32);
    if (count("char") != 0) {
        if (is_unsigned) return number_type("unsigned char", DType::uint8);
        if (count("signed") != 0) return number_type("signed char", DType::int8);
        BaseType plain = number_type("char", DType::int8);
        plain.elements = DTypeSet::all();  // char* points to the bytes of any dtype
        return plain;
    }
    const std::string prefix = is_unsigned ? "unsigned " : "";
    if (count("short") != 0)
        return number_type(prefix + "short", is_unsigned ? DType::uint16 : DType::int16);
    if (count("long") != 0) {
        return number_type(prefix + (count("long") > 1 ? "long long" : "long"),
                           is_unsigned ? DType::uint64 : DType::int64);
    }
    return number_type(prefix + "int", is_unsigned ? DType::uint32 : DType::int32);
}

}  // namespace kgen
