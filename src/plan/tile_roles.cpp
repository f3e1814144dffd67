// SPDX-License-Identifier: MIT
#include "plan/tile_roles.hpp"

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
    std::vector<std::size_t> free;  // inputs whose tiles no output has taken yet
    for (std::size_t k = 0; k < count; ++k) {
        if (signature.parameters[k].written || !roles.has_tile(k)) continue;
        add(k);
        free.push_back(k);
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (!signature.parameters[k].written || !roles.has_tile(k)) continue;
        auto taken = free.begin();
        while (taken != free.end() && (roles.reads_squares(k) || item(*taken) != item(k))) ++taken;
        if (taken == free.end()) {
            add(k);
        } else {
            tiles.places[k].along_a = tiles.places[*taken].along_a;
            free.erase(taken);
        }
        if (!roles.turns_back(k)) continue;
        tiles.places[k].along_b = tiles.bytes_b;
        tiles.bytes_b += item(k);
    }
    return tiles;
}

}  // namespace kgen
