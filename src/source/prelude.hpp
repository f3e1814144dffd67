// SPDX-License-Identifier: MIT
//
// Which sections of the prelude a kernel needs: only those whose names its texts mention.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dtype/dtype_set.hpp"
#include "plan/baked.hpp"
#include "signature/signature.hpp"
#include "source/source.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// The sections, concatenated in their order (kernel_templates/skeletons/prelude/README.md), without
// their licence lines. `headers`: those of the user's that the kernel includes.
std::string select_prelude(const Signature& signature,
                           const TypeBinding& types,
                           const Baked& baked,
                           const std::vector<UserText>& headers);

// For a program of the user's own on the host: what NVRTC has built in, and no name more. A program
// with includes gets all that these may be made of.
std::string select_raw_prelude(const std::vector<std::string_view>& texts,
                               bool has_includes,
                               DTypeSet named);

// The dtypes that a program of the user's own names, for CUDA. Beside their names and functions of
// theirs it has only names that begin with kgen_.
std::string select_dtype_prelude(DTypeSet named);

}  // namespace kgen
