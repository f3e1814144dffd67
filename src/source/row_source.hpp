// SPDX-License-Identifier: MIT
//
// generate_rows: the source of a row kernel, for both devices.
#pragma once

#include "source/source.hpp"

namespace kgen {

// Does the work of generate_source if `baked` is the plan of a row kernel.
Source generate_rows(const Signature& signature,
                     const TypeBinding& types,
                     const Baked& baked,
                     const std::vector<UserText>& headers);

}  // namespace kgen
