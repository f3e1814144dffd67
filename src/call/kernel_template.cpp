// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <kgen/error.hpp>
#include <kgen/kernel_template.hpp>
#include <kgen/suggestion.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "call/call_view.hpp"
#include "call/kernel_access.hpp"
#include "call/pipeline_choice.hpp"
#include "call/template_access.hpp"
#include "fork_mutex.hpp"
#include "signature/names.hpp"
#include "template/overload_choice.hpp"
#include "template/program_templates.hpp"
#include "template/template_library.hpp"
#include "template/template_reader.hpp"
#include "template/template_text.hpp"
#include "text/environment.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

constexpr std::string_view text_origin = "<text>";

// Limit of the number of parameters (see parse_signature).
constexpr std::size_t most_parameters = 128;
using ArgumentTypes = std::array<ArgumentType, most_parameters>;

struct Form {
    const TemplateOverload* overload;
    std::shared_ptr<const OnlyPipeline> pipeline;
};

std::vector<Form> make_forms(const TemplateDefinition& definition) {
    std::vector<Form> forms;
    for (const TemplateOverload& overload : definition.overloads) {
        Definition made = overload.definition;
        made.loop = environment("KGEN_LOOP").value_or("");
        forms.push_back({&overload, std::make_shared<const OnlyPipeline>(std::move(made))});
    }
    return forms;
}

std::optional<ArgumentType> type_of(const Array* array) {
    if (!array->has_value()) return std::nullopt;
    return ArgumentType{ArgumentType::Kind::array, array->dtype()};
}

std::optional<ArgumentType> type_of(const CallPart& part) {
    if (const Array* array = part.array()) return type_of(array);
    if (const ArraySpec* spec = part.spec())
        return ArgumentType{ArgumentType::Kind::array, spec->dtype};
    return ArgumentType{ArgumentType::Kind::scalar, part.scalar()->dtype()};
}

// Returns the template of this name, or the only template if the name is empty.
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
                                 ? fmt::format("{}:1:1: the file has no template", file)
                                 : fmt::format("{}:1:1: there are {} templates; name one of {}",
                                               file,
                                               names.size(),
                                               fmt::join(names, ", ")));
    }
    const std::string_view nearest = nearest_name(name, names);
    refuse<SignatureError>({ErrorKind::name, {}, std::string(nearest), std::string(name)},
                           "{}:1:1: no template is called '{}'{}",
                           file,
                           printable(name),
                           nearest.empty() ? fmt::format("; it has {}", fmt::join(names, ", "))
                                           : fmt::format("; did you mean '{}'?", nearest));
}

}  // namespace

struct KernelTemplate::Impl final : PipelineChoice {
    explicit Impl(TemplateDefinition made)
        : definition(std::move(made)), forms(make_forms(definition)) {}

    TemplateDefinition definition;
    std::vector<Form> forms;

    const Signature& signature() const { return forms.front().overload->signature; }
    bool takes_all() const { return forms.size() == 1 && forms.front().overload->where.empty(); }

    const Pipeline& choose(const CallView& view) const override {
        return form_for(view).pipeline->first();
    }
    const Pipeline& first() const noexcept override { return forms.front().pipeline->first(); }

    const Form& form_for(const CallView& view) const {
        if (takes_all()) return forms.front();
        const auto inputs = static_cast<std::size_t>(signature().input_count);
        const std::size_t count = signature().parameters.size();
        const std::span<const CallPart> arguments = view.arguments();
        const std::span<const Array* const> outputs = view.outputs();
        // If the call fits no form, the first form's kernel reports the error.
        const std::size_t given = arguments.size() + outputs.size();
        if (given != count && (given != inputs || !outputs.empty())) return forms.front();
        if (!outputs.empty() && arguments.size() != inputs) return forms.front();
        ArgumentTypes types;
        std::size_t at = 0;
        const auto put = [&](const auto& one) {
            const std::optional<ArgumentType> type = type_of(one);
            if (type) types[at++] = *type;
            return type.has_value();
        };
        if (!std::ranges::all_of(arguments, put) || !std::ranges::all_of(outputs, put))
            return forms.front();
        return form_for(std::span<const ArgumentType>(types.data(), count));
    }

    const Form& form_for(std::span<const ArgumentType> types) const {
        for (const Form& form : forms) {
            if (fits(form.overload->signature, form.overload->where, types)) return form;
        }
        // A single form reports itself which argument does not fit.
        if (forms.size() == 1) resolve_types(signature(), types);
        std::string message = fmt::format("template '{}': no overload accepts {}; it has",
                                          definition.name,
                                          describe_given(types));
        for (const std::string& text : signatures()) message += "\n  " + text;
        refuse<TypeError>({ErrorKind::dtype, {}, {}, describe_given(types)}, "{}", message);
    }

    std::vector<std::string> signatures() const {
        std::vector<std::string> texts;
        for (const Form& form : forms)
            texts.push_back(describe_form(form.overload->signature, form.overload->where));
        return texts;
    }

    const Form& form_for_inputs(std::span<const DType> inputs) const {
        if (inputs.size() != static_cast<std::size_t>(signature().input_count)) {
            refuse<TypeError>({ErrorKind::argument_count,
                               {},
                               std::to_string(signature().input_count),
                               std::to_string(inputs.size())},
                              "template '{}': got {} dtypes, expected {}",
                              definition.name,
                              inputs.size(),
                              signature().input_count);
        }
        std::vector<ArgumentType> types(signature().parameters.size());
        for (std::size_t k = 0; k < inputs.size(); ++k)
            types[k] = {ArgumentType::Kind::array, inputs[k]};
        return form_for(types);
    }

    const Form& only_form() const {
        if (forms.size() == 1) return forms.front();
        refuse<TypeError>({ErrorKind::argument_count, {}, "the inputs' dtypes", "none"},
                          "template '{0}': it has {1} overloads; name the inputs' dtypes, "
                          "as in {2}({{float32}})",
                          definition.name,
                          forms.size(),
                          to_text(definition.kind));
    }

    // Throws TypeError if the template is not of this kind.
    template <typename Kernel>
    Kernel kernel_of(const Form& form, TemplateKind kind) const {
        if (definition.kind == kind) return KernelAccess::make<Kernel>(form.pipeline);
        refuse<TypeError>(
            {ErrorKind::name, {}, std::string(to_text(definition.kind))},
            "template '{0}' is {1} kernel; call {2}()",
            definition.name,
            definition.kind == TemplateKind::elementwise ? "an elementwise" : "a reduction",
            to_text(definition.kind));
    }
};

KernelTemplate::KernelTemplate(std::shared_ptr<const Impl> impl)
    : GeneratedKernel(std::move(impl)) {}

const KernelTemplate::Impl& KernelTemplate::impl() const noexcept {
    return static_cast<const Impl&>(choice());
}

KernelTemplate KernelTemplate::from_json(std::string_view text, std::string_view name) try {
    return KernelTemplate(
        std::make_shared<const Impl>(pick(read_templates(text, text_origin), name, text_origin)));
} catch (...) {
    rethrow_as_error();
}

KernelTemplate KernelTemplate::from_file(const std::string& path, std::string_view name) try {
    return KernelTemplate(std::make_shared<const Impl>(pick(read_template_file(path), name, path)));
} catch (...) {
    rethrow_as_error();
}

const std::string& KernelTemplate::description() const noexcept {
    return impl().definition.description;
}

KernelTemplate::Kind KernelTemplate::kind() const noexcept {
    return impl().definition.kind == TemplateKind::elementwise ? Kind::elementwise
                                                               : Kind::reduction;
}

const std::string& KernelTemplate::origin() const noexcept {
    return impl().definition.origin;
}

int KernelTemplate::overload_count() const noexcept {
    return static_cast<int>(impl().forms.size());
}

std::vector<std::string> KernelTemplate::signatures() const try {
    return impl().signatures();
} catch (...) {
    rethrow_as_error();
}

std::string KernelTemplate::json() const try { return to_json(impl().definition); } catch (...) {
    rethrow_as_error();
}

ElementwiseKernel KernelTemplate::elementwise() const try {
    return impl().kernel_of<ElementwiseKernel>(impl().only_form(), TemplateKind::elementwise);
} catch (...) {
    rethrow_as_error();
}

ElementwiseKernel KernelTemplate::elementwise(std::span<const DType> inputs) const try {
    return impl().kernel_of<ElementwiseKernel>(impl().form_for_inputs(inputs),
                                               TemplateKind::elementwise);
} catch (...) {
    rethrow_as_error();
}

ReductionKernel KernelTemplate::reduction() const try {
    return impl().kernel_of<ReductionKernel>(impl().only_form(), TemplateKind::reduction);
} catch (...) {
    rethrow_as_error();
}

ReductionKernel KernelTemplate::reduction(std::span<const DType> inputs) const try {
    return impl().kernel_of<ReductionKernel>(impl().form_for_inputs(inputs),
                                             TemplateKind::reduction);
} catch (...) {
    rethrow_as_error();
}

const TemplateDefinition& TemplateAccess::definition(const KernelTemplate& one) noexcept {
    return one.impl().definition;
}

namespace {

// The built-in templates that were asked for, by name. They never change and are never destroyed, so a look-up
// takes no lock and counts no references. There are fewer templates than places.
template <typename Impl>
class LibraryTable {
public:
    const Impl* find(std::string_view name) const noexcept {
        for (std::size_t at = place_of(name);; at = next(at)) {
            const Impl* one = places_[at].load(std::memory_order_acquire);
            if (one == nullptr || is_called(one->definition, name)) return one;
        }
    }
    // Returns the template of this name or alias that was added first.
    const Impl* add(std::string_view name, std::unique_ptr<const Impl> made) noexcept {
        for (std::size_t at = place_of(name);; at = next(at)) {
            const Impl* one = nullptr;
            if (places_[at].compare_exchange_strong(one, made.get())) return made.release();
            if (is_called(one->definition, name)) return one;
        }
    }

private:
    static constexpr std::size_t place_count = 1024;  // the library has about 190 names and aliases
    static std::size_t place_of(std::string_view name) noexcept {
        return std::hash<std::string_view>()(name) % place_count;
    }
    static std::size_t next(std::size_t at) noexcept { return (at + 1) % place_count; }

    std::array<std::atomic<const Impl*>, place_count> places_{};
};

// The templates of KGEN_TEMPLATE_PATH that were asked for since its files were last read; or those embedded in
// the program, whose `templates` is nullptr.
template <typename Impl>
struct UserTable {
    cache::ForkMutex mutex;
    std::shared_ptr<const UserTemplates> templates;
    std::map<std::string, std::shared_ptr<const Impl>, std::less<>> made;

    // Callers of one reading share an object and its compiled code.
    std::shared_ptr<const Impl> get(std::shared_ptr<const UserTemplates> current,
                                    const TemplateDefinition& definition) {
        const std::lock_guard lock(mutex);
        if (templates != current) {
            made.clear();
            templates = std::move(current);
        }
        auto& one = made[definition.name];
        if (one == nullptr) one = std::make_shared<const Impl>(definition);
        return one;
    }
};

}  // namespace

KernelTemplate kernel_template(std::string_view name) try {
    using Impl = KernelTemplate::Impl;
    static auto* const library = new LibraryTable<Impl>;  // never destroyed
    static auto* const user = new UserTable<Impl>;
    static auto* const embedded = new UserTable<Impl>;
    std::shared_ptr<const UserTemplates> templates = user_templates();
    if (templates != nullptr) {
        if (const TemplateDefinition* found = templates->find(name))
            return KernelTemplate(user->get(std::move(templates), *found));
    }
    for (const TemplateDefinition& made : embedded_templates()) {
        if (is_called(made, name)) return KernelTemplate(embedded->get(nullptr, made));
    }
    const Impl* built_in = library->find(name);
    if (built_in == nullptr) {
        std::optional<TemplateDefinition> found = find_library_template(name);
        if (!found) fail_unknown_template(name, templates.get());
        built_in = library->add(name, std::make_unique<const Impl>(std::move(*found)));
    }
    return KernelTemplate({std::shared_ptr<const Impl>(), built_in});
} catch (...) {
    rethrow_as_error();
}

std::vector<KernelTemplate> read_kernel_templates(const std::string& path) try {
    std::vector<KernelTemplate> list;
    for (TemplateDefinition& made : read_template_path(path))
        list.push_back(
            KernelTemplate(std::make_shared<const KernelTemplate::Impl>(std::move(made))));
    return list;
} catch (...) {
    rethrow_as_error();
}

std::vector<TemplateInfo> kernel_templates() try {
    std::vector<TemplateInfo> list;
    for (TemplateSummary& made : known_summaries()) {
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
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
