// SPDX-License-Identifier: MIT
#include "cli/options/kernel_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <kgen/elementwise_kernel.hpp>
#include <kgen/reduction_kernel.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "cli/exit_status.hpp"
#include "cli/options/common_options.hpp"

namespace kgen::cli {

namespace {

// Reads axes from "0,1" or "". Returns nothing if the text is malformed.
std::optional<std::vector<int>> read_axes(std::string_view text) {
    return text.empty() ? std::vector<int>() : read_integers<int>(text);
}

// Checks the value of --axis or --accuracy. Returns the error message, or "".
std::string check_axes(const std::string& text) {
    if (read_axes(text)) return "";
    return fmt::format("'{}' is not a list of axes: expected integers such as 0,1 or -1", text);
}

std::string check_accuracy(const std::string& text) {
    if (text == "plain" || text == "compensated") return "";
    return fmt::format("'{}' is not an accuracy: expected plain or compensated", text);
}

void add_reduction_options(CLI::App& command, KernelOptions& options) {
    command.add_option("--reduce", options.reduce, "the strings of a ReductionKernel")
        ->type_name("INPUTS OUTPUTS MAP REDUCE POST_MAP IDENTITY")
        ->type_size(6)
        ->expected(1)
        ->allow_extra_args(false);
    add_text(command,
             "--axis",
             options.axes,
             "the axes that a reduction folds: 0,1 or -1; '' folds none (default: all)")
        ->type_name("AXES")
        ->check(check_axes);
    command.add_flag(
        "--keepdims", options.keepdims, "keep the axes that a reduction folds, with extent 1");
    add_text(command, "--reduce-type", options.reduce_type, "the type of a reduction's accumulator")
        ->type_name("TYPE");
    add_text(command, "--accuracy", options.accuracy, "how a reduction's sums are rounded")
        ->type_name("plain|compensated")
        ->check(check_accuracy);
}

void refuse(bool given, std::string_view option, std::string_view kind, std::string_view other) {
    if (given) throw UsageError(fmt::format("{} goes with {}, not with {}", option, kind, other));
}

bool is_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether the text gives a value to a parameter, as x=A.npy does. Code such as "z=5" does so too, so numbers
// count only if the text before '=' is a parameter of `inputs`.
bool is_argument(const std::string& text, const std::string& inputs) {
    std::optional<ArgumentText> argument;
    try {
        argument = parse_argument_or_value(text);
    } catch (const std::exception&) {
        return false;
    }
    if (argument->name.empty()) return false;
    if (!std::holds_alternative<Scalar>(argument->value)) return true;
    const std::string& name = argument->name;
    for (std::size_t at = inputs.find(name); at != std::string::npos;
         at = inputs.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !is_letter(inputs[at - 1])) &&
            (end == inputs.size() || !is_letter(inputs[end])))
            return true;
    }
    return false;
}

// Throws UsageError if an argument stands where one of an option's strings is expected, because a string before
// it was forgotten.
void refuse_arguments(std::string_view option,
                      const std::vector<std::string>& strings,
                      std::span<const std::string_view> names) {
    for (std::size_t k = 0; k < strings.size(); ++k) {
        // Lists of parameters have no '=' after a single word.
        const std::size_t equals = strings[k].find('=');
        const bool is_list = k < 2 && equals != std::string::npos && equals > 0 &&
                             std::all_of(strings[k].begin(),
                                         strings[k].begin() + static_cast<std::ptrdiff_t>(equals),
                                         is_letter);
        if (!is_list && !is_argument(strings[k], strings[0])) continue;
        throw UsageError(
            fmt::format("{}: the {} is missing: '{}' is an argument of the kernel; give {}",
                        option,
                        names[k],
                        strings[k],
                        fmt::join(names, " ")));
    }
}

void check_swallowed(const KernelOptions& options) {
    static constexpr std::array<std::string_view, 3> elementwise = {"INPUTS", "OUTPUTS", "BODY"};
    static constexpr std::array<std::string_view, 6> reduce = {
        "INPUTS", "OUTPUTS", "MAP", "REDUCE", "POST_MAP", "IDENTITY"};
    refuse_arguments("--elementwise", options.elementwise, elementwise);
    refuse_arguments("--reduce", options.reduce, reduce);
    refuse_argument("--name", "NAME", options.name.value_or(""));
    refuse_argument("--template", "FILE.json", options.template_file.value_or(""));
    refuse_argument("--preamble", "CODE", options.preamble);
    refuse_argument("--loop-prep", "CODE", options.loop_prep.value_or(""));
    refuse_argument("--after-loop", "CODE", options.after_loop.value_or(""));
    refuse_argument("--reduce-type", "TYPE", options.reduce_type.value_or(""));
    for (const std::string& option : options.compiler_options)
        refuse_argument("--option", "OPTION", option);
}

GeneratedKernel make_elementwise(const KernelOptions& options) {
    const auto refuse_option = [](bool given, std::string_view option) {
        refuse(given, option, "--reduce", "--elementwise");
    };
    refuse_option(options.axes.has_value(), "--axis");
    refuse_option(options.keepdims, "--keepdims");
    refuse_option(options.reduce_type.has_value(), "--reduce-type");
    refuse_option(options.accuracy.has_value(), "--accuracy");
    return ElementwiseKernel(options.elementwise[0],
                             options.elementwise[1],
                             options.elementwise[2],
                             options.name.value_or("kernel"),
                             {.preamble = options.preamble,
                              .options = options.compiler_options,
                              .loop_prep = options.loop_prep.value_or(""),
                              .after_loop = options.after_loop.value_or(""),
                              .reduce_dims = options.keep_axes ? ReduceDims::no : ReduceDims::yes});
}

GeneratedKernel make_reduction(const KernelOptions& options) {
    const auto refuse_option = [](bool given, std::string_view option) {
        refuse(given, option, "--elementwise", "--reduce");
    };
    refuse_option(options.loop_prep.has_value(), "--loop-prep");
    refuse_option(options.after_loop.has_value(), "--after-loop");
    return ReductionKernel(
        options.reduce[0],
        options.reduce[1],
        options.reduce[2],
        options.reduce[3],
        options.reduce[4],
        options.reduce[5],
        options.name.value_or("kernel"),
        {.reduce_type = options.reduce_type.value_or(""),
         .preamble = options.preamble,
         .options = options.compiler_options,
         .accuracy = options.accuracy == "compensated" ? Accuracy::compensated : Accuracy::plain,
         .reduce_dims = options.keep_axes ? ReduceDims::no : ReduceDims::yes});
}

// Makes the kernel of the template that is named by its name or its file.
GeneratedKernel make_template(const KernelOptions& options, const std::string& name) {
    constexpr std::string_view strings = "--elementwise or --reduce";
    constexpr std::string_view other = "a template";
    refuse(options.name.has_value(), "--name", strings, other);
    refuse(!options.preamble.empty(), "--preamble", strings, other);
    refuse(options.loop_prep.has_value(), "--loop-prep", strings, other);
    refuse(options.after_loop.has_value(), "--after-loop", strings, other);
    refuse(options.reduce_type.has_value(), "--reduce-type", strings, other);
    refuse(options.accuracy.has_value(), "--accuracy", strings, other);
    refuse(!options.compiler_options.empty(), "--option", strings, other);
    refuse(options.keep_axes, "--keep-axes", strings, other);
    KernelTemplate found = find_template(options.template_file, name);
    if (found.kind() == KernelTemplate::Kind::elementwise) {
        const std::string elementwise =
            fmt::format("template '{}', which is elementwise", found.name());
        refuse(options.axes.has_value(), "--axis", "a reduction", elementwise);
        refuse(options.keepdims, "--keepdims", "a reduction", elementwise);
    }
    return found;
}

// Returns the position of the template's name among the arguments, or their number if there is none.
std::size_t template_position(const KernelOptions& options) {
    const std::vector<std::string>& words = options.arguments;
    if (options.has_strings()) return words.size();
    const auto name = std::find_if(words.begin(), words.end(), [](const std::string& word) {
        return word.find('=') == std::string::npos;
    });
    return static_cast<std::size_t>(name - words.begin());
}

}  // namespace

void refuse_argument(std::string_view option, std::string_view name, const std::string& text) {
    if (!is_argument(text, "")) return;
    throw UsageError(
        fmt::format("{0}: the {1} is missing: '{2}' is an argument of the kernel; give {0} {1}",
                    option,
                    name,
                    text));
}

CLI::Option* add_text(CLI::App& command,
                      const std::string& name,
                      std::optional<std::string>& place,
                      const std::string& description) {
    return command.add_option_function<std::string>(
        name, [&place](const std::string& text) { place = text; }, description);
}

void add_template_file(CLI::App& command, std::optional<std::string>& file) {
    add_text(command, "--template", file, "a file of templates; name one of them if it has several")
        ->type_name("FILE.json");
}

KernelTemplate find_template(const std::optional<std::string>& file, const std::string& name) {
    return file ? KernelTemplate::from_file(*file, name) : kernel_template(name);
}

void add_kernel_options(CLI::App& command, KernelOptions& options) {
    command.add_option("--elementwise", options.elementwise, "the strings of an ElementwiseKernel")
        ->type_name("INPUTS OUTPUTS BODY")
        ->type_size(3)
        ->expected(1)
        ->allow_extra_args(false);
    add_reduction_options(command, options);
    add_text(command,
             "--expression",
             options.expression,
             "an expression of arrays, as NumPy's users write it")
        ->type_name("TEXT");
    command
        .add_option(
            "arguments",
            options.arguments,
            "the name of a template (see kgen list), unless a kernel is given by its strings, "
            "and the parameters by name, in any order: 5 is int64, 5.0 float64, true bool, "
            "1+2j complex128, x.npy a file, x.npz:NAME an array in a file")
        ->type_name("[TEMPLATE] NAME=VALUE");
    add_template_file(command, options.template_file);
    add_text(command, "--name", options.name, "the kernel's name")->type_name("NAME");
    command.add_option("--preamble", options.preamble, "code before the kernel")->type_name("CODE");
    add_text(command,
             "--loop-prep",
             options.loop_prep,
             "code before each thread's elements, of an elementwise kernel")
        ->type_name("CODE");
    add_text(command,
             "--after-loop",
             options.after_loop,
             "code after each thread's elements, of an elementwise kernel")
        ->type_name("CODE");
    command
        .add_option("--option", options.compiler_options, "an option for the compiler; repeatable")
        ->type_name("OPTION")
        ->allow_extra_args(false);
    command.add_flag("--keep-axes", options.keep_axes, "do not merge axes (reduce_dims::no)");
    command.add_option("--size", options.size, "the number of elements, if all arrays are raw")
        ->type_name("N")
        ->check(check_integer);
    command.add_option("--block-size", options.block_size, "threads of a block (CUDA)")
        ->type_name("N")
        ->check(check_integer);
    command
        .add_option("--dtype",
                    options.dtypes,
                    "convert a file, list or number to this dtype before the call; repeatable")
        ->type_name("NAME=DTYPE")
        ->allow_extra_args(false);
}

GeneratedKernel make_kernel(const KernelOptions& options) {
    check_swallowed(options);
    const bool elementwise = !options.elementwise.empty();
    const bool reduce = !options.reduce.empty();
    if (elementwise && reduce) throw UsageError("give --elementwise or --reduce, not both");
    if (options.has_strings() && options.template_file) {
        throw UsageError(fmt::format("give --template or {}, not both",
                                     elementwise ? "--elementwise" : "--reduce"));
    }
    if (elementwise) return make_elementwise(options);
    if (reduce) return make_reduction(options);
    const std::size_t position = template_position(options);
    if (options.template_file || position < options.arguments.size()) {
        return make_template(
            options, position < options.arguments.size() ? options.arguments[position] : "");
    }
    throw UsageError(
        "the kernel is missing; give the name of a template, --elementwise INPUTS OUTPUTS BODY or "
        "--reduce INPUTS OUTPUTS MAP REDUCE POST_MAP IDENTITY");
}

void check_expression(const KernelOptions& options) {
    constexpr std::string_view kernels = "a kernel";
    constexpr std::string_view other = "--expression";
    refuse(!options.elementwise.empty(), "--elementwise", kernels, other);
    refuse(!options.reduce.empty(), "--reduce", kernels, other);
    refuse(options.template_file.has_value(), "--template", kernels, other);
    refuse(options.name.has_value(), "--name", kernels, other);
    refuse(!options.preamble.empty(), "--preamble", kernels, other);
    refuse(options.loop_prep.has_value(), "--loop-prep", kernels, other);
    refuse(options.after_loop.has_value(), "--after-loop", kernels, other);
    refuse(
        options.axes.has_value(), "--axis", kernels, "--expression, in which axis=... is written");
    refuse(
        options.keepdims, "--keepdims", kernels, "--expression, in which keepdims=True is written");
    refuse(options.reduce_type.has_value(), "--reduce-type", kernels, other);
    refuse(options.accuracy.has_value(), "--accuracy", kernels, other);
    refuse(!options.compiler_options.empty(), "--option", kernels, other);
    refuse(options.keep_axes, "--keep-axes", kernels, other);
    refuse(options.size.has_value(), "--size", kernels, other);
    refuse(options.block_size.has_value(), "--block-size", kernels, other);
}

std::vector<std::string> call_arguments(const KernelOptions& options) {
    std::vector<std::string> arguments = options.arguments;
    const std::size_t position = template_position(options);
    if (position < arguments.size())
        arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(position));
    return arguments;
}

CallOptions make_call_options(const KernelOptions& options, std::optional<Device> device) {
    CallOptions call;
    call.size = options.size;
    call.block_size = options.block_size;
    call.device = device;
    if (options.axes) call.axes = read_axes(*options.axes);
    call.keepdims = options.keepdims;
    return call;
}

}  // namespace kgen::cli
