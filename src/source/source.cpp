// SPDX-License-Identifier: MIT
#include "source/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/access_cuda_cuh.hpp>
#include <embedded/axes_cuda_cuh.hpp>
#include <embedded/division_host_cuh.hpp>
#include <embedded/turn_cuda_cuh.hpp>
#include <string_view>

#include "dtype/dtype_names.hpp"
#include "plan/parameter_block.hpp"
#include "source/kernel_text.hpp"
#include "source/loop_slots.hpp"
#include "source/prelude.hpp"
#include "source/source_writer.hpp"

namespace kgen {

namespace {

std::string_view without_licence(std::string_view text) {
    text.remove_prefix(text.find('\n') + 1);
    return text;
}

// What all skeletons have: the head, the names, the parameter block, the body.
class Generator {
public:
    Generator(const Definition& definition,
              const Signature& signature,
              const TypeBinding& types,
              const Baked& baked)
        : definition_(definition),
          signature_(signature),
          types_(types),
          baked_(baked),
          text_(signature, types, baked) {}

    Source run() {
        // A prefix that no other generated name has: kernels may be called anything.
        const std::string symbol = "kgen_kernel_" + signature_.name;
        Slots slots;
        slots["head"] = {head()};
        slots["prelude"] = {select_prelude(definition_, signature_, types_, baked_) + helpers()};
        slots["types"] = {placeholder_types()};
        slots["fields"] = {fields()};
        slots["preamble"] = user_slot("preamble", definition_.preamble, "");
        slots["symbol"] = {symbol};
        slots["names"] = {visible_names()};
        slots["loop_prep"] = user_slot("loop_prep", definition_.loop_prep, ";\n");
        slots["body"] = body();
        slots["after_loop"] = user_slot("after_loop", definition_.after_loop, ";\n");
        slots["block_bound"] = {std::to_string(baked_.block_bound)};
        slots["elements_per_thread"] = {std::to_string(baked_.vector * baked_.unroll)};
        slots["rank"] = {std::to_string(baked_.rank)};
        slots["last_axis"] = {std::to_string(baked_.rank - 1)};
        SourceWriter writer(signature_.name + (text_.is_host() ? ".cpp" : ".cu"));
        const std::string_view skeleton = fill_loop(slots);
        writer.write(skeleton, slots);
        return {writer.text(), symbol, "", writer.user_texts()};
    }

private:
    std::string_view fill_loop(Slots& slots) const {
        switch (baked_.loop) {
            case LoopKind::flat:
                return fill_flat_loop(text_, slots);
            case LoopKind::vector_rows:
                return fill_vector_rows_loop(text_, slots);
            case LoopKind::shared_tiles:
                return fill_shared_tiles_loop(text_, slots);
            case LoopKind::short_rows:
                return fill_short_rows_loop(text_, slots);
            case LoopKind::tiles:
                return fill_tiles_loop(text_, is_independent(), slots);
            case LoopKind::rows:
            case LoopKind::reduced_rows:
            case LoopKind::staged_rows:
            case LoopKind::reduced_columns:
                break;
        }
        return fill_rows_loop(text_, is_independent(), slots);
    }

    // Overlaps are resolved before the launch, so that iterations do not see each other's stores,
    // unless the body reaches memory of its own.
    bool is_independent() const {
        if (baked_.by_reference || signature_.facts.keeps_state) return false;
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            if (baked_.operands[k].viewed && text_.is_written(k)) return false;
        }
        return true;
    }

    Slot user_slot(std::string_view part, const std::string& text, std::string_view after) const {
        if (text.empty()) return {};
        return {"", {fmt::format("{} ({})", signature_.name, part), text}, std::string(after)};
    }

    std::string head() const {
        std::string text = fmt::format("// {}: {}\n", signature_.name, to_text(signature_));
        if (!types_.placeholders.empty()) text += fmt::format("// types: {}\n", to_text(types_));
        return text + fmt::format("// plan: {}\n", describe_loop(baked_));
    }

    std::string helpers() const {
        if (text_.is_host()) return std::string(without_licence(embedded::division_host_cuh));
        std::string text(without_licence(embedded::access_cuda_cuh));
        if (divides(baked_)) text += without_licence(embedded::axes_cuda_cuh);
        if (baked_.loop == LoopKind::shared_tiles) text += without_licence(embedded::turn_cuda_cuh);
        return text;
    }

    std::string placeholder_types() const {
        std::string text;
        for (const auto& [letter, dtype] : types_.placeholders) {
            text += fmt::format("typedef {} {};\n", cpp_name(dtype), letter);
        }
        return text;
    }

    std::string view_type(std::size_t k) const {
        const BakedOperand& operand = baked_.operands[k];
        return fmt::format("kgen_raw_view<{}, {}, {}, {}>",
                           text_.const_type(k),
                           operand.view_rank,
                           operand.view_contiguous,
                           operand.view_width == IndexWidth::bits32 ? "int" : "long long");
    }

    std::string field(const BlockField& field) const {
        const bool on_cuda = !text_.is_host();
        const bool narrow = on_cuda && baked_.width == IndexWidth::bits32;
        const bool divisors = on_cuda && baked_.index_width == IndexWidth::bits32;
        const auto k = static_cast<std::size_t>(std::max(field.operand, 0));
        switch (field.kind) {
            case FieldKind::count:
                return "    long long kgen_count;\n";
            case FieldKind::work:
                return "    long long kgen_work;\n";
            case FieldKind::shift:
                return "    long long kgen_shift;\n";
            case FieldKind::data:
                return fmt::format("    {}* kgen_data_{};\n", text_.const_type(k), text_.name(k));
            case FieldKind::extents:
                return fmt::format("    {} kgen_extents[{}];\n",
                                   divisors ? "kgen_divisor" : "long long",
                                   baked_.rank);
            case FieldKind::rows:
                return "    kgen_row_steps kgen_rows;\n";
            case FieldKind::tile:
                return "    kgen_tile_shape kgen_tile;\n";
            case FieldKind::strides:
                return fmt::format("    {} kgen_strides_{}[{}];  // bytes\n",
                                   narrow ? "int" : "long long",
                                   text_.name(k),
                                   baked_.rank);
            case FieldKind::index_strides:
                return fmt::format("    long long kgen_index_strides[{}];\n", baked_.rank);
            case FieldKind::shape:
                return fmt::format("    ptrdiff_t kgen_shape[{}];\n", baked_.logical_rank);
            case FieldKind::view:
                return fmt::format("    {} kgen_view_{};\n", view_type(k), text_.name(k));
            case FieldKind::scalar:
                break;
        }
        return fmt::format("    {} kgen_value_{};\n", text_.type(k), text_.name(k));
    }

    std::string fields() const {
        std::string text;
        for (const BlockField& each : lay_out_block(baked_, types_.dtypes).fields)
            text += field(each);
        return text;
    }

    std::string indexer(std::string_view position) const {
        return fmt::format("kgen_indexer<{}, {}> _ind({}, kgen_p.kgen_count, {});\n",
                           baked_.logical_rank,
                           baked_.width == IndexWidth::bits32 ? "int" : "long long",
                           position,
                           baked_.logical_rank > 0 ? "kgen_p.kgen_shape" : "0");
    }

    // What the user's texts see in the whole function.
    std::string visible_names() const {
        std::string text;
        if (signature_.facts.count) text += "    const ptrdiff_t n = kgen_p.kgen_count;\n";
        const bool outside_body = !definition_.loop_prep.empty() || !definition_.after_loop.empty();
        if (signature_.facts.indexer && outside_body) text += "    " + indexer("0");
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            const BakedOperand& operand = baked_.operands[k];
            if (operand.kind == OperandKind::scalar) {
                text += fmt::format(
                    "    const {0} {1} = kgen_p.kgen_value_{1};\n", text_.type(k), text_.name(k));
            } else if (operand.viewed) {
                const std::string_view prefix = operand.kind == OperandKind::raw ? "" : "_raw_";
                text += fmt::format(
                    "    const auto& {0}{1} = kgen_p.kgen_view_{1};\n", prefix, text_.name(k));
            }
        }
        return text;
    }

    // The body as a function of one element. It is written once, whatever the loop does with it.
    Slot body() const {
        std::string parameters;
        if (text_.counts()) parameters += "const ptrdiff_t kgen_i";
        text_.for_arrays([&](std::size_t k) {
            if (!parameters.empty()) parameters += ", ";
            const bool reference = baked_.by_reference || text_.is_written(k);
            parameters += text_.const_type(k) + (reference ? "& " : " ") + text_.name(k);
            return std::string();
        });
        std::string before =
            "    // The body, for one element: continue, break and return end that element.\n";
        before += fmt::format(
            "    const auto kgen_body = [&]({}) __attribute__((always_inline)) {{\n", parameters);
        if (signature_.facts.index) before += "        const ptrdiff_t i = kgen_i;\n";
        if (signature_.facts.indexer) before += "        " + indexer("kgen_i");
        before += "        do {  // the user's text, as it was written\n";
        return {before,
                {signature_.name + " (operation)", definition_.operation},
                "; } while (false);\n    };\n"};
    }

    const Definition& definition_;
    const Signature& signature_;
    const TypeBinding& types_;
    const Baked& baked_;
    KernelText text_;
};

}  // namespace

Source generate_source(const Definition& definition,
                       const Signature& signature,
                       const TypeBinding& types,
                       const Baked& baked) {
    return Generator(definition, signature, types, baked).run();
}

}  // namespace kgen
