// SPDX-License-Identifier: MIT
//
// KernelTemplate::Impl: the forms of a template, and the choice between them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <kgen/error.hpp>
#include <kgen/kernel_template.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "call/call_view.hpp"
#include "call/kernel_access.hpp"
#include "call/pipeline_choice.hpp"
#include "call/template_tracer.hpp"
#include "fork_mutex.hpp"
#include "template/overload_choice.hpp"
#include "text/environment.hpp"
#include "text/error_parts.hpp"

namespace kgen {

struct KernelTemplate::Impl final : PipelineChoice {
    // Limit of the number of parameters (see parse_signature).
    static constexpr std::size_t most_parameters = 128;

    struct Form {
        const TemplateOverload* overload;
        std::shared_ptr<const OnlyPipeline> pipeline;
    };
    // A form that a traced function made for the dtypes of a call. The list only grows, at its head.
    struct AddedForm {
        TemplateOverload overload;
        Form form;
        const AddedForm* next;
    };

    explicit Impl(TemplateDefinition made, std::unique_ptr<const TemplateTracer> traced = nullptr)
        : definition(std::move(made)), tracer(std::move(traced)) {
        for (const TemplateOverload& overload : definition.overloads)
            forms.push_back(make_form(overload));
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() override {
        for (const AddedForm* each = added.load(); each != nullptr;)
            delete std::exchange(each, each->next);
    }

    TemplateDefinition definition;
    std::vector<Form> forms;
    std::unique_ptr<const TemplateTracer> tracer;  // nullptr if all forms are known
    mutable cache::ForkMutex mutex;
    mutable std::atomic<const AddedForm*> added = nullptr;

    static Form make_form(const TemplateOverload& overload) {
        Definition made = overload.definition;
        made.loop = environment("KGEN_LOOP").value_or("");
        return {&overload, std::make_shared<const OnlyPipeline>(std::move(made))};
    }

    static std::optional<ArgumentType> type_of(const Array* array) {
        if (!array->has_value()) return std::nullopt;
        return ArgumentType{ArgumentType::Kind::array, array->dtype()};
    }
    static std::optional<ArgumentType> type_of(const CallPart& part) {
        if (const Array* array = part.array()) return type_of(array);
        if (const ArraySpec* spec = part.spec())
            return ArgumentType{ArgumentType::Kind::array, spec->dtype};
        return ArgumentType{ArgumentType::Kind::scalar, part.scalar()->dtype()};
    }

    const Signature& signature() const { return forms.front().overload->signature; }
    bool takes_all() const {
        return tracer == nullptr && forms.size() == 1 && forms.front().overload->where.empty();
    }

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
        std::array<ArgumentType, most_parameters> types;
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
        if (tracer != nullptr) return traced_form(types);
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

    const Form& traced_form(std::span<const ArgumentType> types) const {
        const auto count = static_cast<std::size_t>(signature().input_count);
        const std::vector<DType> inputs = tracer->dtypes(types.first(count));
        const auto has_inputs = [&](const Signature& one) {
            for (std::size_t k = 0; k < count; ++k)
                if (one.parameters[k].dtype != inputs[k]) return false;
            return true;
        };
        const auto find = [&]() -> const Form* {
            for (const Form& form : forms)
                if (has_inputs(form.overload->signature)) return &form;
            for (const AddedForm* each = added.load(std::memory_order_acquire); each != nullptr;
                 each = each->next)
                if (has_inputs(each->overload.signature)) return &each->form;
            return nullptr;
        };
        if (const Form* form = find()) return *form;
        const std::lock_guard lock(mutex);
        if (const Form* form = find()) return *form;
        auto made = std::make_unique<AddedForm>();
        made->overload = tracer->form(inputs);
        made->form = make_form(made->overload);
        made->next = added.load(std::memory_order_relaxed);
        const AddedForm* const kept = made.release();
        added.store(kept, std::memory_order_release);
        return kept->form;
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

}  // namespace kgen
