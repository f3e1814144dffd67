// SPDX-License-Identifier: MIT
//
// The old names of docs/changes.md still compile and do the same as the new ones.
#include <kgen/kgen.hpp>
#include <type_traits>

#include "support/catch.hpp"

using namespace kgen;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

TEST_CASE("old names of functions and types mean the new ones") {
    const ElementwiseKernel twice("T x", "T y", "y = 2 * x", "twice");
    const Array x = arange(3, float32, {Device::host()});
    CHECK(array_equal(twice.outputs<1>(x)[0], twice.call<1>(x)[0]));
    const BoundLaunch bound = twice.bind_call(std::vector<Argument>{x});
    bound();
    CHECK(array_equal(bound.outputs()[0], twice(x)));

    const Stream stream = Stream::create(Device::host());
    const Graph graph = capture(stream, [&] { twice(x); });
    CHECK(graph.native() == graph.handle());

    CHECK(std::is_same_v<GridOptions, MeshgridOptions>);
    CHECK(std::is_same_v<GridIndexing, MeshgridIndexing>);
}

TEST_CASE("a field has its value under its old name too") {
    CHECK(MemoryPoolStatistics{.peak_reserved_bytes = 7}.most_reserved_bytes == 7);
}

#pragma GCC diagnostic pop
