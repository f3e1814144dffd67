// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/array_creation.hpp>

#include "memory/array_access.hpp"
#include "memory/layout.hpp"

namespace kgen {

namespace {

void check_vector(const Array& vector, std::size_t position) {
    require_value(vector, "meshgrid");
    if (vector.rank() > 1) {
        throw ShapeError(fmt::format("meshgrid: array {} has shape {}, but vectors are expected",
                                     position,
                                     to_text(vector.shape())));
    }
}

}  // namespace

std::vector<Array> meshgrid(std::span<const Array> vectors, const MeshgridOptions& options) {
    Dims full;
    for (std::size_t k = 0; k < vectors.size(); ++k) {
        check_vector(vectors[k], k);
        full.push_back(vectors[k].size());
    }
    const auto axis_of = [&](int k) {
        const bool swapped =
            options.indexing == MeshgridIndexing::xy && k < 2 && vectors.size() > 1;
        return swapped ? 1 - k : k;
    };
    Dims shape = full;
    for (int k = 0; k < full.rank(); ++k) shape[axis_of(k)] = full[k];
    std::vector<Array> grid;
    for (int k = 0; k < full.rank(); ++k) {
        const Array& vector = vectors[static_cast<std::size_t>(k)];
        Dims extents = Dims::filled(full.rank(), 1);
        Dims strides = Dims::filled(full.rank(), 0);
        extents[axis_of(k)] = full[k];
        strides[axis_of(k)] = vector.rank() == 0 ? 0 : vector.strides()[0];
        const Array view = ArrayAccess::view_of(vector, extents, strides, vector.data());
        grid.push_back(options.sparse ? view : view.broadcast_to(shape));
    }
    return grid;
}

}  // namespace kgen
