// SPDX-License-Identifier: MIT
#include "cli/text/argument_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <complex>
#include <kgen/suggestion.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "cli/exit_status.hpp"

namespace kgen::cli {

namespace {

[[noreturn]] void fail(std::string_view argument, std::string_view problem) {
    throw UsageError(fmt::format("argument '{}': {}", argument, problem));
}

// Says what is wrong with the text and which dtypes exist.
std::string unknown_dtype(std::string_view text) {
    std::vector<std::string_view> names;
    for (int k = 0; k < dtype_count; ++k) names.push_back(to_text(static_cast<DType>(k)));
    const std::string_view nearest = nearest_name(text, names);
    return nearest.empty()
               ? fmt::format("unknown dtype '{}'; expected one of {}", text, fmt::join(names, ", "))
               : fmt::format("unknown dtype '{}'; did you mean '{}'?", text, nearest);
}

// A number that is the whole text. `value` is empty if the text is not one. A plus sign is accepted, although
// std::from_chars takes none.
template <typename T>
struct Number {
    std::optional<T> value;
    bool out_of_range = false;
};
template <typename T>
Number<T> read_number(std::string_view text) {
    if (text.substr(0, 1) == "+" && text.substr(0, 2) != "+-") text.remove_prefix(1);
    T value{};
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ptr != end || result.ec == std::errc::invalid_argument) return {};
    if (result.ec == std::errc::result_out_of_range) return {std::nullopt, true};
    return {value, false};
}

std::optional<Scalar> read_integer(std::string_view argument, std::string_view text) {
    const auto number = read_number<std::int64_t>(text);
    if (number.value) return Scalar(*number.value);
    if (!number.out_of_range) return std::nullopt;
    if (const auto larger = read_number<std::uint64_t>(text); larger.value) {
        return Scalar(*larger.value);
    }
    fail(argument,
         fmt::format("{} fits neither int64 nor uint64; write {}.0 for a float64", text, text));
}

std::optional<double> read_real(std::string_view argument, std::string_view text) {
    const auto number = read_number<double>(text);
    if (number.out_of_range) fail(argument, fmt::format("{} is out of the range of float64", text));
    return number.value;
}

// Reads "1+2j", "-2.5j", "(1e3-2j)".
std::optional<Scalar> read_complex(std::string_view argument, std::string_view text) {
    if (text.size() > 2 && text.front() == '(' && text.back() == ')') {
        text = text.substr(1, text.size() - 2);
    }
    if (!text.ends_with("j")) return std::nullopt;
    text.remove_suffix(1);
    std::size_t split = text.size();
    while (split > 0) {
        --split;
        const bool sign = text[split] == '+' || text[split] == '-';
        if (sign && (split == 0 || (text[split - 1] != 'e' && text[split - 1] != 'E'))) break;
    }
    const auto imaginary = read_real(argument, text.substr(split));
    const auto real = split == 0 ? 0.0 : read_real(argument, text.substr(0, split));
    if (!imaginary || !real) return std::nullopt;
    return Scalar(std::complex<double>(*real, *imaginary));
}

std::optional<Scalar> read_scalar(std::string_view argument, std::string_view text) {
    if (text == "true") return Scalar(true);
    if (text == "false") return Scalar(false);
    if (auto integer = read_integer(argument, text)) return integer;
    if (const auto real = read_real(argument, text)) return Scalar(*real);
    return read_complex(argument, text);
}

// Reads "2,5". An empty text means rank 0.
Dims read_dims(std::string_view argument, std::string_view what, std::string_view text) {
    Dims dims;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        const auto number = read_number<std::int64_t>(item);
        if (!number.value) {
            fail(argument,
                 fmt::format("{} '{}' is {}",
                             what,
                             item,
                             number.out_of_range ? "out of the range of int64" : "not an integer"));
        }
        dims.push_back(*number.value);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
        if (text.empty()) fail(argument, fmt::format("{} '' is not an integer", what));
    }
    return dims;
}

DType read_dtype(std::string_view argument, std::string_view text) {
    if (const auto dtype = parse_dtype(text)) return *dtype;
    fail(argument, unknown_dtype(text));
}

// Reads "float32[2,5]", "float32[2,5]/strides=4,8".
std::optional<ArraySpec> read_spec(std::string_view argument, std::string_view text) {
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) fail(argument, "']' is missing after the shape");
    ArraySpec spec;
    spec.dtype = read_dtype(argument, text.substr(0, open));
    spec.shape = read_dims(argument, "extent", text.substr(open + 1, close - open - 1));
    const std::string_view rest = text.substr(close + 1);
    constexpr std::string_view strides = "/strides=";
    if (rest.empty()) return spec;
    if (rest.substr(0, strides.size()) != strides) {
        fail(argument,
             fmt::format(
                 "unexpected '{}' after the shape; strides are written {}4,8", rest, strides));
    }
    spec.strides = read_dims(argument, "stride", rest.substr(strides.size()));
    return spec;
}

ArgumentText read_argument(std::string_view text,
                           const std::string& name,
                           const std::string& value) {
    ArgumentText argument{.text = std::string(text), .name = name, .value = FilePath{value}};
    if (value.ends_with(".npy")) return argument;
    const FilePath file = parse_file_path(value);
    if (is_npz(file.path)) {
        argument.value = file;
    } else if (value.starts_with('[')) {
        argument.value = parse_list(text, value);
    } else if (const auto spec = read_spec(text, value)) {
        argument.value = *spec;
    } else if (const auto scalar = read_scalar(text, value)) {
        argument.value = *scalar;
    } else {
        fail(text,
             fmt::format("'{}' is not a number, true, false, an .npy or .npz file, a list such as "
                         "[1,2,3] or an array such as float32[2,5]",
                         value));
    }
    return argument;
}

}  // namespace

FilePath parse_file_path(std::string_view text) {
    const std::size_t colon = text.rfind(".npz:");
    if (colon == std::string_view::npos) return {.path = std::string(text)};
    return {.path = std::string(text.substr(0, colon + 4)),
            .array = std::string(text.substr(colon + 5))};
}

Scalar parse_scalar(std::string_view argument, std::string_view text) {
    if (const auto scalar = read_scalar(argument, text)) return *scalar;
    fail(argument, fmt::format("'{}' is not a number, true or false", text));
}

DType parse_dtype_name(std::string_view option, std::string_view text) {
    if (const auto dtype = parse_dtype(text)) return *dtype;
    throw UsageError(fmt::format("{}: {}", option, unknown_dtype(text)));
}

std::pair<std::string, std::string> parse_assignment(std::string_view option,
                                                     std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
        throw UsageError(fmt::format("{} '{}' is not of the form NAME=VALUE", option, text));
    }
    return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

ArgumentText parse_argument(std::string_view text) {
    const auto [name, value] = parse_assignment("argument", text);
    return read_argument(text, name, value);
}

ArgumentText parse_argument_or_value(std::string_view text) {
    const std::string_view name = text.substr(0, text.find('='));
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const bool is_name = !name.empty() && is_letter(name.front()) &&
                         std::all_of(name.begin(), name.end(), [&](char c) {
                             return is_letter(c) || (c >= '0' && c <= '9');
                         });
    if (is_name && name.size() < text.size()) return parse_argument(text);
    return read_argument(text, "", std::string(text));
}

}  // namespace kgen::cli
