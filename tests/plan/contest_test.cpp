// SPDX-License-Identifier: MIT
//
// Of several ways to run a call, those with less predicted time are kept.
#include "plan/contest.hpp"

#include <kgen/error.hpp>

#include "plan/plan_cuda.hpp"
#include "plan/quickest_pieces.hpp"
#include "support/catch.hpp"

using namespace kgen;

namespace {

// A call without operands. What it computes does not matter here.
class AnyCall {
public:
    explicit AnyCall(Fit fit = Fit::call)
        : signature_(parse_signature({.name = "k", .outputs = "raw T z", .operation = ""})),
          request_{.signature = signature_,
                   .types = types_,
                   .operands = {},
                   .loop = {1000},
                   .target = {DeviceKind::cuda, "sm_90"},
                   .fit = fit},
          context_(request_) {}
    const PlanContext& context() const { return context_; }

private:
    Signature signature_;
    TypeBinding types_;
    PlanRequest request_;
    PlanContext context_;
};

// A loop whose launches take 100 ns, divided by the elements of a vector. Vectors of 32 cannot be launched.
Loop timed_loop() {
    Loop loop = flat_loop;
    loop.measure = [](const PlanContext&, const Baked& baked) {
        if (baked.vector == 32) throw ShapeError("too many blocks");
        return Geometry{};
    };
    loop.predict = [](const PlanContext&, const Baked& baked, const Geometry&) {
        return 100.0 / baked.vector;
    };
    return loop;
}

Baked with_vector(int vector) {
    Baked baked;
    baked.vector = vector;
    return baked;
}

// A launch takes as long as its number of blocks is away from `best`, and 100 ns more.
template <std::int64_t best>
double around(const PlanContext&, const Baked&, const Geometry& geometry) {
    return 100 + static_cast<double>(std::abs(geometry.blocks - best));
}

Geometry blocks_of(std::int64_t count) {
    Geometry geometry;
    geometry.blocks = count;
    return geometry;
}

}  // namespace

TEST_CASE("a contest keeps the way that is quicker by the share that is asked for", "[plan]") {
    const AnyCall call;
    const Loop loop = timed_loop();
    Baked best = with_vector(4);
    Contest contest(call.context(), loop, best);
    CHECK_FALSE(contest.offer(with_vector(2), 1.0));  // takes twice as long
    CHECK_FALSE(contest.offer(with_vector(4), 1.0));  // is not quicker
    CHECK_FALSE(contest.offer(with_vector(8), 0.5));  // is not that much quicker
    CHECK(best.vector == 4);
    CHECK(contest.offer(with_vector(8), 0.51));
    CHECK(best.vector == 8);
    CHECK_FALSE(contest.offer(with_vector(5), 1.0));  // the new best way counts
    CHECK(contest.offer(with_vector(9), 0.95));
    CHECK(best.vector == 9);
}

TEST_CASE("a way that cannot be launched loses a contest, and is beaten by any other", "[plan]") {
    const AnyCall call;
    const Loop loop = timed_loop();
    Baked best = with_vector(32);
    Contest contest(call.context(), loop, best);
    CHECK(contest.offer(with_vector(1), 0.5));
    CHECK_FALSE(contest.offer(with_vector(32), 1.0));
    CHECK(best.vector == 1);
}

TEST_CASE("pieces are halved as long as that is clearly quicker, or else doubled", "[plan]") {
    const AnyCall call;
    const Baked baked;
    const auto pieces = [&](auto predict, std::int64_t from, bool may_double) {
        return quickest_pieces(call.context(), baked, predict, from, may_double, blocks_of).blocks;
    };
    CHECK(pieces(around<100>, 100, true) == 100);
    CHECK(pieces(around<10>, 100, true) == 12);  // 6 takes longer
    CHECK(pieces(around<0>, 100, true) == 6);    // 3 takes less, but within 3 %
    CHECK(pieces(around<400>, 100, true) == 400);
    CHECK(pieces(around<900>, 100, true) == 400);  // at most four times as many
    CHECK(pieces(around<400>, 100, false) == 100);
    CHECK(pieces(around<1>, 1, false) == 1);
    const AnyCall any_size(Fit::any_size);
    CHECK(quickest_pieces(any_size.context(), baked, around<10>, 100, true, blocks_of).blocks ==
          100);
}
