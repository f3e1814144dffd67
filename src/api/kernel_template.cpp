// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <kgen/error.hpp>
#include <kgen/kernel_template.hpp>
#include <kgen/suggestion.hpp>
#include <map>
#include <mutex>
#include <variant>

#include "api/call_view.hpp"
#include "api/template_access.hpp"
#include "signature/names.hpp"
#include "template/overload_choice.hpp"
#include "template/template_library.hpp"
#include "template/template_reader.hpp"
#include "template/template_text.hpp"

namespace kgen {

namespace {

constexpr std::string_view text_origin = "<text>";

// What a kernel may have at most (see parse_signature).
constexpr std::size_t most_parameters = 128;
using ArgumentTypes = std::array<ArgumentType, most_parameters>;

using Kernel = std::variant<ElementwiseKernel, ReductionKernel>;

Kernel make_kernel(const Definition& definition) {
    if (!definition.reduction) {
        return ElementwiseKernel(definition.inputs,
                                 definition.outputs,
                                 definition.operation,
                                 definition.name,
                                 {.preamble = definition.preamble,
                                  .options = definition.options,
                                  .loop_prep = definition.loop_prep,
                                  .after_loop = definition.after_loop});
    }
    const ReductionTexts& texts = *definition.reduction;
    return ReductionKernel(definition.inputs,
                           definition.outputs,
                           definition.operation,
                           texts.reduce,
                           texts.post_map,
                           texts.identity,
                           definition.name,
                           {.reduce_type = texts.reduce_type,
                            .preamble = definition.preamble,
                            .options = definition.options,
                            .accuracy = texts.accuracy});
}

struct Form {
    const TemplateOverload* overload;
    Kernel kernel;
};

std::vector<Form> make_forms(const TemplateDefinition& definition) {
    std::vector<Form> forms;
    for (const TemplateOverload& overload : definition.overloads) {
        forms.push_back({&overload, make_kernel(overload.definition)});
    }
    return forms;
}

std::optional<ArgumentType> type_of(const Array& array) {
    if (!array.has_value()) return std::nullopt;
    return ArgumentType{ArgumentType::Kind::array, array.dtype()};
}

std::optional<ArgumentType> type_of(const CallPart& part) {
    if (const Array* array = part.array()) return type_of(*array);
    if (const ArraySpec* spec = part.spec())
        return ArgumentType{ArgumentType::Kind::array, spec->dtype};
    return ArgumentType{ArgumentType::Kind::scalar, part.scalar()->dtype()};
}

// The one of this name; of any if there is one template and the name is empty.
TemplateDefinition pick(std::vector<TemplateDefinition> templates,
                        std::string_view name,
                        std::string_view file) {
    if (name.empty() && templates.size() == 1) return std::move(templates.front());
    std::vector<std::string_view> names;
    for (const TemplateDefinition& made : templates) names.push_back(made.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end())
        return std::move(templates[static_cast<std::size_t>(found - names.begin())]);
    if (name.empty()) {
        throw SignatureError(names.empty()
                                 ? fmt::format("{}:1:1: there is no template", file)
                                 : fmt::format("{}:1:1: there are {} templates; name one of {}",
                                               file,
                                               names.size(),
                                               fmt::join(names, ", ")));
    }
    const std::string_view nearest = nearest_name(name, names);
    throw SignatureError(fmt::format("{}:1:1: no template is called '{}'{}",
                                     file,
                                     printable(name),
                                     nearest.empty()
                                         ? fmt::format("; it has {}", fmt::join(names, ", "))
                                         : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace

struct KernelTemplate::Impl {
    explicit Impl(TemplateDefinition made)
        : definition(std::move(made)), forms(make_forms(definition)) {}

    TemplateDefinition definition;
    std::vector<Form> forms;

    const Signature& signature() const { return forms.front().overload->signature; }
    bool takes_all() const { return forms.size() == 1 && forms.front().overload->where.empty(); }

    const Form& choose(const CallView& view) const {
        if (takes_all()) return forms.front();
        const auto inputs = static_cast<std::size_t>(signature().input_count);
        const std::size_t count = signature().parameters.size();
        ArgumentTypes types;
        const auto put = [&](std::size_t at, const std::optional<ArgumentType>& type) {
            types[at] = type.value_or(ArgumentType{});
            return type.has_value();
        };
        const std::span<const CallPart> arguments = view.arguments();
        const std::span<const Array* const> outputs = view.outputs();
        // What cannot be a call of any form is told by the first one's kernel.
        if (arguments.size() != inputs && arguments.size() != count) return forms.front();
        for (std::size_t k = 0; k < arguments.size(); ++k) {
            if (!put(k, type_of(arguments[k]))) return forms.front();
        }
        if (!outputs.empty()) {
            if (arguments.size() != inputs || outputs.size() != count - inputs)
                return forms.front();
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                if (!put(inputs + k, type_of(*outputs[k]))) return forms.front();
            }
        }
        return choose(std::span<const ArgumentType>(types.data(), count));
    }

    const Form& choose(std::span<const ArgumentType> types) const {
        for (const Form& form : forms) {
            if (fits(form.overload->signature, form.overload->where, types)) return form;
        }
        // One form says itself what does not fit its parameters.
        if (forms.size() == 1)
            resolve_types(signature(), std::vector<ArgumentType>(types.begin(), types.end()));
        std::string message = fmt::format(
            "template '{}': no overload takes {}; it has", definition.name, describe_given(types));
        for (const Form& form : forms)
            message += "\n  " + describe_form(form.overload->signature, form.overload->where);
        throw TypeError(message);
    }

    const Kernel& kernel_for(std::span<const DType> inputs) const {
        if (inputs.size() != static_cast<std::size_t>(signature().input_count)) {
            throw TypeError(fmt::format("template '{}': got {} dtypes, expected {}",
                                        definition.name,
                                        inputs.size(),
                                        signature().input_count));
        }
        std::vector<ArgumentType> types(signature().parameters.size());
        for (std::size_t k = 0; k < inputs.size(); ++k)
            types[k] = {ArgumentType::Kind::array, inputs[k]};
        return choose(types).kernel;
    }

    const Kernel& only_kernel() const {
        if (forms.size() == 1) return forms.front().kernel;
        throw TypeError(
            fmt::format("template '{0}': it has {1} overloads; name the inputs' dtypes, "
                        "as in {2}({{float32}})",
                        definition.name,
                        forms.size(),
                        to_text(definition.kind)));
    }

    template <typename Wanted>
    const Wanted& as(const Kernel& kernel) const {
        if (const auto* found = std::get_if<Wanted>(&kernel)) return *found;
        throw TypeError(fmt::format(
            "template '{0}' is {1} kernel; call {2}()",
            definition.name,
            definition.kind == TemplateKind::elementwise ? "an elementwise" : "a reduction",
            to_text(definition.kind)));
    }
};

KernelTemplate KernelTemplate::from_json(std::string_view text, std::string_view name) {
    return KernelTemplate(
        std::make_shared<const Impl>(pick(read_templates(text, text_origin), name, text_origin)));
}

KernelTemplate KernelTemplate::from_file(const std::string& path, std::string_view name) {
    return KernelTemplate(std::make_shared<const Impl>(pick(read_template_file(path), name, path)));
}

const std::string& KernelTemplate::name() const noexcept {
    return impl_->definition.name;
}

const std::string& KernelTemplate::description() const noexcept {
    return impl_->definition.description;
}

KernelTemplate::Kind KernelTemplate::kind() const noexcept {
    return impl_->definition.kind == TemplateKind::elementwise ? Kind::elementwise
                                                               : Kind::reduction;
}

const std::string& KernelTemplate::origin() const noexcept {
    return impl_->definition.origin;
}

int KernelTemplate::overload_count() const noexcept {
    return static_cast<int>(impl_->forms.size());
}

int KernelTemplate::input_count() const noexcept {
    return impl_->signature().input_count;
}

int KernelTemplate::output_count() const noexcept {
    return impl_->signature().output_count();
}

std::vector<std::string> KernelTemplate::parameter_names() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : impl_->signature().parameters)
        names.push_back(parameter.name);
    return names;
}

std::string KernelTemplate::json() const {
    return to_json(impl_->definition);
}

ElementwiseKernel KernelTemplate::elementwise() const {
    return impl_->as<ElementwiseKernel>(impl_->only_kernel());
}

ElementwiseKernel KernelTemplate::elementwise(std::span<const DType> inputs) const {
    return impl_->as<ElementwiseKernel>(impl_->kernel_for(inputs));
}

ReductionKernel KernelTemplate::reduction() const {
    return impl_->as<ReductionKernel>(impl_->only_kernel());
}

ReductionKernel KernelTemplate::reduction(std::span<const DType> inputs) const {
    return impl_->as<ReductionKernel>(impl_->kernel_for(inputs));
}

std::vector<Array> KernelTemplate::call(std::span<const Argument> arguments,
                                        const CallOptions& options) const {
    return std::visit([&](const auto& kernel) { return kernel.call(arguments, options); },
                      impl_->choose(CallView(arguments, options)).kernel);
}

Array KernelTemplate::call_single(std::initializer_list<CallPart> parts) const {
    return std::visit([&](const auto& kernel) { return kernel.call_single(parts); },
                      impl_->choose(CallView(parts)).kernel);
}

void KernelTemplate::call_several(std::initializer_list<CallPart> parts,
                                  std::span<Array> results) const {
    std::visit([&](const auto& kernel) { kernel.call_several(parts, results); },
               impl_->choose(CallView(parts)).kernel);
}

BoundLaunch KernelTemplate::bind_parts(std::initializer_list<CallPart> parts) const {
    return std::visit([&](const auto& kernel) { return kernel.bind_parts(parts); },
                      impl_->choose(CallView(parts)).kernel);
}

BoundLaunch KernelTemplate::bind_call(std::span<const Argument> arguments,
                                      const CallOptions& options) const {
    return std::visit([&](const auto& kernel) { return kernel.bind_call(arguments, options); },
                      impl_->choose(CallView(arguments, options)).kernel);
}

Explanation KernelTemplate::explain(std::span<const Argument> arguments,
                                    const CallOptions& options,
                                    const TargetOptions& target) const {
    return std::visit(
        [&](const auto& kernel) { return kernel.explain(arguments, options, target); },
        impl_->choose(CallView(arguments, options)).kernel);
}

const TemplateDefinition& TemplateAccess::definition(const KernelTemplate& one) noexcept {
    return one.impl_->definition;
}

KernelTemplate kernel_template(std::string_view name) {
    TemplateDefinition found = find_template(name);
    const bool built_in = found.origin.starts_with(library_origin);
    if (!built_in)
        return KernelTemplate(std::make_shared<const KernelTemplate::Impl>(std::move(found)));
    // The built-in ones stay what they are: all who ask share what was compiled.
    static auto* const mutex = new std::mutex;
    static auto* const made =
        new std::map<std::string, std::shared_ptr<const KernelTemplate::Impl>, std::less<>>;
    const std::lock_guard lock(*mutex);
    auto& impl = (*made)[found.name];
    if (impl == nullptr) impl = std::make_shared<const KernelTemplate::Impl>(std::move(found));
    return KernelTemplate(impl);
}

std::vector<KernelTemplate> read_kernel_templates(const std::string& path) {
    std::vector<KernelTemplate> list;
    for (TemplateDefinition& made : read_template_path(path))
        list.push_back(
            KernelTemplate(std::make_shared<const KernelTemplate::Impl>(std::move(made))));
    return list;
}

std::vector<TemplateInfo> kernel_templates() {
    std::vector<TemplateInfo> list;
    for (TemplateDefinition& made : known_templates()) {
        list.push_back({.name = std::move(made.name),
                        .description = std::move(made.description),
                        .kind = made.kind == TemplateKind::elementwise
                                    ? KernelTemplate::Kind::elementwise
                                    : KernelTemplate::Kind::reduction,
                        .origin = made.origin,
                        .built_in = made.origin.starts_with(library_origin)});
    }
    std::sort(
        list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return list;
}

}  // namespace kgen
