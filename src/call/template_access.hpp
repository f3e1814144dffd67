// SPDX-License-Identifier: MIT
//
// TemplateAccess: the definition of a KernelTemplate.
#pragma once

#include <kgen/kernel_template.hpp>

#include "template/template_definition.hpp"

namespace kgen {

// Access to private parts of a KernelTemplate, for kgen's own use.
struct TemplateAccess {
    static const TemplateDefinition& definition(const KernelTemplate& one) noexcept;
};

}  // namespace kgen
