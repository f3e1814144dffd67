// SPDX-License-Identifier: MIT
//
// The text of a reduction, for both devices.
#pragma once

#include "source/reduction_text.hpp"
#include "source/source.hpp"

namespace kgen {

// As generate_source, for a `baked` that is a reduction's.
Source generate_reduction(const Definition& definition,
                          const Signature& signature,
                          const TypeBinding& types,
                          const Baked& baked,
                          const std::vector<UserText>& headers);

// What each kind of loop adds to the slots; each returns its skeleton.
std::string_view fill_reduced_rows(const ReductionText& text, Slots& slots);
std::string_view fill_staged_rows(const ReductionText& text, Slots& slots);
std::string_view fill_reduced_columns(const ReductionText& text, Slots& slots);
// Of the host: source/host_reduction_loop.cpp.
std::string_view fill_host_reduction(const ReductionText& text, Slots& slots);

}  // namespace kgen
