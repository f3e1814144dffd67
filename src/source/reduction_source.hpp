// SPDX-License-Identifier: MIT
//
// generate_reduction: the source of a reduction, for both devices.
#pragma once

#include "source/reduction_text.hpp"
#include "source/source.hpp"

namespace kgen {

// Does the work of generate_source if `baked` is the plan of a reduction.
Source generate_reduction(const Signature& signature,
                          const TypeBinding& types,
                          const Baked& baked,
                          const std::vector<UserText>& headers);

}  // namespace kgen
