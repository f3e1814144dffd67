// SPDX-License-Identifier: MIT
//
// Selects the sections of the prelude that a kernel needs: those whose names its texts mention.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dtype/dtype_set.hpp"
#include "plan/baked.hpp"
#include "signature/signature.hpp"
#include "source/source.hpp"
#include "source/taken_names.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// Returns the selected sections in their order (kernel_templates/skeletons/prelude/README.md), without their
// licence lines, with their names as `taken` has them. `headers` holds the user's headers that the kernel
// includes.
std::string select_prelude(const Signature& signature,
                           const TypeBinding& types,
                           const Baked& baked,
                           const std::vector<UserText>& headers,
                           const TakenNames& taken);

// Returns the prelude of a raw program on the host. It declares names that are built into NVRTC, and no
// others. If the program includes files, the prelude has every section that the files may need.
std::string select_raw_prelude(const std::vector<std::string_view>& texts,
                               bool has_includes,
                               DTypeSet named);

// Returns the prelude of a raw program for CUDA: the dtypes that the program names, and their functions. All
// other names in it begin with kgen_.
std::string select_dtype_prelude(DTypeSet named);

}  // namespace kgen
