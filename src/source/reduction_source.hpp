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

// What the host's loops add to the slots; returns the skeleton.
std::string_view fill_host_reduction(const ReductionText& text, Slots& slots);

}  // namespace kgen
