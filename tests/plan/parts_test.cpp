// SPDX-License-Identifier: MIT
//
// Outputs that are computed apart from each other by one launch: when, and that the results are the same.
#include <fmt/format.h>

#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "plan/loop_table.hpp"
#include "plan/part_request.hpp"
#include "source/source.hpp"
#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/host_loops.hpp"
#include "support/scoped_variable.hpp"
#include "support/trial.hpp"
#include "text/list.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

struct Given {
    Part part;
    std::uintptr_t address = 0;  // if not 0, instead of a place of its own
};

// Plans a call whose last operands, as many as `outputs`, are written.
Plan plan_of_definition(const Definition& definition,
                        const std::vector<Given>& given,
                        std::size_t outputs,
                        const std::string& loop = "") {
    const Signature signature = parse_signature(definition);
    std::vector<Operand> operands;
    std::vector<ArgumentType> types;
    for (std::size_t k = 0; k < given.size(); ++k) {
        const std::uintptr_t own = std::uintptr_t{k + 4} << 38;
        operands.push_back(
            {.kind = signature.parameters[k].raw ? OperandKind::raw : OperandKind::array,
             .dtype = given[k].part.dtype,
             .written = k + outputs >= given.size(),
             .shape = given[k].part.shape,
             .strides = given[k].part.strides,
             .address = given[k].address != 0 ? given[k].address : own});
        types.push_back({ArgumentType::Kind::array, given[k].part.dtype});
    }
    const TypeBinding binding = resolve_types(signature, types);
    return make_plan({.signature = signature,
                      .types = binding,
                      .operands = operands,
                      .loop = given.back().part.shape,
                      .target = {DeviceKind::cuda, "sm_90"},
                      .limits = {.processor_count = 132},
                      .loop_name = loop});
}

// Plans "y = a; z = b" unless another operation is given.
Plan plan_two(const std::vector<Given>& given,
              const std::string& operation = "y = a; z = b",
              const std::string& loop = "",
              const std::string& inputs = "A a, B b") {
    return plan_of_definition(
        {.name = "two", .inputs = inputs, .outputs = "Y y, Z z", .operation = operation},
        given,
        2,
        loop);
}

std::string loops_of(const Plan& plan) {
    if (plan.baked.parts.empty()) return std::string(loop_of(plan.baked).name);
    std::string names = "parts:";
    for (const Baked& part : plan.baked.parts) names += " " + std::string(loop_of(part).name);
    return names;
}

std::string refusal_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

const Dims square{4096, 4096};
const Part straight = c_part(float32, square);
const Part turned{float32, square, {4, 16384}};

}  // namespace

TEST_CASE("outputs of unlike arrays are computed apart where that is quicker", "[plan]") {
    CHECK(loops_of(plan_two({{straight}, {turned}, {straight}, {turned}})) == "parts: flat flat");
    CHECK(loops_of(plan_two({{straight}, {turned}, {turned}, {turned}})) ==
          "parts: shared_tiles flat");
    CHECK(loops_of(plan_two({{straight}, {straight}, {straight}, {straight}})) == "flat");
    // Both outputs need both inputs, so the inputs would be read twice.
    CHECK(loops_of(plan_two({{straight}, {turned}, {straight}, {straight}},
                            "y = a + b; z = a - b")) == "shared_tiles");
    CHECK(loops_of(plan_two({{straight}, {turned}, {straight}, {turned}}, "y = a; z = y + b")) ==
          "shared_tiles");
    // An element that serves all others is no reason to stay together, and so is a raw parameter.
    CHECK(loops_of(plan_two({{straight}, {turned}, {c_part(float32, {1, 1})}, {straight}, {turned}},
                            "y = a * c; z = b * c",
                            "",
                            "A a, B b, C c")) == "parts: flat flat");
    CHECK(loops_of(plan_two({{straight}, {turned}, {c_part(float32, {7})}, {straight}, {turned}},
                            "y = a * c[i % 7]; z = b * c[1]",
                            "",
                            "A a, B b, raw C c")) == "parts: flat flat");
    // Small calls take the time of a launch.
    const Dims small{64, 64};
    const Part few = c_part(float32, small);
    const Part few_turned{float32, small, {4, 256}};
    CHECK(loops_of(plan_two({{few}, {few_turned}, {few}, {few_turned}})) != "parts: flat flat");
    CHECK(loops_of(plan_two({{few}, {few_turned}, {few}, {few_turned}}, "y = a; z = b", "parts")) ==
          "parts: flat flat");
}

TEST_CASE("outputs that share memory with arrays of other outputs stay together", "[plan]") {
    const std::uintptr_t here = std::uintptr_t{1} << 37;
    const auto loops = [&](const std::vector<Given>& given) { return loops_of(plan_two(given)); };
    CHECK(loops({{straight, here}, {turned}, {straight, here}, {turned}}) == "parts: flat flat");
    // z is stored where a lies, which y reads.
    CHECK(loops({{turned, here}, {straight}, {straight}, {turned, here}}) == "shared_tiles");
    CHECK(refusal_of([&] {
              plan_two({{turned, here}, {straight}, {straight}, {turned, here}},
                       "y = a; z = b",
                       "parts");
          })
              .find("the loop 'parts' of KGEN_LOOP cannot run this call on cuda; these can: "
                    "shared_tiles") != std::string::npos);
    // y and z lie between each other's elements.
    const Part even{float32, square, {32768, 8}};
    CHECK(loops({{straight}, {turned}, {even, here}, {even, here + 4}}) == "flat");
    // c is raw and lies where y is stored.
    CHECK(loops_of(plan_two({{straight}, {turned}, {straight, here}, {straight, here}, {turned}},
                            "y = a; z = b * c[i]",
                            "",
                            "A a, B b, raw C c")) == "shared_tiles");
}

TEST_CASE("the launch of parts has the blocks of all, and the block has all parameters", "[plan]") {
    const Plan plan = plan_two({{straight}, {turned}, {turned}, {turned}});
    REQUIRE(plan.baked.parts.size() == 2);
    // 4096 tiles of 64 by 64, and 4096 * 4096 elements by vectors of 4 and 256 threads.
    CHECK(plan.runtime.grid == 4096 + 16384);
    CHECK(plan.runtime.threads == 256);
    CHECK(plan.runtime.shared_bytes == 64 * 17 * 16);
    std::vector<std::uint32_t> firsts;
    const std::vector<DType> dtypes(4, float32);
    for (const BlockField& field : lay_out_block(plan.baked, dtypes).fields) {
        if (field.kind != FieldKind::first_block) continue;
        std::memcpy(&firsts.emplace_back(), plan.runtime.block.data() + field.offset, 4);
    }
    CHECK(firsts == std::vector<std::uint32_t>{0, 4096});
    CHECK(to_key(plan.baked).find(" part") != std::string::npos);
}

TEST_CASE("which parts a call has does not depend on the GPU's limits", "[plan]") {
    const Definition definition{.name = "four",
                                .inputs = "float32 a, uint8 b",
                                .outputs = "int16 y, uint8 z",
                                .operation = "y = a; z = b"};
    const Signature signature = parse_signature(definition);
    const DType dtypes[] = {float32, uint8, int16, uint8};
    // Of a shape and strides for which the loop of the second part is close to another one.
    const Dims strides[] = {{114784, 544, 4}, {1, 14824, 109}, {59568, 2, 438}, {28696, 136, 1}};
    std::vector<Operand> operands;
    std::vector<ArgumentType> given;
    for (std::size_t k = 0; k < 4; ++k) {
        operands.push_back({.dtype = dtypes[k],
                            .written = k > 1,
                            .shape = {109, 211, 136},
                            .strides = strides[k],
                            .address = std::uintptr_t{k + 4} << 38});
        given.push_back({ArgumentType::Kind::array, dtypes[k]});
    }
    const TypeBinding types = resolve_types(signature, given);
    std::string first;
    for (const int processors : {132, 144, 114, 78, 66, 16}) {
        INFO(processors);
        const Plan plan = make_plan({.signature = signature,
                                     .types = types,
                                     .operands = operands,
                                     .loop = {109, 211, 136},
                                     .target = {DeviceKind::cuda, "sm_90"},
                                     .limits = {.processor_count = processors}});
        if (first.empty()) first = to_key(plan.baked);
        CHECK(to_key(plan.baked) == first);
    }
    CHECK(has_part(first, " parts "));
}

TEST_CASE("parts whose parameters take too many bytes are not offered", "[plan]") {
    Definition definition{.name = "many"};
    std::vector<Given> given;
    for (int k = 0; k < 12; ++k) {
        definition.inputs += fmt::format("float32 x{}, ", k);
        definition.outputs += fmt::format("{}float32 y{}", k > 0 ? ", " : "", k);
        given.push_back({k % 2 == 0 ? straight : turned});
    }
    for (int k = 0; k < 36; ++k) {
        definition.inputs += fmt::format("{}raw float32 r{}", k > 0 ? ", " : "", k);
        given.push_back({c_part(float32, {2, 2, 2, 2, 2, 2, 2, 2})});
    }
    for (int k = 0; k < 12; ++k) {
        definition.operation += fmt::format("y{0} = x{0}", k);
        for (int r = 0; r < 36; ++r) definition.operation += fmt::format(" + r{}[i % 2]", r);
        definition.operation += "; ";
        given.push_back({k % 2 == 0 ? straight : turned});
    }
    CHECK(parse_signature(definition).output_needs.size() == 12);
    CHECK(loops_of(plan_of_definition(definition, given, 12)) != "");
    CHECK(has_part(refusal_of([&] { plan_of_definition(definition, given, 12, "parts"); }),
                   "the loop 'parts' of KGEN_LOOP cannot run this call on cuda"));
}

TEST_CASE("parts of any two loops are one program", "[plan]") {
    if (!has_nvrtc()) return;
    const Definition definition{.name = "two",
                                .inputs = "float32 a, float32 b",
                                .outputs = "float32 y, float32 z",
                                .operation = "y = a; z = b + i"};
    const Signature signature = parse_signature(definition);
    const TypeBinding types = resolve_types(
        signature, std::vector<ArgumentType>(4, {ArgumentType::Kind::array, float32}));
    std::vector<Operand> operands;
    for (std::size_t k = 0; k < 4; ++k)
        operands.push_back({.dtype = float32,
                            .written = k > 1,
                            .shape = square,
                            .strides = k < 2 ? turned.strides : straight.strides,
                            .address = std::uintptr_t{k + 4} << 38});
    PlanRequest request{.signature = signature,
                        .types = types,
                        .operands = operands,
                        .loop = square,
                        .target = {DeviceKind::cuda, "sm_90"},
                        .limits = {.processor_count = 132},
                        .loop_name = "parts"};
    Baked joint = make_plan(request).baked;
    const auto part = [&](ParameterSet has, const std::string& loop) {
        const PartRequest of_part(request, has, 0);
        PlanRequest named = of_part.request();
        named.loop_name = loop;
        return make_plan(named).baked;
    };
    const std::vector<std::string> loops = {"flat", "shared_tiles", "staged_runs"};
    const auto can_run = [&](ParameterSet has, const std::string& loop) {
        const PartRequest of_part(request, has, 0);
        return is_one_of(loop, fitting_loops(of_part.request()));
    };
    int programs = 0;
    for (const std::string& first : loops) {
        for (const std::string& second : loops) {
            if (!can_run(0b0101, first) || !can_run(0b1010, second)) continue;
            ++programs;
            INFO(first << " and " << second);
            joint.parts = {part(0b0101, first), part(0b1010, second)};
            const Source source = generate_source(signature, types, joint);
            const CompileJob job{.kernel = "two",
                                 .source = source.text,
                                 .symbol = source.symbol,
                                 .options = {},
                                 .target = request.target,
                                 .kind = SourceKind::generated};
            CHECK_NOTHROW(nvrtc_image(job));
        }
    }
    CHECK(programs == 9);
}

TEST_CASE("a kernel of parts computes what one loop computes, also by frozen launches", "[plan]") {
    for (const Device device : present_devices()) {
        if (device.kind() != DeviceKind::cuda) continue;
        INFO(to_text(device));
        const ScopedVariable forced("KGEN_LOOP", "parts");
        const ElementwiseKernel kernel("T x, T y, T s",
                                       "T z, T w",
                                       "const T twice = x * s; z = twice + i; w = y - s",
                                       "in_parts");
        const Dims shape{33, 70};
        const ArrayOptions here{.device = device};
        for (int call = 0; call < 3; ++call) {  // the third one is remembered, at other addresses
            const Array x = arange(33 * 70, int32, here).reshape(shape);
            const Array y = arange(33 * 70, int32, here).reshape({70, 33}).transpose();
            const Array z = zeros(shape, int32, here);
            const Array w = zeros({70, 33}, int32, here).transpose();
            if (call == 1) {
                kernel.bind(x, y, 3, out(z, w)).launch();
            } else {
                kernel(x, y, 3, out(z, w));
            }
            const std::vector<std::int32_t> first = z.to_vector<std::int32_t>();
            const std::vector<std::int32_t> second = w.to_vector<std::int32_t>();
            bool is_right = true;
            for (int k = 0; k < 33 * 70; ++k) {
                const auto at = static_cast<std::size_t>(k);
                is_right =
                    is_right && first[at] == k * 3 + k && second[at] == k % 70 * 33 + k / 70 - 3;
            }
            CHECK(is_right);
        }
    }
}
