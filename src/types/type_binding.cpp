// SPDX-License-Identifier: MIT
#include "types/type_binding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <kgen/error.hpp>

#include "text/advice.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The dtype of a placeholder, and the argument that gave it.
struct Origin {
    char placeholder;
    DType dtype;
    std::size_t position;
    ArgumentType::Kind kind;
};

class Resolver {
public:
    Resolver(const Signature& signature, std::span<const ArgumentType> arguments)
        : signature_(signature), arguments_(arguments) {}

    TypeBinding run() {
        check_kinds();
        const auto inputs = static_cast<std::size_t>(signature_.input_count);
        const std::size_t count = signature_.parameters.size();
        bind_all(inputs, count, ArgumentType::Kind::array);
        bind_all(0, inputs, ArgumentType::Kind::array);
        bind_all(0, inputs, ArgumentType::Kind::scalar);
        TypeBinding binding;
        for (std::size_t k = 0; k < count; ++k) {
            const Parameter& parameter = signature_.parameters[k];
            if (parameter.dtype) {
                binding.dtypes.push_back(*parameter.dtype);
                continue;
            }
            const Origin* origin = find(parameter.placeholder);
            if (origin == nullptr) fail_unresolved(k);
            binding.dtypes.push_back(origin->dtype);
            const TypeBinding::Placeholder entry{parameter.placeholder, origin->dtype};
            if (std::find(binding.placeholders.begin(), binding.placeholders.end(), entry) ==
                binding.placeholders.end()) {
                binding.placeholders.push_back(entry);
            }
        }
        return binding;
    }

private:
    const Origin* find(char placeholder) const {
        for (const Origin& origin : bound_) {
            if (origin.placeholder == placeholder) return &origin;
        }
        return nullptr;
    }

    void check_kinds() const {
        for (std::size_t k = 0; k < arguments_.size(); ++k) {
            if (arguments_[k].kind != ArgumentType::Kind::scalar) continue;
            const Parameter& parameter = signature_.parameters[k];
            const std::string_view why = parameter.output    ? "is an output"
                                         : parameter.written ? "is _non_const"
                                                             : "";
            if (why.empty()) continue;
            refuse<TypeError>({ErrorKind::argument_type, parameter.name, "an array", "a number"},
                              "kernel '{}': {} {} and needs an array, but a number was given",
                              signature_.name,
                              describe_argument(signature_, k),
                              why);
        }
    }

    void bind_all(std::size_t begin, std::size_t end, ArgumentType::Kind kind) {
        for (std::size_t k = begin; k < end; ++k) {
            if (arguments_[k].kind == kind) bind(k, kind);
        }
    }

    void bind(std::size_t position, ArgumentType::Kind kind) {
        const ArgumentType& argument = arguments_[position];
        const Parameter& parameter = signature_.parameters[position];
        if (parameter.dtype) {
            if (kind == ArgumentType::Kind::array && argument.dtype != *parameter.dtype) {
                refuse<TypeError>(
                    {ErrorKind::dtype,
                     parameter.name,
                     std::string(to_text(*parameter.dtype)),
                     std::string(to_text(argument.dtype))},
                    "kernel '{}': {} is {}, but the parameter is {}; {}",
                    signature_.name,
                    describe_argument(signature_, position),
                    to_text(argument.dtype),
                    to_text(*parameter.dtype),
                    parameter.output
                        ? fmt::format("pass an array of {}", to_text(*parameter.dtype))
                        : advise(Advice::convert_to, to_text(*parameter.dtype), parameter.name));
            }
            return;
        }
        const Origin* earlier = find(parameter.placeholder);
        if (earlier == nullptr) {
            bound_.push_back({parameter.placeholder, argument.dtype, position, kind});
            return;
        }
        // A number is converted to the dtype that an array gave.
        if (earlier->dtype == argument.dtype || earlier->kind != kind) return;
        refuse<TypeError>({ErrorKind::dtype,
                           parameter.name,
                           std::string(to_text(earlier->dtype)),
                           std::string(to_text(argument.dtype))},
                          "kernel '{}': {} is {} from {} but {} from {}; {}",
                          signature_.name,
                          parameter.placeholder,
                          to_text(earlier->dtype),
                          describe_argument(signature_, earlier->position),
                          to_text(argument.dtype),
                          describe_argument(signature_, position),
                          kind == ArgumentType::Kind::scalar ? "write both numbers with one type"
                                                             : advise(Advice::convert_one));
    }

    [[noreturn]] void fail_unresolved(std::size_t position) const {
        const Parameter& parameter = signature_.parameters[position];
        refuse<TypeError>(
            {ErrorKind::dtype, parameter.name, "an array", "no array"},
            "kernel '{0}': cannot determine {1}: it appears only in outputs; pass {2} "
            "or write a dtype in place of {1}",
            signature_.name,
            parameter.placeholder,
            describe_argument(signature_, position));
    }

    const Signature& signature_;
    std::span<const ArgumentType> arguments_;
    InlineVector<Origin, 4> bound_;
};

}  // namespace

TypeBinding resolve_types(const Signature& signature, std::span<const ArgumentType> arguments) {
    return Resolver(signature, arguments).run();
}

std::string to_text(const TypeBinding& binding) try {
    if (binding.placeholders.empty()) return "no placeholders";
    std::string text;
    for (const auto& [letter, dtype] : binding.placeholders) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", letter, to_text(dtype));
    }
    return text;
} catch (...) {
    rethrow_as_error();
}

std::string describe_dtypes(const Signature& signature, const TypeBinding& binding) {
    std::vector<std::string_view> names;
    for (const DType dtype : binding.dtypes) names.push_back(to_text(dtype));
    const auto outputs = names.begin() + signature.input_count;
    return fmt::format("{}{}-> {}",
                       fmt::join(names.begin(), outputs, ", "),
                       outputs == names.begin() ? "" : " ",
                       fmt::join(outputs, names.end(), ", "));
}

}  // namespace kgen
