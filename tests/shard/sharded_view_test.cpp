// SPDX-License-Identifier: MIT
//
// Views of sharded arrays.
#include <kgen/kgen.hpp>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/sharded_arrays.hpp"

using namespace kgen;
using namespace kgen::indexing;
using test::ranks_on;

TEST_CASE("an index of a sharded array makes views of the blocks", "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Communicator ranks = ranks_on(device, 3);
        const Array a = arange(60, float64).reshape(5, 3, 4).copy();
        const ShardedArray x = shard(a, Sharding::split(-1), ranks);
        const ShardedArray middle = x[{1, newaxis, s({}, {}, -2)}];
        CHECK(middle.sharding() == Sharding::split(2, {2, 1, 1}));
        CHECK(array_equal(gather(middle), a[{1, newaxis, s({}, {}, -2)}]));
        CHECK(array_equal(gather(x[{ellipsis, 2, all}]), a[{ellipsis, 2, all}]));
        CHECK(array_equal(gather(x[-1]), a[-1]));
        CHECK(array_equal(gather(x[{all, s(3, 9)}]), a[{all, s(3, 9)}]));
        CHECK(array_equal(gather(sum(x[{s(1, 3)}] * 2, axis(2))), sum(a[{s(1, 3)}] * 2, axis(2))));
        CHECK(array_equal(gather(replicate(a, ranks)[{s(1, 3), 0, 2}]), a[{s(1, 3), 0, 2}]));

        x[{s({}, {}, 2), 1}] += 100;
        a[{s({}, {}, 2), 1}] += 100;
        x[{all, 0}].assign(x[{all, 2}] * 2);
        a[{all, 0}] = a[{all, 2}] * 2;
        CHECK(array_equal(gather(x), a));
        const ShardedArray halo = empty_sharded({6, 2}, float64, Sharding::split(0), ranks, 1);
        CHECK(halo[{all, 1}].halo() == 0);
        CHECK_THROWS_AS(exchange_halo(halo[{all, 1}]), ShapeError);
    }
}

TEST_CASE("an index that would move elements between ranks is refused", "[shard]") {
    const DeviceScope scope(Device::host());
    const Communicator ranks = ranks_on(Device::host(), 3);
    const ShardedArray x = shard(arange(12, float32).reshape(4, 3), Sharding::split(0), ranks);
    const std::string expected =
        "index: the array is split along axis 0 into (2, 1, 1), and its ranks keep their elements, "
        "so an index selects all along that axis, in their order; call reshard() for another axis "
        "first, or index the local() arrays";
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[1]) == expected);
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{s(1, {})}]) == expected);
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{s({}, {}, -1), 2}]) == expected);
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{s({}, {}, 2)}]) == expected);
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{all, 3}]) ==
          "index 3 is out of range: axis 1 of shape (4, 3) has 3 elements");
    CHECK(array_equal(gather(x[{s(0, 4)}]), arange(12, float32).reshape(4, 3)));
    static_assert(!std::is_assignable_v<ShardedArray&&, const ShardedArray&>,
                  "x[1] = y would change no element");
}
