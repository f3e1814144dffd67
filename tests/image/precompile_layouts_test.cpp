// SPDX-License-Identifier: MIT
//
// Which calls find a kernel among those that a layout compiles ahead. Plans random calls and compiles nothing.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <kgen/kgen.hpp>
#include <map>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "call/call_memory.hpp"
#include "call/pipeline.hpp"
#include "device/registry.hpp"
#include "precompile/precompile_jobs.hpp"
#include "support/catch.hpp"
#include "support/rounds.hpp"
#include "template/template_layouts.hpp"
#include "template/template_library.hpp"

using namespace kgen;

namespace {

constexpr const char* archs[] = {"sm_80", "sm_90", "sm_100"};

// A call whose arrays have no memory.
struct RandomCall {
    std::vector<Argument> arguments;
    std::vector<int> axes;
    Placement placement = Placement::aligned;
    Dims shape;
};

enum class Extents { any, multiples_of_16 };

// Calls of 2^4 to 2^28 elements in one layout.
class RandomCalls {
public:
    RandomCalls(const Signature& signature,
                const std::vector<DType>& dtypes,
                std::string layout,
                std::uint64_t seed)
        : signature_(signature), dtypes_(dtypes), layout_(std::move(layout)), random_(seed) {}

    RandomCall next(double least_bits, Extents extents) {
        const double bits = real(least_bits, 28);
        const double outer_bits = real(least_bits / 4, bits - least_bits / 4);
        RandomCall call;
        call.shape = Dims{extent(outer_bits, extents), extent(bits - outer_bits, extents)};
        for (const char* line : {"contiguous", "unaligned", "in_place", "number", "full"}) {
            if (layout_ == line) call.shape = Dims{extent(bits, extents)};
        }
        if (layout_ == "full" || layout_ == "columns") call.axes = {0};
        if (layout_ == "rows") call.axes = {1};
        if (layout_ == "unaligned") call.placement = Placement::shifted;
        if (layout_ == "in_place") call.placement = Placement::in_place;
        gap_ = 16 * static_cast<std::int64_t>(1 + random_() % 64);
        const auto inputs = static_cast<std::size_t>(signature_.input_count);
        for (std::size_t k = 0; k < signature_.parameters.size(); ++k) {
            if (k >= inputs) {
                call.arguments.emplace_back(ArraySpec{dtypes_[k], results(call), {}});
            } else if (k + 1 == inputs) {
                call.arguments.push_back(last_input(call.shape));
            } else {
                call.arguments.emplace_back(input(k, call.shape));
            }
        }
        return call;
    }

private:
    double real(double low, double high) {
        return low + (high - low) * static_cast<double>(random_() % 1000) / 1000;
    }
    static std::int64_t extent(double bits, Extents extents) {
        const auto extent = static_cast<std::int64_t>(std::exp2(bits));
        return extents == Extents::any ? std::max<std::int64_t>(extent, 2)
                                       : std::max<std::int64_t>(extent / 16 * 16, 16);
    }
    static Dims results(const RandomCall& call) {
        if (call.axes.empty()) return call.shape;
        Dims results;
        for (int axis = 0; axis < call.shape.rank(); ++axis) {
            if (axis != call.axes.front()) results.push_back(call.shape[axis]);
        }
        return results;
    }
    ArraySpec input(std::size_t k, const Dims& shape) const {
        const auto item = static_cast<std::int64_t>(item_size(dtypes_[k]));
        if (layout_ != "strided") return {dtypes_[k], shape, {}};
        return {dtypes_[k], shape, Dims{item * (shape[1] + gap_), item}};
    }
    Argument last_input(const Dims& shape) const {
        const auto last = static_cast<std::size_t>(signature_.input_count) - 1;
        const auto item = static_cast<std::int64_t>(item_size(dtypes_[last]));
        if (layout_ == "number") return Scalar(1);
        if (layout_ == "row") return ArraySpec{dtypes_[last], {shape[1]}, {}};
        if (layout_ == "column") return ArraySpec{dtypes_[last], {shape[0], 1}, {}};
        if (layout_ == "transposed")
            return ArraySpec{dtypes_[last], shape, Dims{item, item * shape[0]}};
        return input(last, shape);
    }

    const Signature& signature_;
    const std::vector<DType>& dtypes_;
    std::string layout_;
    std::mt19937_64 random_;
    std::int64_t gap_ = 0;
};

// What a layout of a template compiles ahead for one combination of types and one architecture.
class CompiledLayout {
public:
    CompiledLayout(TemplateDefinition definition,
                   std::size_t types,
                   const std::string& layout,
                   const char* arch)
        : pipeline_(definition.overloads[definition.types[types].overload].definition,
                    Merging::yes),
          target_(default_target(DeviceKind::cuda)) {
        target_.arch = arch;
        definition.layouts = {layout};
        definition.numbers.clear();
        definition.types = {definition.types[types]};
        for (const Parameter& parameter : pipeline_.signature().parameters) {
            const auto& letters = definition.types.front().placeholders;
            const auto letter = std::find_if(letters.begin(), letters.end(), [&](const auto& one) {
                return one.first == parameter.placeholder;
            });
            dtypes_.push_back(parameter.dtype ? *parameter.dtype : letter->second);
        }
        for (const PrecompileJob& job : list_precompile_jobs({definition}, {.archs = {arch}}).jobs)
            compiled_.insert(job.planned.request.digest);
    }

    const Signature& signature() const { return pipeline_.signature(); }
    const std::vector<DType>& dtypes() const { return dtypes_; }

    // Returns how the call finds a kernel: "call" if the one that it would compile is there, "loop" if that of another
    // loop or of any size is, "wide" if only the general variant is, because an array spans more than 2 GiB, and
    // otherwise "general".
    std::string find(const RandomCall& call) {
        CallOptions options;
        if (!call.axes.empty()) options.axes = call.axes;
        const CallView view(call.arguments, options);
        BoundCall bound = bind_call(signature(), view, CallPurpose::explain);
        imagine_memory(signature(), bound);
        place_memory(bound, call.placement);
        PlanRequest request = pipeline_.kernel().plan_request(bound, target_, {}, view);
        const Plan plan = make_plan(request);
        if (has(bound.types, plan.baked)) return "call";
        for (const std::string& loop : loops_by_cost(request)) {
            request.loop_name = loop;
            if (has(bound.types, make_plan(request).baked)) return "loop";
        }
        return call.axes.empty() && plan.baked.width == IndexWidth::bits64 ? "wide" : "general";
    }

private:
    bool has(const TypeBinding& types, const Baked& baked) {
        const auto [known, is_new] = known_.try_emplace(to_key(baked));
        if (is_new)
            known->second = compiled_.contains(
                pipeline_.kernel().make_job(types, baked, target_).request.digest);
        return known->second;
    }

    Pipeline pipeline_;
    Target target_;
    std::vector<DType> dtypes_;
    std::unordered_set<cache::Digest> compiled_;
    std::map<std::string, bool> known_;  // plans that were looked up, by their keys
};

// Calls check(layout, name) for each layout of each template, each of its types and each architecture. The sanitizers see the
// same code with one architecture.
template <typename Check>
void for_each_layout(const Check& check) {
    for (const char* name :
         {"add", "less", "logaddexp", "relu", "gelu", "sum", "dot", "argmax", "var", "max"}) {
        const TemplateDefinition definition = find_template(name);
        for (const TemplateLayout& layout : layouts_of(definition.kind)) {
            const bool has_one = definition.overloads.front().signature.input_count == 1;
            const bool needs_two = layout.name == "row" || layout.name == "column" ||
                                   layout.name == "number" || layout.name == "transposed";
            if (has_one && needs_two) continue;
            for (std::size_t types = 0; types < definition.types.size(); ++types) {
                for (const char* arch : archs) {
                    if (is_sanitized && arch != archs[0]) break;
                    CompiledLayout compiled(definition, types, std::string(layout.name), arch);
                    INFO(name << " (" << to_text(compiled.dtypes().front()) << "), layout "
                              << layout.name << ", " << arch);
                    check(compiled, std::string(layout.name));
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("a call of any size finds a kernel of its layout that is not the general variant",
          "[precompile][layouts]") {
    for_each_layout([](CompiledLayout& compiled, const std::string& layout) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            RandomCalls calls(compiled.signature(), compiled.dtypes(), layout, seed);
            for (int k = 0; k < rounds(24); ++k) {
                const RandomCall call =
                    calls.next(4, k % 2 == 0 ? Extents::any : Extents::multiples_of_16);
                INFO("shape " << to_text(call.shape) << ", seed " << seed);
                CHECK(compiled.find(call) != "general");
            }
        }
    });
}

TEST_CASE("a large call of whole vectors finds the kernel that it would compile",
          "[precompile][layouts]") {
    for_each_layout([](CompiledLayout& compiled, const std::string& layout) {
        // Blocks that fold rows of a few thousand elements have as many threads as suit the length.
        if (layout == "rows") return;
        RandomCalls calls(compiled.signature(), compiled.dtypes(), layout, 4);
        for (int k = 0; k < 12; ++k) {
            const RandomCall call = calls.next(24, Extents::multiples_of_16);
            INFO("shape " << to_text(call.shape));
            const std::string found = compiled.find(call);
            // Two loops take about as long for some transposed calls, and only one of them is compiled.
            CHECK((found == "call" || found == "wide" ||
                   (layout == "transposed" && found == "loop")));
        }
    });
}
