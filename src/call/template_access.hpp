// SPDX-License-Identifier: MIT
//
// TemplateAccess: what a KernelTemplate was made of.
#pragma once

#include <kgen/kernel_template.hpp>

#include "template/template_definition.hpp"

namespace kgen {

// What only kgen itself may see of a KernelTemplate.
struct TemplateAccess {
    static const TemplateDefinition& definition(const KernelTemplate& one) noexcept;
};

}  // namespace kgen
