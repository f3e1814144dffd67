// SPDX-License-Identifier: MIT
#include "cli/kernel_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <kgen/npz.hpp>
#include <map>
#include <optional>

#include "cli/exit_status.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

template <typename... Parts>
[[noreturn]] void fail(const Parameters& parameters,
                       fmt::format_string<Parts...> text,
                       Parts&&... parts) {
    throw UsageError(fmt::format("kernel '{}': ", parameters.kernel) +
                     fmt::format(text, std::forward<Parts>(parts)...));
}

std::string role(const Parameters& parameters, std::size_t position) {
    const std::size_t inputs = parameters.input_count;
    const std::string& name = parameters.names[position];
    return position < inputs ? fmt::format("input {} ('{}')", position + 1, name)
                             : fmt::format("output {} ('{}')", position - inputs + 1, name);
}

std::map<std::string, DType> read_dtypes(const Parameters& parameters,
                                         const std::vector<ArgumentText>& arguments,
                                         const std::vector<std::string>& texts) {
    std::map<std::string, DType> dtypes;
    for (const std::string& text : texts) {
        const auto [name, written] = parse_assignment("--dtype", text);
        const auto dtype = parse_dtype(written);
        if (!dtype)
            throw UsageError(fmt::format("--dtype '{}': unknown dtype '{}'", text, written));
        const std::size_t position = find_parameter(parameters, name);
        if (position >= arguments.size() ||
            std::holds_alternative<ArraySpec>(arguments[position].value)) {
            throw UsageError(
                fmt::format("--dtype '{}': '{}' is neither a file nor a number", text, name));
        }
        if (!dtypes.emplace(name, *dtype).second)
            throw UsageError(fmt::format("--dtype '{}': '{}' already has a dtype", text, name));
    }
    return dtypes;
}

Array read_file(const ArgumentText& argument, const FilePath& file, const NpyOptions& options) {
    if (!is_npz(file.path)) return load_npy(file.path, options);
    return load_npz(file.path, file.array.empty() ? argument.name : file.array, options);
}

// Reads the file and converts its elements to the dtype if one is given.
Array load_file(const ArgumentText& argument,
                const FilePath& file,
                Device device,
                std::optional<DType> dtype) {
    NpyOptions options{.device = device};
    if (dtype == bfloat16) {
        // Files do not name bfloat16, so they are read as bfloat16 only if the options say so. If this one has
        // another dtype, or cannot be read at all, it is read again below.
        options.dtype = dtype;
        try {
            return read_file(argument, file, options);
        } catch (const IoError&) {
            options.dtype.reset();
        }
    }
    const Array array = read_file(argument, file, options);
    return dtype && *dtype != array.dtype() ? array.astype(*dtype) : array;
}

Scalar convert_number(const Scalar& number, const std::string& name, DType dtype) {
    return visit_dtype(dtype, [&]<typename T>() {
        T value{};
        const std::string problem = convert_scalar(number, dtype, &value);
        if (!problem.empty())
            throw UsageError(fmt::format("--dtype '{}={}': {}", name, to_text(dtype), problem));
        return Scalar(value);
    });
}

}  // namespace

std::size_t find_parameter(const Parameters& parameters, const std::string& name) {
    const std::vector<std::string>& names = parameters.names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    fail(parameters,
         "no parameter is called '{}': expected {}{}",
         name,
         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
         did_you_mean(name, names));
}

std::vector<ArgumentText> order_arguments(const Parameters& parameters,
                                          const std::vector<std::string>& texts,
                                          Use use) {
    const std::size_t count = parameters.names.size();
    const std::size_t inputs = parameters.input_count;
    std::vector<std::optional<ArgumentText>> slots(count);
    std::optional<std::size_t> given_output;
    for (const std::string& text : texts) {
        ArgumentText argument = parse_argument(text);
        const std::size_t position = find_parameter(parameters, argument.name);
        std::optional<ArgumentText>& slot = slots[position];
        if (slot)
            fail(parameters, "'{}' is given twice: {} and {}", argument.name, slot->text, text);
        if (use == Use::run && std::holds_alternative<ArraySpec>(argument.value)) {
            fail(parameters,
                 "{} describes an array without elements; to run the kernel give {}=FILE.npy",
                 text,
                 argument.name);
        }
        if (position >= inputs) given_output = position;
        slot = std::move(argument);
    }
    std::vector<ArgumentText> ordered;
    for (std::size_t k = 0; k < (given_output ? count : inputs); ++k) {
        if (slots[k]) {
            ordered.push_back(std::move(*slots[k]));
        } else if (k >= inputs) {
            fail(parameters,
                 "{} is missing, but {} is given; give all outputs or none",
                 role(parameters, k),
                 role(parameters, *given_output));
        } else {
            const std::string& name = parameters.names[k];
            fail(parameters,
                 "{} is missing; give {}",
                 role(parameters, k),
                 use == Use::run
                     ? fmt::format("{0}=NUMBER or {0}=FILE.npy", name)
                     : fmt::format("{0}=NUMBER, {0}=FILE.npy or {0}=float32[2,5]", name));
        }
    }
    return ordered;
}

std::vector<Argument> load_arguments(const Parameters& parameters,
                                     const std::vector<ArgumentText>& arguments,
                                     const std::vector<std::string>& dtype_texts,
                                     Use use,
                                     Device device) {
    const std::map<std::string, DType> dtypes = read_dtypes(parameters, arguments, dtype_texts);
    std::vector<Argument> loaded;
    for (const ArgumentText& argument : arguments) {
        const auto found = dtypes.find(argument.name);
        const auto dtype = found == dtypes.end() ? std::nullopt : std::optional(found->second);
        if (const auto* file = std::get_if<FilePath>(&argument.value)) {
            const Array array =
                load_file(argument, *file, use == Use::run ? device : Device::host(), dtype);
            if (use == Use::run) {
                loaded.emplace_back(array);
            } else {
                loaded.emplace_back(ArraySpec{array.dtype(), array.shape(), array.strides()});
            }
        } else if (const auto* spec = std::get_if<ArraySpec>(&argument.value)) {
            loaded.emplace_back(*spec);
        } else if (const auto* list = std::get_if<ListValue>(&argument.value)) {
            if (use == Use::run) {
                const Array array = list->make_array(device);
                loaded.emplace_back(dtype ? array.astype(*dtype) : array);
            } else {
                loaded.emplace_back(
                    ArraySpec{dtype.value_or(list->dtype), list->shape, std::nullopt});
            }
        } else {
            const Scalar& number = std::get<Scalar>(argument.value);
            loaded.emplace_back(dtype ? convert_number(number, argument.name, *dtype) : number);
        }
    }
    return loaded;
}

}  // namespace kgen::cli
