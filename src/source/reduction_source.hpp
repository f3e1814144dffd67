// SPDX-License-Identifier: MIT
//
// The text of a reduction, for both devices.
#pragma once

#include "source/reduction_text.hpp"
#include "source/source.hpp"

namespace kgen {

// As generate_source, for a `baked` that is a reduction's.
Source generate_reduction(const Signature& signature,
                          const TypeBinding& types,
                          const Baked& baked,
                          const std::vector<UserText>& headers);

}  // namespace kgen
