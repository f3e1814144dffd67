// SPDX-License-Identifier: MIT
#include "plan/tile_places.hpp"

#include <algorithm>

namespace kgen {

TilePlaces place_tiles(const Signature& signature,
                       const Baked& baked,
                       std::span<const DType> dtypes) {
    const std::size_t count = dtypes.size();
    const auto item = [&](std::size_t k) {
        return static_cast<std::int64_t>(item_size(dtypes[k]));
    };
    TilePlaces tiles;
    tiles.at.resize(count);
    // Inputs whose tiles no output has taken yet; `count` for others.
    PerParameter<std::size_t> free;
    for (const bool written : {false, true}) {
        for (std::size_t k = 0; k < count; ++k) {
            const Parameter& parameter = signature.parameters[k];
            if (parameter.written != written || baked.operands[k].access != Access::shared)
                continue;
            const auto taken = std::find_if(free.begin(), free.end(), [&](std::size_t input) {
                return parameter.overwritten && input != count && item(input) == item(k);
            });
            if (taken != free.end()) {
                tiles.at[k] = tiles.at[*taken];
                *taken = count;
                continue;
            }
            tiles.at[k] = tiles.bytes;
            tiles.bytes += item(k);
            if (!written) free.push_back(k);
        }
    }
    return tiles;
}

}  // namespace kgen
