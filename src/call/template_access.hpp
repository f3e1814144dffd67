// SPDX-License-Identifier: MIT
//
// TemplateAccess: the definition of a KernelTemplate.
#pragma once

#include <kgen/kernel_template.hpp>
#include <memory>

#include "call/template_tracer.hpp"
#include "template/template_definition.hpp"

namespace kgen {

// Access to private parts of a KernelTemplate, for kgen's own use.
struct TemplateAccess {
    // Makes a template whose further forms the tracer makes. The definition has at least one form.
    static KernelTemplate traced(TemplateDefinition definition,
                                 std::unique_ptr<const TemplateTracer> tracer);
    static const TemplateDefinition& definition(const KernelTemplate& one) noexcept;
};

}  // namespace kgen
