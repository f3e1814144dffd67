// SPDX-License-Identifier: MIT
//
// How calls of reductions are bound: the reduced axes, the shapes and strides of the outputs,
// and the memory that a call uses.
#include <kgen/kgen.hpp>
#include <vector>

#include "call/bound_call.hpp"
#include "call/call_memory.hpp"
#include "support/catch.hpp"

using namespace kgen;

namespace {

using List = std::vector<int>;

Signature sum_of(const std::string& inputs, const std::string& outputs = "T y") {
    return parse_signature(
        {.name = "sum",
         .inputs = inputs,
         .outputs = outputs,
         .operation = "x",
         .reduction = ReductionTexts{.reduce = "a + b", .post_map = "y = a", .identity = "0"}});
}

BoundCall bind(const Signature& signature,
               const std::vector<Argument>& arguments,
               const CallOptions& options = {}) {
    return bind_call(signature, CallView(arguments, options), CallPurpose::explain);
}

Array floats(const Dims& shape) {
    return zeros(shape, float32, {Device::host()});
}

}  // namespace

TEST_CASE("the axes of a call are a set", "[reduction]") {
    const Signature sum = sum_of("T x");
    const ArraySpec cube{float32, {2, 3, 4}};
    CHECK(bind(sum, {cube}).reduced_axes == 0b111);
    CHECK(bind(sum, {cube}, {.axes = List{}}).reduced_axes == 0);
    CHECK(bind(sum, {cube}, {.axes = List{1}}).reduced_axes == 0b010);
    CHECK(bind(sum, {cube}, {.axes = List{-1, 0}}).reduced_axes == 0b101);
    CHECK(bind(sum, {cube}, {.axes = List{2, 1, 0}}).reduced_axes == 0b111);
    CHECK(bind(sum, {ArraySpec{float32, {}}}).reduced_axes == 0);
    const ArraySpec deep{float32, Dims::filled(16, 1)};
    CHECK(bind(sum, {deep}).reduced_axes == 0xffff);
    CHECK(bind(sum, {deep}, {.axes = List{-16, 15}}).reduced_axes == 0x8001);
}

TEST_CASE("an output walks the loop with the reduced axes standing still", "[reduction]") {
    const Signature sum = sum_of("T x");
    const ArraySpec cube{float32, {2, 3, 4}};
    const BoundCall row = bind(sum, {cube}, {.axes = List{1}});
    CHECK(row.loop == Dims{2, 3, 4});
    CHECK(row.operands[1].shape == Dims{2, 1, 4});
    CHECK(row.operands[1].strides == Dims{16, 0, 4});
    REQUIRE(row.new_outputs.size() == 1);
    CHECK(row.new_outputs[0].parameter == 1);
    CHECK(row.new_outputs[0].shape == Dims{2, 4});
    CHECK(row.new_outputs[0].strides == Dims{16, 4});

    const BoundCall kept = bind(sum, {cube}, {.axes = List{1}, .keepdims = true});
    CHECK(kept.operands[1].shape == Dims{2, 1, 4});
    CHECK(kept.operands[1].strides == Dims{16, 0, 4});
    CHECK(kept.new_outputs[0].shape == Dims{2, 1, 4});

    const BoundCall full = bind(sum, {cube});
    CHECK(full.operands[1].shape == Dims{1, 1, 1});
    CHECK(full.new_outputs[0].shape == Dims{});

    const BoundCall none = bind(sum, {cube}, {.axes = List{}});
    CHECK(none.operands[1].shape == Dims{2, 3, 4});
    CHECK(none.new_outputs[0].strides == Dims{48, 16, 4});
}

TEST_CASE("a new output lies in memory as the inputs' kept axes do", "[reduction]") {
    const Signature sum = sum_of("T x");
    // Strides of the shape (2, 3, 4) in Fortran order.
    const ArraySpec turned{float32, {2, 3, 4}, Dims{4, 8, 24}};
    CHECK(bind(sum, {turned}, {.axes = List{1}}).new_outputs[0].strides == Dims{4, 8});
    CHECK(bind(sum, {turned}, {.axes = List{1}}).operands[1].strides == Dims{4, 0, 8});
    CHECK(bind(sum, {turned}, {.axes = List{0}, .keepdims = true}).operands[1].strides ==
          Dims{0, 4, 12});
}

TEST_CASE("given outputs keep their own strides", "[reduction]") {
    const Signature sum = sum_of("T x");
    const Array x = floats({2, 3, 4});
    const Array y = floats({4, 4}).slice({{0, 4, 2}}).transpose();  // (4, 2), strides (4, 32)
    const BoundCall call = bind(sum, {x.transpose({2, 1, 0})}, {.outputs = {y}, .axes = List{1}});
    CHECK(call.operands[1].shape == Dims{4, 1, 2});
    CHECK(call.operands[1].strides == Dims{4, 0, 32});
    CHECK(call.new_outputs.empty());
    const BoundCall kept = bind(sum,
                                {x},
                                {.outputs = {floats({2, 3, 4}).slice({{}, {0, 1}, {}})},
                                 .axes = List{1},
                                 .keepdims = true});
    CHECK(kept.operands[1].strides == Dims{48, 0, 4});
}

TEST_CASE("inputs broadcast, and raw ones and outputs do not shape the loop", "[reduction]") {
    const Signature weighted = sum_of("T x, T w, raw T t");
    const BoundCall call =
        bind(weighted,
             {ArraySpec{float32, {5, 1, 4}}, ArraySpec{float32, {3, 1}}, ArraySpec{float32, {100}}},
             {.axes = List{0}});
    CHECK(call.loop == Dims{5, 3, 4});
    CHECK(call.new_outputs[0].shape == Dims{3, 4});
    const Signature raw = sum_of("raw T x");
    CHECK(bind(raw, {ArraySpec{float32, {9}}}, {.size = 7}).loop == Dims{7});
    CHECK(bind(raw, {ArraySpec{float32, {9}}}, {.size = 0}).loop == Dims{0});
}

TEST_CASE("an input that an output would overwrite is copied", "[reduction]") {
    const Signature sum = sum_of("T x");
    const Array x = floats({4, 4});
    const auto input_of = [&](const Array& input, const CallOptions& options) {
        const std::vector<Argument> arguments = {input};
        BoundCall call = bind_call(sum, CallView(arguments, options), CallPurpose::run);
        prepare_memory(sum, call, Stream::legacy(Device::host()), Temporaries::allowed);
        return call.arrays[0]->data();
    };
    CHECK(input_of(x, {.outputs = {x.slice({{0, 1}}).reshape({4})}, .axes = List{0}}) != x.data());
    CHECK(input_of(x, {.outputs = {floats({4})}, .axes = List{0}}) == x.data());
    // The input is copied even if both have the same strides along the kept axis, because the
    // second element may be read after the first was folded into the output.
    const Array still = floats({4}).broadcast_to({3, 4});
    const Array base =
        Array::view(const_cast<void*>(still.data()), float32, {4}, {.device = Device::host()});
    CHECK(input_of(still, {.outputs = {base}, .axes = List{0}}) != still.data());
    // If nothing is folded, the call runs in place.
    CHECK(input_of(x, {.outputs = {x}, .axes = List{}}) == x.data());
    CHECK(input_of(x.reshape({4, 1, 4}), {.outputs = {x}, .axes = List{1}}) == x.data());
    CHECK(input_of(x, {.outputs = {x.transpose()}, .axes = List{}}) != x.data());
}

TEST_CASE("a misaligned output is folded into a temporary of its shape", "[reduction]") {
    const Signature sum = sum_of("T x");
    const Array memory = zeros({64}, uint8, {Device::host()});
    auto* data = static_cast<std::byte*>(const_cast<void*>(memory.data()));
    const Array y = Array::view(data + 4, complex64, {3}, {.device = Device::host()});
    const std::vector<Argument> arguments = {zeros({3, 2}, complex64, {Device::host()})};
    const CallOptions options{.outputs = {y}, .axes = List{1}};
    BoundCall call = bind_call(sum, CallView(arguments, options), CallPurpose::run);
    prepare_memory(sum, call, Stream::legacy(Device::host()), Temporaries::allowed);
    CHECK(call.arrays[1]->shape() == Dims{3});
    CHECK(call.arrays[1]->data() != y.data());
    CHECK(call.operands[1].shape == Dims{3, 1});
    CHECK(call.operands[1].strides == Dims{8, 0});
}
