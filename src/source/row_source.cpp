// SPDX-License-Identifier: MIT
#include "source/row_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/skeletons.hpp>

#include "plan/row_spread.hpp"
#include "source/loops.hpp"

namespace kgen {

namespace {

// Several blocks of a multiprocessor take turns at reading and computing, so its registers must suffice for them. Without
// the bound, ptxas uses more registers than fewer blocks need: 55 instead of 40 for log_softmax of float16.
std::string launch_bounds(const RowText& text, const TypeBinding& types) {
    const Baked& baked = text.text().baked();
    // Teams of the whole grid count on two blocks of each multiprocessor.
    if (is_spread(baked)) return fmt::format("{}, {}", baked.block_bound, spread_blocks_each);
    const auto* rows = std::get_if<FusedRowsChoice>(&baked.choice);
    const auto* columns = std::get_if<FusedColumnsChoice>(&baked.choice);
    const int held = rows != nullptr ? rows->held : columns != nullptr ? columns->held : 0;
    const bool packed = rows != nullptr ? rows->packed : columns != nullptr && columns->packed;
    const bool reads_shifted = rows != nullptr && rows->shifted && held == 0;
    // What is computed of the elements is kept as float32 or float64.
    const std::size_t least = text.calls_functions() && !packed ? sizeof(float) : 1;
    std::size_t bytes = 0;
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        if (text.text().is_array(k) && text.is_input(k) && !text.text().is_uniform(k))
            bytes += std::max(item_size(types.dtypes[k]), least);
    }
    for (const RowDraw& each : text.draws()) bytes += std::max(item_size(each.dtype), least);
    const int at_once = held > 0 ? held : baked.vector > 1 ? 4 : 8;
    bytes *= static_cast<std::size_t>(at_once * baked.vector);
    std::string bounds = std::to_string(baked.block_bound);
    if (baked.block_bound > 256 && baked.block_bound <= 512)
        bounds += bytes <= 64 && (held <= 16 || packed) && !reads_shifted ? ", 3" : ", 2";
    if (baked.block_bound > 512) bounds += ", 1";
    if (cluster_blocks(baked) > 1)
        bounds += fmt::format(") __cluster_dims__({}, 1, 1", cluster_blocks(baked));
    return bounds;
}

}  // namespace

Source generate_rows(const Signature& signature,
                     const TypeBinding& types,
                     const Baked& baked,
                     const std::vector<UserText>& headers) {
    const KernelParts parts(signature, types, baked, headers);
    const RowText text(signature, parts);
    LoopText loop(baked);
    write_operands(text, loop);
    Slots slots;
    slots["operands"] = {loop.text()};
    slots["names"] = {parts.visible_names()};
    slots["launch_bounds"] = {launch_bounds(text, types)};
    text.fill(slots);
    const std::string accumulator_symbol = is_spread(baked) ? parts.symbol() + "_accumulator" : "";
    slots["accumulators"] = {text.accumulators(accumulator_symbol)};
    return parts.write(embedded::rows_in, slots, accumulator_symbol);
}

}  // namespace kgen
