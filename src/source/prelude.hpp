// SPDX-License-Identifier: MIT
//
// Which sections of the prelude a kernel needs: only those whose names its texts mention.
#pragma once

#include <string>

#include "plan/baked.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// The sections, concatenated in their order (kernel_templates/skeletons/prelude/README.md), without
// their licence lines.
std::string select_prelude(const Definition& definition,
                           const Signature& signature,
                           const TypeBinding& types,
                           const Baked& baked);

}  // namespace kgen
