// SPDX-License-Identifier: MIT
#include "source/source.hpp"

#include <fmt/format.h>

#include <embedded/skeletons.hpp>
#include <string_view>

#include "plan/loop_table.hpp"
#include "source/kernel_parts.hpp"
#include "source/loops.hpp"
#include "source/reduction_source.hpp"
#include "source/row_source.hpp"

namespace kgen {

namespace {

// Generates the source of an elementwise kernel: its head, names, parameter block, body and loop.
class Generator {
public:
    Generator(const Signature& signature,
              const TypeBinding& types,
              const Baked& baked,
              const std::vector<UserText>& headers)
        : definition_(signature.definition()),
          signature_(signature),
          baked_(baked),
          is_host_(traits(baked.device).language == SourceLanguage::cpp),
          parts_(signature, types, baked, headers),
          text_(parts_.text()) {}

    Source run() {
        Slots slots;
        slots["operands"] = {baked_.parts.empty() ? kgen::operands_text(text_) : ""};
        slots["names"] = {visible_names()};
        slots["loop_prep"] = parts_.user_slot("loop_prep", definition_.loop_prep, ";\n");
        slots["body"] = body();
        slots["after_loop"] = parts_.user_slot("after_loop", definition_.after_loop, ";\n");
        slots["run"] = {run_loops()};
        slots["launch_bounds"] = {std::to_string(baked_.block_bound)};
        return parts_.write(embedded::elementwise_in, slots, "");
    }

private:
    // Returns the statements that run the loop. With parts, each block runs the loop of its part. The parameters of the first part are a base
    // of all, because the texts find numbers and raw parameters there.
    std::string run_loops() const {
        const auto run = [](std::string_view indent,
                            std::string_view scope,
                            const Baked& baked,
                            std::string_view parameters,
                            std::string_view range) {
            return fmt::format(
                "{0}{1}kgen_operands kgen_all({3});\n{0}{2}<{1}kgen_plan>({3}, kgen_all, "
                "kgen_body{4});\n",
                indent,
                scope,
                loop_name(baked),
                parameters,
                range);
        };
        if (baked_.parts.empty())
            return run("    ", "", baked_, "kgen_p", is_host_ ? ", kgen_begin, kgen_end" : "");
        std::string text = "    ";
        for (std::size_t k = 0; k < baked_.parts.size(); ++k) {
            const std::string name = KernelParts::part_name(k);
            if (k + 1 < baked_.parts.size())
                text += fmt::format("if (kgen_block() < kgen_p.{}.kgen_first_block) ",
                                    KernelParts::part_name(k + 1));
            text += "{\n" + run("        ",
                                name + "::",
                                baked_.parts[k],
                                k == 0 ? "kgen_p" : "kgen_p." + name,
                                "");
            text += k + 1 < baked_.parts.size() ? "    } else " : "    }\n";
        }
        return text;
    }

    // Returns the declaration of `_ind`, which begins at a C-order index or at the coordinates of a list.
    std::string indexer(std::string_view index, std::string_view list = {}) const {
        const bool is_narrow = baked_.narrow_index && is_host_;
        return fmt::format("{}kgen_indexer<{}, {}, {}{}>{} _ind({}{}, {}{});\n",
                           is_narrow ? "kgen_narrow_indexer<" : "",
                           baked_.logical_rank,
                           baked_.width == IndexWidth::bits32 ? "int" : "long long",
                           baked_.logical_rank > 0 ? text_.shape_type() : "long long",
                           baked_.unit_axes != 0 ? fmt::format(", {}", baked_.unit_axes) : "",
                           is_narrow ? ">" : "",
                           index,
                           text_.count(),
                           baked_.logical_rank > 0 ? "kgen_p.kgen_shape" : "0",
                           list);
    }

    std::string indexer_of_element() const {
        if (baked_.coordinates.empty()) return indexer("kgen_i, ");
        std::string list;
        for (std::size_t axis = 0; axis < baked_.coordinates.size(); ++axis)
            list += (list.empty() ? "" : ", ") + KernelText::coordinate(axis);
        return fmt::format(
                   "const {} kgen_indices[] = {{{}}};\n        ", text_.index_type(), list) +
               indexer("", ", kgen_indices");
    }

    // Returns the declarations that the user's texts see in the whole function.
    std::string visible_names() const {
        std::string text;
        if (signature_.facts.count)
            text += fmt::format("    const {} n = {};\n", text_.index_type(), text_.count());
        const bool outside_body = !definition_.loop_prep.empty() || !definition_.after_loop.empty();
        if (signature_.facts.indexer && outside_body) text += "    " + indexer("0, ");
        return text + parts_.visible_names();
    }

    // Returns the body as a function of one element. The source contains it once, even if the loop calls it
    // in several places.
    Slot body() const {
        std::string parameters;
        const auto add_index = [&](const std::string& name) {
            if (!parameters.empty()) parameters += ", ";
            parameters += fmt::format("const {} {}", text_.index_type(), name);
        };
        const int drawn = text_.drawn_alignment();
        if (drawn > 0) {
            parameters = fmt::format("const kgen_drawn_index<{}>& kgen_i", drawn);
        } else if (text_.counts()) {
            add_index("kgen_i");
        }
        for (std::size_t axis = 0; axis < baked_.coordinates.size(); ++axis)
            add_index(KernelText::coordinate(axis));
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
        if (drawn > 0) {
            before += "        const auto& i = kgen_i;\n";
        } else if (signature_.facts.index) {
            before += baked_.narrow_index && is_host_
                          ? "        const kgen_narrow_index i(kgen_i);\n"
                          : fmt::format("        const {} i = {}kgen_i;\n",
                                        text_.index_type(),
                                        baked_.narrow_index ? "(unsigned)" : "");
        }
        if (signature_.facts.indexer) before += "        " + indexer_of_element();
        before += "        do {  // the user's text, as it was written\n";
        return {before,
                {parts_.label("operation"), definition_.operation},
                "; } while (false);\n    };\n"};
    }

    const Definition& definition_;
    const Signature& signature_;
    const Baked& baked_;
    bool is_host_;
    KernelParts parts_;
    const KernelText& text_;
};

}  // namespace

Source generate_source(const Signature& signature,
                       const TypeBinding& types,
                       const Baked& baked,
                       const std::vector<UserText>& headers) {
    if (is_row_loop(baked.loop)) return generate_rows(signature, types, baked, headers);
    if (signature.reduction) return generate_reduction(signature, types, baked, headers);
    return Generator(signature, types, baked, headers).run();
}

}  // namespace kgen
