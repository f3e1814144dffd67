// SPDX-License-Identifier: MIT
//
// HostRows: what the host's loops say of a row along the last axis. `kgen_row_NAME` is a char* to
// where the row of an array begins, `kgen_k` counts the row's elements.
#pragma once

#include <string>
#include <string_view>

#include "source/kernel_text.hpp"

namespace kgen {

class HostRows {
public:
    // `text` outlives the object; `indent` is that of the statements beside the inner loop.
    HostRows(const KernelText& text, std::string_view indent) : text_(text), indent_(indent) {}

    // The strides along the row, of arrays that have one, as locals: the compiler must assume that a
    // store changes the parameter block, and would not vectorise with strides from there.
    std::string steps() const;
    // The pointers, at the begin of the walk.
    std::string pointers(std::string_view indent) const;
    // Moves each pointer: "kgen_row_x <how>;", where {0} of `how` is the array's strides.
    std::string advance(std::string_view indent, std::string_view how) const;
    // Where tiles and packs begin along the axes outside the last two: `kgen_rest` is divided into
    // places. Moves `kgen_at` too if `moves_index`.
    std::string outer_axes(bool moves_index) const;
    // Before the inner loop: the loads of what is the same in a row.
    std::string uniform() const;
    // In front of the inner loop: that its iterations do not see each other.
    static std::string independent(bool is_so);
    // In the inner loop, strided arrays by kgen_step_NAME, or from `kgen_pack_NAME` where the loop has
    // packs; `index` is the C-order index.
    std::string element(std::string_view index) const;

private:
    std::string row(std::size_t k) const;

    const KernelText& text_;
    std::string indent_;
};

}  // namespace kgen
