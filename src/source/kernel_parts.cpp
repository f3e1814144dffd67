// SPDX-License-Identifier: MIT
#include "source/kernel_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/skeletons.hpp>

#include "dtype/dtype_table.hpp"
#include "plan/loop_table.hpp"
#include "source/loops.hpp"
#include "source/prelude.hpp"

namespace kgen {

std::string_view without_licence(std::string_view text) {
    text.remove_prefix(text.find('\n') + 1);
    return text;
}

std::string KernelParts::label(std::string_view part) const {
    return fmt::format("{} ({})", signature_.name, part);
}

Slot KernelParts::user_slot(std::string_view part,
                            const std::string& text,
                            std::string_view after) const {
    if (text.empty()) return {};
    return {"", {label(part), text}, std::string(after)};
}

std::string KernelParts::head() const {
    std::string text = fmt::format("// {}: {}\n", signature_.name, to_text(signature_));
    if (!types_.placeholders.empty()) text += fmt::format("// types: {}\n", to_text(types_));
    text += fmt::format("// plan: {}\n", describe_loop(baked_));
    const auto* rows = std::get_if<HostRowsChoice>(&baked_.choice);
    return text + (rows != nullptr && rows->short_vectors ? "#define KGEN_SHORT_VECTORS 1\n" : "");
}

std::string KernelParts::placeholder_types() const {
    std::string text;
    for (const auto& [letter, dtype] : types_.placeholders) {
        text += fmt::format("typedef {} {};\n", text_.type_of(dtype), letter);
        text += wrapping_typedef(signature_.definition(), letter, dtype, {&letter, 1}, "\n");
    }
    return text;
}

Source KernelParts::write(std::string_view skeleton,
                          Slots slots,
                          std::string_view accumulator_symbol,
                          std::string_view helpers) const {
    const bool is_cpp = text_.is_cpp();
    slots["head"] = {head()};
    slots["prelude"] = {select_prelude(signature_, types_, baked_, headers_, taken_) +
                        loop_helpers(baked_) + std::string(helpers)};
    slots["types"] = {placeholder_types()};
    slots["parts"] = {declared_parts()};
    slots["base"] = {baked_.parts.empty() ? ""
                                          : fmt::format(" : {}::kgen_parameters", part_name(0))};
    slots["fields"] = {fields()};
    slots["preamble"] = user_slot("preamble", signature_.definition().preamble, "");
    slots["symbol"] = {symbol()};
    if (baked_.parts.empty()) slots["loop"] = {std::string(loop_name(baked_))};
    slots["range"] = {is_cpp ? ", kgen_begin, kgen_end" : ""};
    SourceWriter entry("");
    entry.write(is_cpp ? embedded::entry_host_in : embedded::entry_cuda_in, slots);
    slots["entry"] = {entry.text()};
    SourceWriter writer(signature_.name + (is_cpp ? ".cpp" : ".cu"));
    writer.write(skeleton, slots);
    return {writer.text(), symbol(), std::string(accumulator_symbol), writer.user_texts()};
}

std::string KernelParts::view_type(std::size_t k) const {
    const BakedOperand& operand = baked_.operands[k];
    return fmt::format("kgen_raw_view<{}, {}, {}, {}>",
                       text_.const_type(k),
                       operand.view_rank,
                       operand.view_contiguous,
                       operand.view_width == IndexWidth::bits32 ? "int" : "long long");
}

std::string KernelParts::field(const BlockField& field) const {
    static constexpr std::string_view places[] = {"input", "reduced", "output"};
    const bool narrow =
        device_loops(baked_.device).has_divisors && baked_.width == IndexWidth::bits32;
    const auto k = static_cast<std::size_t>(std::max(field.operand, 0));
    switch (field.kind) {
        case FieldKind::first_block:
            return "    unsigned kgen_first_block;\n";
        case FieldKind::count:
            // Behind a part, which is a base: without its alignment, the field might lie in its padding.
            return (baked_.parts.empty()
                        ? std::string("    ")
                        : fmt::format("    alignas({}::kgen_parameters) ", part_name(0))) +
                   "long long kgen_count;\n";
        case FieldKind::shift:
            return "    long long kgen_shift;\n";
        case FieldKind::whole_counts:
            return "    long long kgen_whole_counts[2];\n";
        case FieldKind::data:
            return fmt::format("    {}* kgen_data_{};\n", text_.const_type(k), text_.name(k));
        case FieldKind::extents:
            return fmt::format(
                "    {} kgen_extents[{}];\n", text_.extent_type(baked_.index_width), baked_.rank);
        case FieldKind::reach:
            return fmt::format("    long long kgen_reach_{}[2];\n", text_.name(k));
        case FieldKind::strides:
            return fmt::format("    {} kgen_strides_{}[{}];  // bytes\n",
                               narrow ? "int" : "long long",
                               text_.name(k),
                               baked_.rank);
        case FieldKind::shape:
            return fmt::format("    {} kgen_shape[{}];\n", text_.shape_type(), baked_.logical_rank);
        case FieldKind::view:
            return fmt::format("    {} kgen_view_{};\n", view_type(k), text_.name(k));
        case FieldKind::scalar:
            return fmt::format("    {} kgen_value_{};\n", text_.type(k), text_.name(k));
        case FieldKind::reduced_count:
            return "    long long kgen_reduced;\n";
        case FieldKind::place_strides:
            return fmt::format(
                "    long long kgen_{}_strides[{}];\n", places[field.operand], baked_.rank + 1);
        case FieldKind::output_shape:
            return fmt::format(
                "    {} kgen_output_shape[{}];\n", text_.shape_type(), baked_.output_rank);
        case FieldKind::scratch:
            return "    unsigned* kgen_counters;\n    void* kgen_partials;\n";
        case FieldKind::own:
            return fmt::format("    {};\n", loop_of(baked_).own_text);
    }
    return {};
}

std::string KernelParts::fields() const {
    std::string text;
    for (std::size_t part = 1; part < baked_.parts.size(); ++part)
        text += fmt::format("    {0}::kgen_parameters {0};\n", part_name(part));
    // The fields of the first part are those of a base.
    std::size_t of_parts = 0;
    for (const Baked& part : baked_.parts)
        of_parts += lay_out_block(part, types_.dtypes).fields.size();
    const BlockLayout layout = lay_out_block(baked_, types_.dtypes);
    for (std::size_t k = of_parts; k < layout.fields.size(); ++k) text += field(layout.fields[k]);
    return text;
}

std::string KernelParts::declared_parts() const {
    std::string text;
    for (std::size_t k = 0; k < baked_.parts.size(); ++k) {
        const KernelParts part(signature_, types_, baked_.parts[k], headers_);
        text += fmt::format("namespace {} {{\nstruct kgen_parameters {{\n{}}};\n{}}}\n",
                            part_name(k),
                            part.fields(),
                            operands_text(part.text()));
    }
    return text;
}

std::string KernelParts::visible_names() const {
    std::string text;
    for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
        const BakedOperand& operand = baked_.operands[k];
        if (operand.kind == OperandKind::scalar) {
            const std::string_view format =
                signature_.parameters[k].raw
                    ? "    const kgen_raw_number<{0}> {1}(kgen_p.kgen_value_{1});\n"
                    : "    const {0} {1} = kgen_p.kgen_value_{1};\n";
            text += fmt::format(fmt::runtime(format), text_.type(k), text_.name(k));
        } else if (operand.viewed) {
            const std::string_view prefix = operand.kind == OperandKind::raw ? "" : "_raw_";
            // A copy on the host, whose compiler must assume that stores change the parameter block.
            std::string view = "kgen_p.kgen_view_" + text_.name(k);
            if (operand.view_wraps)
                view = fmt::format("kgen_wrapping_view<{}>({})", view_type(k), view);
            text += fmt::format("    const auto{} {}{} = {};\n",
                                text_.is_cpp() ? "" : "&",
                                prefix,
                                text_.name(k),
                                view);
        }
    }
    return text;
}

}  // namespace kgen
