// SPDX-License-Identifier: MIT
//
// What each kind of loop adds to the slots of its skeleton.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "source/kernel_text.hpp"
#include "source/source_writer.hpp"

namespace kgen {

using Slots = std::map<std::string, Slot>;

// Each returns its skeleton.
// rows.cpp.in; `independent` says that the elements may be computed in any order.
std::string_view fill_rows_loop(const KernelText& text, bool independent, Slots& slots);
// short_rows.cpp.in, for loops whose elements may be computed in any order.
std::string_view fill_short_rows_loop(const KernelText& text, Slots& slots);
// tiles.cpp.in; `independent` as above.
std::string_view fill_tiles_loop(const KernelText& text, bool independent, Slots& slots);

}  // namespace kgen
