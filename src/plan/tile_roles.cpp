// SPDX-License-Identifier: MIT
#include "plan/tile_roles.hpp"

#include <algorithm>

namespace kgen {

TilePlaces place_tiles(const TileRoles& roles,
                       const Signature& signature,
                       std::span<const DType> dtypes) {
    const std::size_t count = dtypes.size();
    const auto item = [&](std::size_t k) {
        return static_cast<std::int64_t>(item_size(dtypes[k]));
    };
    TilePlaces tiles;
    tiles.places.resize(count);
    const auto add = [&](std::size_t k) {
        tiles.places[k].along_a = tiles.bytes_a;
        tiles.bytes_a += item(k);
    };
    PerParameter<std::size_t>
        free;  // inputs whose tiles no output has taken yet; `count` for others
    for (std::size_t k = 0; k < count; ++k) {
        if (signature.parameters[k].written || !roles.has_tile(k)) continue;
        add(k);
        free.push_back(k);
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (!signature.parameters[k].written || !roles.has_tile(k)) continue;
        const auto taken = std::find_if(free.begin(), free.end(), [&](std::size_t input) {
            return !roles.reads_squares(k) && input != count && item(input) == item(k);
        });
        if (taken == free.end()) {
            add(k);
        } else {
            tiles.places[k].along_a = tiles.places[*taken].along_a;
            *taken = count;
        }
        if (!roles.turns_back(k)) continue;
        tiles.places[k].along_b = tiles.bytes_b;
        tiles.bytes_b += item(k);
    }
    return tiles;
}

}  // namespace kgen
