// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <kgen/kernel_template.hpp>
#include <kgen/suggestion.hpp>
#include <memory>

#include "call/template_access.hpp"
#include "call/template_impl.hpp"
#include "signature/names.hpp"
#include "template/template_library.hpp"
#include "template/template_reader.hpp"
#include "template/template_text.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

constexpr std::string_view text_origin = "<text>";

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

KernelTemplate TemplateAccess::traced(TemplateDefinition definition,
                                      std::unique_ptr<const TemplateTracer> tracer) {
    return KernelTemplate(
        std::make_shared<const KernelTemplate::Impl>(std::move(definition), std::move(tracer)));
}

const TemplateDefinition& TemplateAccess::definition(const KernelTemplate& one) noexcept {
    return one.impl().definition;
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
