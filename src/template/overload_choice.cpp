// SPDX-License-Identifier: MIT
#include "template/overload_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "text/list.hpp"

namespace kgen {

namespace {

// The dtypes that placeholders are bound to so far. Placeholders are ASCII letters.
struct Bindings {
    std::array<std::optional<DType>, 128> dtypes;
    std::optional<DType>& of(char placeholder) noexcept {
        return dtypes[static_cast<unsigned char>(placeholder) % dtypes.size()];
    }
};

bool bind_arrays(const Signature& signature,
                 std::span<const ArgumentType> arguments,
                 Bindings& bindings) noexcept {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (arguments[k].kind != ArgumentType::Kind::array) continue;
        const Parameter& parameter = signature.parameters[k];
        std::optional<DType> fixed = parameter.dtype;
        std::optional<DType>& bound = fixed ? fixed : bindings.of(parameter.placeholder);
        if (!bound) bound = arguments[k].dtype;
        if (*bound != arguments[k].dtype) return false;
    }
    return true;
}

// Runs after bind_arrays, because numbers bind only the placeholders that no array binds.
bool bind_numbers(const Signature& signature,
                  std::span<const ArgumentType> arguments,
                  Bindings& bindings) noexcept {
    Bindings of_numbers;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (arguments[k].kind != ArgumentType::Kind::scalar) continue;
        const Parameter& parameter = signature.parameters[k];
        if (parameter.output || parameter.written) return false;
        if (parameter.dtype || bindings.of(parameter.placeholder)) continue;
        std::optional<DType>& bound = of_numbers.of(parameter.placeholder);
        if (!bound) bound = arguments[k].dtype;
        if (*bound != arguments[k].dtype) return false;
    }
    for (const Parameter& parameter : signature.parameters) {
        if (parameter.dtype) continue;
        std::optional<DType>& bound = bindings.of(parameter.placeholder);
        if (!bound) bound = of_numbers.of(parameter.placeholder);
        if (!bound) return false;
    }
    return true;
}

}  // namespace

bool fits(const Signature& signature,
          std::span<const PlaceholderTypes> where,
          std::span<const ArgumentType> arguments) noexcept {
    Bindings bindings;
    if (!bind_arrays(signature, arguments, bindings)) return false;
    if (!bind_numbers(signature, arguments, bindings)) return false;
    return std::all_of(where.begin(), where.end(), [&](const PlaceholderTypes& allowed) {
        const std::optional<DType> bound = bindings.of(allowed.placeholder);
        return is_one_of(bound, allowed.dtypes);
    });
}

std::string describe_form(const Signature& signature, std::span<const PlaceholderTypes> where) {
    std::string text = to_text(signature);
    for (const PlaceholderTypes& allowed : where) {
        std::vector<std::string_view> names;
        for (const DType dtype : allowed.dtypes) names.push_back(to_text(dtype));
        text += fmt::format("{} {} = {}",
                            &allowed == &where.front() ? " with" : ",",
                            allowed.placeholder,
                            fmt::join(names, " | "));
    }
    return text;
}

std::string describe_given(std::span<const ArgumentType> arguments) {
    std::string text;
    for (const ArgumentType& argument : arguments) {
        if (argument.kind == ArgumentType::Kind::absent) continue;
        const bool is_number = argument.kind == ArgumentType::Kind::scalar;
        text += fmt::format("{}{}{}",
                            text.empty() ? "" : ", ",
                            is_number ? "number " : "",
                            to_text(argument.dtype));
    }
    return text;
}

}  // namespace kgen
